/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/opendoca_tool.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/install.h"

/* The vendor's guides name /opt/mellanox/doca everywhere. A link there lets every command and path
 * of theirs work as written; a real SDK in that place is never touched. The folder is a variable so
 * that tests need not write to /opt. */
#define VENDOR_FOLDER_ENV "OPENDOCA_VENDOR_FOLDER"
#define VENDOR_FOLDER     "/opt/mellanox"

static void usage(FILE *out)
{
    fprintf(out, "Usage: opendoca vendor-path on|off|status\n\n"
                 "Makes " VENDOR_FOLDER "/doca a link to this tree, or removes that link. Refuses\n"
                 "when a real SDK is installed there.\n");
}

enum place { NOTHING, OUR_LINK, OTHER_LINK, REAL_TREE };

static enum place look(const char *link, char *target, size_t size)
{
    struct stat st;
    ssize_t len;

    if (lstat(link, &st) != 0)
        return NOTHING;
    if (!S_ISLNK(st.st_mode))
        return REAL_TREE;
    len = readlink(link, target, size - 1);
    target[len > 0 ? len : 0] = '\0';
    return strcmp(target, tool_prefix()) == 0 ? OUR_LINK : OTHER_LINK;
}

static int failed(const char *what, const char *link)
{
    fprintf(stderr, "opendoca vendor-path: cannot %s %s: %s%s\n", what, link, strerror(errno),
            errno == EACCES || errno == EPERM ? "; run it as root" : "");
    return EXIT_FAILURE;
}

static int refuse(enum place place, const char *link, const char *target)
{
    if (place == REAL_TREE)
        fprintf(stderr, "opendoca vendor-path: %s is a real SDK, it stays as it is\n", link);
    else
        fprintf(stderr, "opendoca vendor-path: %s leads to %s, not here; remove it by hand\n", link,
                target);
    return EXIT_FAILURE;
}

static int turn_on(enum place place, const char *folder, const char *link, const char *target)
{
    if (place == OUR_LINK)
        return EXIT_SUCCESS;
    if (place != NOTHING)
        return refuse(place, link, target);
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return failed("create", folder);
    if (symlink(tool_prefix(), link) != 0)
        return failed("create", link);
    printf("%s -> %s\n", link, tool_prefix());
    return EXIT_SUCCESS;
}

static int turn_off(enum place place, const char *folder, const char *link, const char *target)
{
    if (place == NOTHING)
        return EXIT_SUCCESS;
    if (place != OUR_LINK)
        return refuse(place, link, target);
    if (unlink(link) != 0)
        return failed("remove", link);
    rmdir(folder); /* only if nothing else is in it */
    printf("%s removed\n", link);
    return EXIT_SUCCESS;
}

static int tell(enum place place, const char *link, const char *target)
{
    if (place == NOTHING)
        printf("off: %s does not exist\n", link);
    else if (place == OUR_LINK)
        printf("on: %s -> %s\n", link, target);
    else if (place == OTHER_LINK)
        printf("elsewhere: %s -> %s\n", link, target);
    else
        printf("off: %s is a real SDK\n", link);
    return EXIT_SUCCESS;
}

int tool_vendor_path(int argc, char **argv)
{
    const char *folder = getenv(VENDOR_FOLDER_ENV);
    char link[PATH_MAX], target[PATH_MAX] = "";
    enum place place;

    folder = folder != NULL ? folder : VENDOR_FOLDER;
    snprintf(link, sizeof(link), "%s/doca", folder);
    place = look(link, target, sizeof(target));
    if (argc == 2 && strcmp(argv[1], "on") == 0)
        return turn_on(place, folder, link, target);
    if (argc == 2 && strcmp(argv[1], "off") == 0)
        return turn_off(place, folder, link, target);
    if (argc == 2 && strcmp(argv[1], "status") == 0)
        return tell(place, link, target);
    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        usage(stdout);
        return EXIT_SUCCESS;
    }
    usage(stderr);
    return TOOL_USAGE;
}
