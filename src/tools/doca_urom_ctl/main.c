/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_urom_ctl/doca_urom_ctl.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <opendoca.h>

#include "util/base.h"

#define NOBODY      1
#define DEGRADED    2
#define WRONG_USAGE 3
#define NO_ANSWER   4

struct command {
    const char *word;
    const char *part; /* member of the status that --json prints; NULL: all */
    void (*print)(const json_t *status);
    const char *help;
};

static const struct command commands[] = {
    {"status", NULL, ctl_print_status, "everything"},
    {"plugins", "service", ctl_print_plugins, "plugins of the service, and why one cannot be used"},
    {"workers", "workers", ctl_print_workers, "workers, what they do and have done"},
    {"metrics", NULL, ctl_print_metrics, "the same for Prometheus"},
};

static void usage(FILE *out)
{
    fprintf(out, "Usage: " CTL_PROGRAM " [OPTIONS] COMMAND\n\nCommands:\n");
    for (size_t i = 0; i < OD_ARRAY_SIZE(commands); i++)
        fprintf(out, "  %-18s %s\n", commands[i].word, commands[i].help);
    fprintf(out,
            "\n"
            "  --socket PATH      where the daemon is (default: by device, or what\n"
            "                     DOCA_UROM_SOCKET says)\n"
            "  --device DEVICE    whose daemon is meant, by PCI address or IB device name\n"
            "                     (default: the first one)\n"
            "  --json             as JSON: an object, for workers an array\n"
            "  -h, --help         this text\n"
            "  -v, --version      version\n\n"
            "Exit status: 0 healthy, 1 no daemon, 2 a worker is stuck, or a plugin or a folder of\n"
            "plugins cannot be used, 3 wrong command line, 4 a daemon refuses, does not answer or\n"
            "cannot be reached.\n");
}

static const struct command *find(const char *word)
{
    for (size_t i = 0; i < OD_ARRAY_SIZE(commands); i++) {
        if (strcmp(commands[i].word, word) == 0)
            return &commands[i];
    }
    return NULL;
}

static int show(const struct command *command, const char *socket, const char *device, bool as_json)
{
    bool nobody;
    json_t *status = ctl_ask(socket, device, &nobody);
    json_t *part;
    int healthy;

    if (status == NULL)
        return nobody ? NOBODY : NO_ANSWER;
    part = command->part != NULL ? json_object_get(status, command->part) : status;
    if (as_json) {
        json_dumpf(part, stdout, JSON_INDENT(2));
        printf("\n");
    } else {
        command->print(status);
    }
    healthy = strcmp(ctl_text(status, "health"), "healthy") == 0;
    json_decref(status);
    return healthy ? EXIT_SUCCESS : DEGRADED;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"socket", required_argument, NULL, 's'}, {"device", required_argument, NULL, 'd'},
        {"json", no_argument, NULL, 'j'},         {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},      {NULL, 0, NULL, 0},
    };
    const char *socket = NULL, *device = NULL;
    const struct command *command;
    bool as_json = false;
    int option;

    while ((option = getopt_long(argc, argv, "hv", options, NULL)) != -1) {
        switch (option) {
        case 's':
            socket = optarg;
            break;
        case 'd':
            device = optarg;
            break;
        case 'j':
            as_json = true;
            break;
        case 'h':
            usage(stdout);
            return EXIT_SUCCESS;
        case 'v':
            printf(CTL_PROGRAM " %s\n", opendoca_version());
            return EXIT_SUCCESS;
        default:
            usage(stderr);
            return WRONG_USAGE;
        }
    }
    command = optind + 1 == argc ? find(argv[optind]) : NULL;
    if (command == NULL && optind + 1 == argc) {
        fprintf(stderr, CTL_PROGRAM ": no command '%s'; see " CTL_PROGRAM " --help\n",
                argv[optind]);
        return WRONG_USAGE;
    }
    if (command == NULL) {
        usage(stderr);
        return WRONG_USAGE;
    }
    return show(command, socket, device, as_json);
}
