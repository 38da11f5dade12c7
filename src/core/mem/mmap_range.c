/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory maps: the range. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem/mem_priv.h"
#include "util/cleanup.h"

/* Address, length and, for what overflows, the end. */
static doca_error_t check_range(const struct doca_mmap *mmap, uint64_t addr, size_t len,
                                const char *func)
{
    uint64_t end;

    if (len == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, func, mmap->name, "len",
                         "0" CORE_LIMIT "at least 1");
    if (__builtin_add_overflow(addr, len, &end))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, func, mmap->name, "len",
                         "%zu from address %#" PRIx64 CORE_LIMIT "%" PRIu64 CORE_REMEDY
                         "the range must not wrap around the address space",
                         len, addr, UINT64_MAX - addr);
    return DOCA_SUCCESS;
}

/* May the map be given a range now? */
static doca_error_t check_can_set(const struct doca_mmap *mmap, const char *func)
{
    doca_error_t result = core_mmap_check_config(core_mmap_of(mmap), DOCA_ERROR_BAD_STATE, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (mmap->len != 0)
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_MMAP, func, mmap->name, "memory range",
                         "%p+%zu, set before" CORE_LIMIT "set once" CORE_REMEDY
                         "create another map for another range",
                         (void *)mmap->addr, mmap->len);
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (addr == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "addr");
    result = check_range(mmap, (uintptr_t)addr, len, __func__);
    if (result == DOCA_SUCCESS)
        result = check_can_set(mmap, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    mmap->addr = addr;
    mmap->len = len;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (addr == NULL || len == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, addr == NULL ? "addr" : "len");
    if (mmap->len == 0)
        return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_MMAP, __func__, mmap->name, "memory range",
                         "not set" CORE_REMEDY "call doca_mmap_set_memrange() first");
    *addr = mmap->addr;
    *len = mmap->len;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len)
{
    doca_error_t result;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (dpa == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "dpa");
    result = check_range(mmap, dpa_addr, len, __func__);
    if (result == DOCA_SUCCESS)
        result = check_can_set(mmap, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_MMAP, __func__, mmap->name, "dpa",
                     "%p, there is no DPA processor" CORE_REMEDY
                     "use memory of the process with doca_mmap_set_memrange()",
                     (void *)dpa);
}

/* ------------------------------------------------------------------------------------------------
 * dmabuf: a file that can be mapped
 *
 * Tasks name the memory by the caller's address, so that is where it has to be. Where the program
 * has the file mapped there already, its mapping is used; else the library makes one.
 */

/* The pages that hold the range. */
struct file_pages {
    int fd;
    char *addr;
    size_t len;
    size_t offset;
    ino_t inode;
};

/* Moves `at` to the end of the area that a line of /proc/self/maps describes, when `at` lies in
 * that area and the area shows the right part of the file. */
static void follow_line(const char *line, const struct file_pages *pages, uintptr_t *at)
{
    uintptr_t start, end;
    uint64_t offset, inode;

    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64 " %*s %" SCNu64, &start, &end,
               &offset, &inode) != 4)
        return;
    if (start > *at || end <= *at)
        return;
    /* The device number is of no use: maps and fstat() name different ones on stacked file
     * systems. */
    if (inode == pages->inode && offset - start == pages->offset - (uintptr_t)pages->addr)
        *at = end;
}

static bool is_mapped_by_program(const struct file_pages *pages)
{
    OD_AUTO_FILE FILE *maps = fopen("/proc/self/maps", "re");
    OD_AUTO_FREE char *line = NULL;
    uintptr_t at = (uintptr_t)pages->addr;
    size_t cap = 0;

    if (maps == NULL)
        return false;
    while (at < (uintptr_t)pages->addr + pages->len && getline(&line, &cap, maps) > 0)
        follow_line(line, pages, &at);
    return at >= (uintptr_t)pages->addr + pages->len;
}

static void *map_shared(const struct file_pages *pages)
{
    const int flags = MAP_SHARED | MAP_FIXED_NOREPLACE;
    const off_t offset = (off_t)pages->offset;
    void *at = mmap(pages->addr, pages->len, PROT_READ | PROT_WRITE, flags, pages->fd, offset);

    if (at == MAP_FAILED && errno == EACCES)
        at = mmap(pages->addr, pages->len, PROT_READ, flags, pages->fd, offset);
    return at;
}

static doca_error_t check_file(const struct doca_mmap *mmap, const char *func, int fd, size_t end,
                               ino_t *inode)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, func, mmap->name, "dmabuf_fd",
                         "%d, %s" CORE_REMEDY "pass an open descriptor", fd, strerror(errno));
    if (S_ISREG(st.st_mode) && (uint64_t)st.st_size < end)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, func, mmap->name,
                         "dmabuf_offset + len",
                         "%zu" CORE_LIMIT "%" PRIu64 ", the size of the file" CORE_REMEDY
                         "name a range inside the file",
                         end, (uint64_t)st.st_size);
    *inode = st.st_ino;
    return DOCA_SUCCESS;
}

static doca_error_t place_pages(struct core_mmap *map, const struct file_pages *pages,
                                const char *func)
{
    void *at = map_shared(pages);

    if (at == pages->addr) {
        map->dmabuf_map = at;
        map->dmabuf_map_len = pages->len;
        return DOCA_SUCCESS;
    }
    if (at != MAP_FAILED) /* a kernel that takes the address for a hint */
        munmap(at, pages->len);
    else if (errno != EEXIST)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, func, map->pub.name, "dmabuf_fd",
                         "%d, cannot be mapped at %p: %s" CORE_REMEDY
                         "pass a file that mmap() takes, such as a memfd",
                         pages->fd, (void *)pages->addr, strerror(errno));
    if (!is_mapped_by_program(pages))
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, func, map->pub.name, "addr",
                         "%p, where something else is mapped" CORE_LIMIT
                         "free pages, or a mapping of this part of the file",
                         (void *)pages->addr);
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t lead = dmabuf_offset % page;
    struct file_pages pages = {.fd = dmabuf_fd};
    doca_error_t result;
    size_t end;

    if (!core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_MMAP, __func__, "mmap", mmap);
    if (addr == NULL)
        return CORE_FAIL_NULL(CORE_LOG_MMAP, __func__, "addr");
    result = check_range(mmap, (uintptr_t)addr, len, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    if (__builtin_add_overflow(dmabuf_offset, len, &end) || end > INT64_MAX)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name,
                         "dmabuf_offset", "%zu" CORE_LIMIT "%" PRIu64 " less len", dmabuf_offset,
                         (uint64_t)INT64_MAX);
    result = check_can_set(mmap, __func__);
    if (result == DOCA_SUCCESS)
        result = check_file(mmap, __func__, dmabuf_fd, end, &pages.inode);
    if (result != DOCA_SUCCESS)
        return result;
    if ((uintptr_t)addr % page != lead)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_MMAP, __func__, mmap->name, "addr",
                         "%p" CORE_LIMIT "%zu bytes into a page, as dmabuf_offset %zu", addr, lead,
                         dmabuf_offset);
    pages.addr = (char *)addr - lead;
    pages.len = len + lead;
    pages.offset = dmabuf_offset - lead;
    result = place_pages(core_mmap_of(mmap), &pages, __func__);
    if (result != DOCA_SUCCESS)
        return result;
    mmap->addr = addr;
    mmap->len = len;
    return DOCA_SUCCESS;
}
