/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/device_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/cleanup.h"

#define CONFIG_ENV   "OPENDOCA_CONFIG"
#define CONFIG_FILE  "/etc/opendoca/devices.json"
#define CONFIG_MAX   ((size_t)1 << 20) /* bounds the time that reading a wrong file takes */
#define BUILTIN_NAME "built-in"

/* Opens without waiting for a writer, should the name be that of a pipe. */
static int open_file(const char *path, size_t *size)
{
    OD_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) != 0)
        return soft_fail(-errno, "devices file %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return soft_fail(-EINVAL, "devices file %s: not a regular file", path);
    if ((size_t)st.st_size > CONFIG_MAX)
        return soft_fail(-EFBIG, "devices file %s: %lld bytes, allowed: at most %zu", path,
                         (long long)st.st_size, CONFIG_MAX);
    *size = (size_t)st.st_size;
    return od_move_fd(&fd);
}

static int read_file(const char *path, char **text, size_t *len)
{
    size_t size = 0;
    OD_AUTO_FD int fd = open_file(path, &size);
    OD_AUTO_FREE char *buf = NULL;
    size_t got = 0;
    ssize_t n;

    if (fd < 0)
        return fd;
    buf = malloc(size + 1);
    if (buf == NULL)
        return soft_fail(-ENOMEM, "devices file %s: no memory for %zu bytes", path, size);
    while (got < size && (n = read(fd, buf + got, size - got)) != 0) {
        if (n < 0 && errno != EINTR)
            return soft_fail(-errno, "devices file %s: %s", path, strerror(errno));
        got += n > 0 ? (size_t)n : 0;
    }
    *text = od_move_ptr(&buf);
    *len = got;
    return 0;
}

/* Only interfaces of this role's devices: those of the other one are names in another place. */
static void read_ifaces(struct soft_topology *topology, enum soft_role role)
{
    struct soft_device *devices = (struct soft_device *)topology->devices;

    for (uint32_t i = 0; i < topology->ndevices; i++) {
        if (devices[i].role == role && devices[i].iface[0] != '\0')
            soft_device_read_iface(&devices[i]);
        if (role == SOFT_ROLE_DPU && devices[i].rep_iface[0] != '\0')
            soft_device_read_rep_iface(&devices[i]);
    }
}

static int load_file(const char *path, struct soft_topology **topology)
{
    OD_AUTO_FREE char *text = NULL;
    size_t len = 0;
    int err = read_file(path, &text, &len);

    return err != 0 ? err : soft_device_parse(text, len, path, topology);
}

static int load(struct soft_topology **topology)
{
    const char *named = secure_getenv(CONFIG_ENV);
    const char *text = soft_device_builtin();

    if (named != NULL && *named != '\0')
        return load_file(named, topology);
    if (access(CONFIG_FILE, F_OK) == 0)
        return load_file(CONFIG_FILE, topology);
    return soft_device_parse(text, strlen(text), BUILTIN_NAME, topology);
}

static struct {
    pthread_once_t once;
    struct soft_topology *topology;
    int err;
    char reason[SOFT_REASON_SIZE];
} process = {.once = PTHREAD_ONCE_INIT};

static void load_once(void)
{
    enum soft_role role;

    process.err = load(&process.topology);
    if (process.err != 0) {
        snprintf(process.reason, sizeof(process.reason), "%s", soft_reason());
        return;
    }
    /* A wrong role is reported by those who ask for the role. */
    (void)soft_device_role(&role);
    read_ifaces(process.topology, role);
}

int soft_device_topology(const struct soft_topology **topology)
{
    pthread_once(&process.once, load_once);
    if (process.err != 0)
        return soft_fail(process.err, "%s", process.reason);
    *topology = process.topology;
    return 0;
}
