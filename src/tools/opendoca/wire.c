/* SPDX-License-Identifier: BSD-3-Clause */
/* A pair of interfaces for a first try: what one device sends, the other one receives. */

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/opendoca/opendoca_tool.h"
#include "util/base.h"

#define FILE_NAME "opendoca-wire.json"

static const char *const ends[2] = {"odw0", "odw1"};
static const char *const addresses[2] = {"0000:03:00.0", "0000:03:00.1"};

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: opendoca wire [on] [--file DEVICES]\n"
            "       opendoca wire off\n\n"
            "on     makes a veth pair, %s and %s, and a devices file (" FILE_NAME " in this\n"
            "       folder) in which they are the host devices %s and %s\n"
            "off    takes the pair away\n\n"
            "Needs the right to make interfaces (CAP_NET_ADMIN); 'unshare -n' gives a place where\n"
            "nobody else sees them.\n",
            ends[0], ends[1], addresses[0], addresses[1]);
}

static int add_pair(void)
{
    const char *const argv[] = {"ip",   "link", "add",  ends[0], "type",
                                "veth", "peer", "name", ends[1], NULL};

    return tool_call(argv, -1, -1);
}

static int set_up(const char *iface)
{
    const char *const argv[] = {"ip", "link", "set", iface, "up", NULL};

    return tool_call(argv, -1, -1);
}

static int remove_pair(void)
{
    const char *const argv[] = {"ip", "link", "del", ends[0], NULL};

    return tool_call(argv, -1, -1) == EXIT_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int make_pair(void)
{
    int status = EXIT_SUCCESS;

    if (if_nametoindex(ends[0]) == 0)
        status = add_pair();
    for (int i = 0; status == EXIT_SUCCESS && i < 2; i++)
        status = set_up(ends[i]);
    for (int i = 0; status == EXIT_SUCCESS && i < 2; i++) {
        if (!tool_write_own_tags(ends[i]))
            fprintf(stderr, "opendoca wire: VLAN tags of sockets may get lost on %s\n", ends[i]);
    }
    if (status != EXIT_SUCCESS)
        fprintf(stderr, "opendoca wire: the interfaces cannot be made; is iproute2 installed, and "
                        "is the right there?\n");
    return status == EXIT_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int switch_on(const char *file)
{
    int status = make_pair();

    for (int i = 0; status == EXIT_SUCCESS && i < 2; i++) {
        const char *const argv[] = {"port",       "add",    ends[i], "--as",
                                    addresses[i], "--file", file,    NULL};

        status = tool_port(OD_ARRAY_SIZE(argv) - 1, (char **)(uintptr_t)argv);
    }
    if (status == EXIT_SUCCESS)
        printf("now run programs with OPENDOCA_CONFIG=%s\n", file);
    return status;
}

int tool_wire(int argc, char **argv)
{
    const char *file = FILE_NAME;
    int at = argc > 1 && strcmp(argv[1], "on") == 0 ? 2 : 1;

    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        usage(stdout);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(argv[1], "off") == 0)
        return remove_pair();
    if (argc == at + 2 && strcmp(argv[at], "--file") == 0) {
        file = argv[at + 1];
        at = argc;
    }
    if (argc == at)
        return switch_on(file);
    usage(stderr);
    return TOOL_USAGE;
}
