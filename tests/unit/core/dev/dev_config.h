/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_CORE_DEV_CONFIG_H_
#define OD_TESTS_CORE_DEV_CONFIG_H_

/* A devices file for each test; the body runs in a child that has it. */

#include <doca_dev.h>
#include <opendoca.h>

#include "lib/in_child.h"

#include <string.h>

static inline int with_config(const char *text, const char *role, bool (*body)(void))
{
    char path[] = "/tmp/opendoca-test-dev-XXXXXX";
    int fd = mkstemp(path), rc;
    size_t len = strlen(text);

    if (fd < 0)
        return -1;
    rc = write(fd, text, len) == (ssize_t)len ? in_child(path, role, body) : -1;
    close(fd);
    unlink(path);
    return rc;
}

/* Opens the device at that place of the list; NULL when that fails. */
static inline struct doca_dev *open_device(uint32_t place)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t num;

    if (doca_devinfo_create_list(&list, &num) != DOCA_SUCCESS)
        return NULL;
    if (place < num && doca_dev_open(list[place], &dev) != DOCA_SUCCESS)
        dev = NULL;
    doca_devinfo_destroy_list(list);
    return dev;
}

static inline bool last_error_has(const char *text)
{
    if (strstr(opendoca_last_error(), text) != NULL)
        return true;
    fprintf(stderr, "'%s' is not in '%s'\n", text, opendoca_last_error());
    return false;
}

#endif /* OD_TESTS_CORE_DEV_CONFIG_H_ */
