/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/urom_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"
#include "util/parse.h"

#define CONNECT_TIMEOUT_MS 5000
#define ANSWER_TIMEOUT_MS  30000
#define TIMEOUT_MAX_MS     (24u * 3600 * 1000)

static const char *text(const char *name)
{
    const char *value = secure_getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

static uint32_t milliseconds(const char *name, uint32_t otherwise)
{
    const char *value = text(name);
    uint64_t ms;

    if (value == NULL)
        return otherwise;
    if (od_parse_u64(value, &ms) != 0 || ms > TIMEOUT_MAX_MS) {
        CORE_WARN(CORE_LOG_UROM, "%s is \"%s\", not a number of ms up to %u; taken as %u", name,
                  value, TIMEOUT_MAX_MS, otherwise);
        return otherwise;
    }
    return (uint32_t)ms;
}

void urom_environment_read(struct urom_environment *env)
{
    *env = (struct urom_environment){
        .service_file = text("DOCA_UROM_SERVICE_FILE"),
        .socket = text("DOCA_UROM_SOCKET"),
        .connect_timeout = milliseconds("DOCA_UROM_CONNECT_TIMEOUT_MS", CONNECT_TIMEOUT_MS),
        .answer_timeout = milliseconds("DOCA_UROM_ANSWER_TIMEOUT_MS", ANSWER_TIMEOUT_MS),
        .domain_timeout = milliseconds("DOCA_UROM_DOMAIN_TIMEOUT_MS", 0),
        .has_runtime_dir = text("OPENDOCA_RUNTIME_DIR") != NULL,
    };
}

int urom_environment_secret(uint8_t secret[UROM_SECRET_SIZE], uint32_t *len)
{
    const char *path = text("DOCA_UROM_TOKEN_FILE");
    uint8_t bytes[UROM_SECRET_SIZE + 2]; /* a line's end does not count */
    OD_AUTO_FD int fd = -1;
    struct stat st;
    ssize_t n;

    *len = 0;
    if (path == NULL)
        return 0;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0)
        return soft_fail(-errno, "token file %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return soft_fail(-EINVAL, "token file %s: no regular file", path);
    if ((st.st_mode & 077) != 0)
        return soft_fail(-EACCES, "token file %s: others have access (mode %03o); chmod it to 600",
                         path, st.st_mode & 0777);
    n = read(fd, bytes, sizeof(bytes));
    while (n > 0 && (bytes[n - 1] == '\n' || bytes[n - 1] == '\r'))
        n--;
    if (n <= 0 || n > UROM_SECRET_SIZE)
        return soft_fail(-EINVAL, "token file %s: does not hold 1 to %d bytes", path,
                         UROM_SECRET_SIZE);
    memcpy(secret, bytes, (size_t)n);
    *len = (uint32_t)n;
    return 0;
}
