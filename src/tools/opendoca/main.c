/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/opendoca_tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_version.h>
#include <opendoca.h>

#include "util/base.h"

struct command {
    const char *word;
    int (*run)(int argc, char **argv);
    const char *help; /* NULL: internal */
};

static const struct command commands[] = {
    {"run", tool_run, "run a DOCA program with everything it needs in its environment"},
    {"pair", tool_pair, "run a host and a DPU program together, one exit status"},
    {"demo", tool_demo, "copy a 1 GiB file to a DPU process and back; put, add, reduce by UROM"},
    {"up", tool_service, "start the service that UROM programs need"},
    {"down", tool_service, "end it"},
    {"status", tool_service, "show it"},
    {"device", tool_device, "list the devices, show one"},
    {"port", tool_port, "list what carries the frames of devices, give a device an interface"},
    {"stats", tool_stats, "show what the ports of running programs have counted"},
    {"wire", tool_wire, "make a pair of interfaces and a devices file for a first try"},
    {"doctor", tool_doctor, "check what this machine has and lacks, and how to fix it"},
    {"vendor-path", tool_vendor_path, "let /opt/mellanox/doca lead here: on, off, status"},
    {"demo-host", tool_demo_host, NULL},
    {"demo-dpu", tool_demo_dpu, NULL},
    {"demo-rank", tool_demo_rank, NULL},
};

static void usage(FILE *out)
{
    fprintf(out, "Usage: opendoca COMMAND [ARGUMENTS]\n\nCommands:\n");
    for (size_t i = 0; i < OD_ARRAY_SIZE(commands); i++) {
        if (commands[i].help != NULL)
            fprintf(out, "  %-12s %s\n", commands[i].word, commands[i].help);
    }
    fprintf(out, "\n  -h, --help     this text; opendoca COMMAND --help tells more\n"
                 "  -v, --version  versions\n");
}

static int run_command(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "--help";

    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "help") == 0) {
        usage(stdout);
        return argc > 1 ? EXIT_SUCCESS : TOOL_USAGE;
    }
    if (strcmp(word, "-v") == 0 || strcmp(word, "--version") == 0) {
        printf("opendoca %s (DOCA API %s)\n", opendoca_version(), doca_version_runtime());
        printf(
            "The former is the version of this implementation, the latter the release of the API\n"
            "that its programs see: doca_version(), and pkg-config --modversion.\n");
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; i < OD_ARRAY_SIZE(commands); i++) {
        if (strcmp(word, commands[i].word) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "opendoca: unknown command '%s'\n", word);
    usage(stderr);
    return TOOL_USAGE;
}

/* A full disk or a closed output must not look like success. */
int main(int argc, char **argv)
{
    int status = run_command(argc, argv);

    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return status;
    fprintf(stderr, "opendoca: cannot write: %s\n", strerror(errno));
    return status == EXIT_SUCCESS ? EXIT_FAILURE : status;
}
