/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_caps/doca_caps.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <doca_log.h>
#include <opendoca.h>

#include "tools/common/version.h"
#include "util/base.h"
#include "util/parse.h"

#define PROGRAM "doca_caps"

struct command_line {
    bool list_devs, list_rep_devs, list_libs, list_loggers;
    struct caps_scope scope;
    uint32_t log_level; /* 0: not given */
    uint32_t sdk_log_level;
};

enum outcome { GO_ON, DONE, WRONG };

static void usage(FILE *out)
{
    fprintf(out, "Usage: " PROGRAM " [OPTIONS]\n\n"
                 "Without --list-...: what each device can do, library by library.\n"
                 "OPENDOCA_ROLE=host|dpu selects the side, host when it is not set.\n\n"
                 "  --list-devs                devices\n"
                 "  --list-rep-devs            representors of each device\n"
                 "  --list-libs                libraries and whether they are installed\n"
                 "  --list-loggers             names of the log sources\n"
                 "  -p, --pci-addr ADDRESS     only this device, such as 03:00.0 or 0000:03:00.0\n"
                 "  -b, --lib NAME             only this library, such as dma\n"
                 "  -l, --log-level LEVEL      10 disable, 20 critical, 30 error, 40 warning,\n"
                 "                             50 info, 60 debug, 70 trace\n"
                 "      --sdk-log-level LEVEL  the same for records of the libraries\n"
                 "  -v, --version              version\n"
                 "  -h, --help                 this text\n");
}

static enum outcome wrong(const char *what, const char *value)
{
    fprintf(stderr, PROGRAM ": %s '%s'\n", what, value);
    return WRONG;
}

static enum outcome parse_level(const char *text, uint32_t *level)
{
    static const struct {
        const char *name;
        enum doca_log_level level;
    } names[] = {
        {"disable", DOCA_LOG_LEVEL_DISABLE}, {"crit", DOCA_LOG_LEVEL_CRIT},
        {"critical", DOCA_LOG_LEVEL_CRIT},   {"err", DOCA_LOG_LEVEL_ERROR},
        {"error", DOCA_LOG_LEVEL_ERROR},     {"warn", DOCA_LOG_LEVEL_WARNING},
        {"warning", DOCA_LOG_LEVEL_WARNING}, {"info", DOCA_LOG_LEVEL_INFO},
        {"debug", DOCA_LOG_LEVEL_DEBUG},     {"trace", DOCA_LOG_LEVEL_TRACE},
    };
    uint64_t number = 0;

    (void)od_parse_u64(text, &number);
    for (size_t i = 0; i < OD_ARRAY_SIZE(names); i++) {
        if (strcasecmp(text, names[i].name) == 0 || number == (uint64_t)names[i].level) {
            *level = names[i].level;
            return GO_ON;
        }
    }
    return wrong("the level is one of 10, 20, 30, 40, 50, 60, 70 or its name, not", text);
}

static enum outcome parse_scope(int option, const char *value, struct caps_scope *scope)
{
    struct od_pci_addr addr;

    if (option == 'p') {
        scope->pci_addr = value;
        return od_parse_pci_addr(value, &addr) == 0
                   ? GO_ON
                   : wrong("a PCI address is DDDD:BB:DD.F or BB:DD.F, not", value);
    }
    scope->library = tool_find_library(value);
    return scope->library != NULL ? GO_ON : wrong("there is no DOCA library", value);
}

static enum outcome take_option(int option, struct command_line *line)
{
    switch (option) {
    case 'D':
        line->list_devs = true;
        return GO_ON;
    case 'R':
        line->list_rep_devs = true;
        return GO_ON;
    case 'L':
        line->list_libs = true;
        return GO_ON;
    case 'G':
        line->list_loggers = true;
        return GO_ON;
    case 'p':
    case 'b':
        return parse_scope(option, optarg, &line->scope);
    case 'l':
        return parse_level(optarg, &line->log_level);
    case 'S':
        return parse_level(optarg, &line->sdk_log_level);
    case 'v':
        printf(PROGRAM " %s\n", tool_version());
        return DONE;
    case 'h':
        usage(stdout);
        return DONE;
    default:
        return WRONG; /* getopt has said why */
    }
}

static enum outcome parse(int argc, char **argv, struct command_line *line)
{
    static const struct option options[] = {
        {"list-devs", no_argument, NULL, 'D'},
        {"list-rep-devs", no_argument, NULL, 'R'},
        {"list-libs", no_argument, NULL, 'L'},
        {"list-loggers", no_argument, NULL, 'G'},
        {"pci-addr", required_argument, NULL, 'p'},
        {"lib", required_argument, NULL, 'b'},
        {"log-level", required_argument, NULL, 'l'},
        {"sdk-log-level", required_argument, NULL, 'S'},
        {"version", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    enum outcome outcome = GO_ON;
    int option;

    while (outcome == GO_ON && (option = getopt_long(argc, argv, "p:b:l:vh", options, NULL)) != -1)
        outcome = take_option(option, line);
    if (outcome == GO_ON && optind < argc)
        outcome = wrong("takes no operand, found", argv[optind]);
    return outcome;
}

/* The flag wins over the environment, which is what the log reads first: so it is set there. The
 * log then also makes the backend on stderr. */
static void apply_levels(const struct command_line *line)
{
    char text[12];

    if (line->sdk_log_level != 0) {
        snprintf(text, sizeof(text), "%u", line->sdk_log_level);
        setenv("DOCA_LOG_LEVEL_SDK", text, 1);
    }
    if (line->log_level != 0)
        (void)doca_log_level_set_global_lower_limit(line->log_level);
}

static int print_device_families(const struct command_line *line)
{
    bool wants_caps = !line->list_devs && !line->list_rep_devs;
    struct caps_devices devices;

    if (doca_devinfo_create_list(&devices.list, &devices.num) != DOCA_SUCCESS) {
        fprintf(stderr, PROGRAM ": %s\n", opendoca_last_error());
        return -1;
    }
    if (line->list_devs)
        caps_print_devices(&devices, &line->scope);
    if (line->list_rep_devs)
        caps_print_representors(&devices, &line->scope);
    if (wants_caps)
        caps_print_capabilities(&devices, &line->scope);
    (void)doca_devinfo_destroy_list(devices.list);
    return 0;
}

static int print_families(const struct command_line *line)
{
    bool wants_devices =
        line->list_devs || line->list_rep_devs || !(line->list_libs || line->list_loggers);

    if (wants_devices && print_device_families(line) != 0)
        return -1;
    if (line->list_libs)
        caps_print_libraries(&line->scope);
    return line->list_loggers ? caps_print_loggers() : 0;
}

int main(int argc, char **argv)
{
    struct command_line line = {0};
    enum outcome outcome = parse(argc, argv, &line);

    if (outcome == WRONG) {
        usage(stderr);
        return EXIT_FAILURE;
    }
    if (outcome == GO_ON) {
        apply_levels(&line);
        if (print_families(&line) != 0)
            return EXIT_FAILURE;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, PROGRAM ": cannot write: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
