/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/forked.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct od_list all = {&all, &all};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* A program may have closed what is not its own, and the number be another file's. */
static bool is_still(const struct soft_forked *forked)
{
    struct stat status;

    return forked->fd >= 0 && fstat(forked->fd, &status) == 0 && status.st_ino == forked->ino &&
           status.st_dev == forked->dev;
}

/* The mapping has the file open as well. */
static void unshare_map(const struct soft_forked *forked)
{
    void *own = mmap(NULL, forked->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (own == MAP_FAILED)
        return;
    memcpy(own, forked->map, forked->len);
    if (mremap(own, forked->len, forked->len, MREMAP_MAYMOVE | MREMAP_FIXED, forked->map) ==
        MAP_FAILED)
        munmap(own, forked->len);
}

static void give_up(const struct soft_forked *forked)
{
    int nothing;

    if (!forked->keeps_number) {
        close(forked->fd);
        return;
    }
    nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0)
        return;
    dup3(nothing, forked->fd, O_CLOEXEC);
    close(nothing);
}

static void in_child(void)
{
    OD_LIST_FOR_EACH_SAFE(link, &all)
    {
        struct soft_forked *forked = OD_LIST_ENTRY(link, struct soft_forked, link);

        if (forked->map != NULL)
            unshare_map(forked);
        if (is_still(forked))
            give_up(forked);
        forked->fd = -1;
        od_list_remove(link);
    }
    pthread_mutex_unlock(&lock);
}

/* When there is no memory for it, children keep everything. */
static void install_hooks(void)
{
    (void)pthread_atfork(before_fork, after_fork, in_child);
}

void soft_forked_enter(void)
{
    pthread_once(&once, install_hooks);
    pthread_mutex_lock(&lock);
}

void soft_forked_leave(void)
{
    pthread_mutex_unlock(&lock);
}

void soft_forked_add(struct soft_forked *forked)
{
    struct stat status;

    if (forked->fd >= 0 && fstat(forked->fd, &status) == 0) {
        forked->dev = status.st_dev;
        forked->ino = status.st_ino;
    }
    od_list_append(&all, &forked->link);
}

void soft_forked_remove(struct soft_forked *forked)
{
    if (forked->link.next != NULL)
        od_list_remove(&forked->link);
}
