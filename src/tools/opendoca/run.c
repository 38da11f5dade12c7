/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/opendoca_tool.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soft/copy/copy.h"

static void usage(FILE *out)
{
    char engines[200];

    tool_copy_engines(engines, sizeof(engines));
    fprintf(
        out,
        "Usage: opendoca run [OPTIONS] [--] PROGRAM [ARGUMENTS]\n\n"
        "Runs a program against this tree's libraries; nothing needs to be exported by hand.\n\n"
        "  --role host|dpu   role of the program (default: the flavour it was built with)\n"
        "  --config FILE     devices file\n"
        "  --engine NAME     copy engine: %s\n"
        "  --faults LIST     faults that the error engine injects, see docs/faults.md\n"
        "  --up              start the service of UROM programs before, unless it is up; it stays\n"
        "                    up, see opendoca down\n"
        "  -h, --help        this text\n",
        engines);
}

static bool is_role(const char *text)
{
    return strcmp(text, "host") == 0 || strcmp(text, "dpu") == 0;
}

/* What the program would only find out when it starts a context. */
static bool check(const struct tool_env *env)
{
    char engines[200];

    if (env->role != NULL && !is_role(env->role)) {
        fprintf(stderr, "opendoca run: role '%s' is neither host nor dpu\n", env->role);
        return false;
    }
    if (env->engine == NULL || soft_copy_find(env->engine) != NULL)
        return true;
    tool_copy_engines(engines, sizeof(engines));
    fprintf(stderr, "opendoca run: there is no copy engine '%s'; there are: %s\n", env->engine,
            engines);
    return false;
}

int tool_run(int argc, char **argv)
{
    static const struct option options[] = {
        {"role", required_argument, NULL, 'r'},
        {"config", required_argument, NULL, 'c'},
        {"engine", required_argument, NULL, 'e'},
        {"faults", required_argument, NULL, 'f'},
        {"up", no_argument, NULL, 'u'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct tool_env env = {NULL, NULL, NULL, NULL};
    bool up = false;
    int option;

    while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
        switch (option) {
        case 'r':
            env.role = optarg;
            break;
        case 'c':
            env.config = optarg;
            break;
        case 'e':
            env.engine = optarg;
            break;
        case 'f':
            env.faults = optarg;
            break;
        case 'u':
            up = true;
            break;
        case 'h':
            usage(stdout);
            return EXIT_SUCCESS;
        default:
            usage(stderr);
            return TOOL_USAGE;
        }
    }
    if (!check(&env))
        return TOOL_USAGE;
    if (optind == argc) {
        usage(stderr);
        return TOOL_USAGE;
    }
    /* Faults without an engine that injects them would silently do nothing. */
    if (env.faults != NULL && env.engine == NULL)
        env.engine = "error";
    tool_apply_env(&env);
    if (up && tool_service_up() != EXIT_SUCCESS)
        return EXIT_FAILURE;
    execvp(argv[optind], argv + optind);
    fprintf(stderr, "opendoca run: cannot run %s: %s\n", argv[optind], strerror(errno));
    return errno == ENOENT ? 127 : 126;
}
