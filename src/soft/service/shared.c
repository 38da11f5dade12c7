/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int soft_service_shared_create(const char *name, size_t size, void **addr, int *fd)
{
    const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int file = memfd_create(name, flags | MFD_NOEXEC_SEAL);
    void *p;
    int rc;

    if (file < 0 && errno == EINVAL)
        file = memfd_create(name, flags);
    if (file < 0)
        return -errno;
    if (ftruncate(file, (off_t)size) != 0 || fcntl(file, F_ADD_SEALS, SEALS) != 0) {
        rc = -errno;
        goto err_close;
    }
    p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (p == MAP_FAILED) {
        rc = -errno;
        goto err_close;
    }
    *addr = p;
    *fd = file;
    return 0;

err_close:
    close(file);
    return rc;
}

int soft_service_shared_map(int fd, size_t size, void **addr)
{
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat st;
    void *p;

    /* Without the seal its owner could shrink it, and an access would raise SIGBUS. */
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &st) != 0 ||
        (uint64_t)st.st_size != size)
        return -EBADMSG;
    p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return -errno;
    *addr = p;
    return 0;
}
