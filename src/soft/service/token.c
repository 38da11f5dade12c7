/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/token.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"

static int check_file(int fd, const char *name, const char *path)
{
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0)
        return soft_fail(-errno, "%s %.128s: %s", name, path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return soft_fail(-EINVAL, "%s %.128s: no regular file", name, path);
    if ((st.st_mode & 077) != 0)
        return soft_fail(-EACCES, "%s %.128s: others have access (mode %03o); chmod it to 600",
                         name, path, st.st_mode & 0777);
    return 0;
}

int soft_token_read(const char *name, const char *path, uint8_t bytes[SOFT_TOKEN_MAX],
                    uint32_t *len)
{
    OD_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint8_t text[SOFT_TOKEN_MAX + 2]; /* with a line's end, which does not count */
    int rc = check_file(fd, name, path);
    ssize_t n;

    if (rc != 0)
        return rc;
    n = read(fd, text, sizeof(text));
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
        n--;
    if (n <= 0 || n > (ssize_t)SOFT_TOKEN_MAX)
        return soft_fail(-EINVAL, "%s %.128s: does not hold 1 to %u bytes", name, path,
                         SOFT_TOKEN_MAX);
    memcpy(bytes, text, (size_t)n);
    *len = (uint32_t)n;
    return 0;
}
