/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel writes frames to. */

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soft/nic/af_xdp/module/af_xdp_priv.h"

int af_xdp_area_own(struct af_xdp_area *area, uint32_t frames, uint32_t frame_size)
{
    size_t size = (size_t)frames * frame_size;
    /* Pinned by the kernel, so all of it is touched now. */
    void *at =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (at == MAP_FAILED)
        return soft_fail(-ENOMEM, "no memory for %u frames", frames);
    *area = (struct af_xdp_area){.at = at, .size = size};
    return 0;
}

/* A page where none is. NULL: there is one, or what looks like one; the kernel will tell. */
static char *put_page(uintptr_t at, size_t page)
{
    void *got = mmap((void *)at, page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (got == MAP_FAILED)
        return NULL;
    if (got == (void *)at)
        return got;
    munmap(got, page); /* a kernel that does not know the flag */
    return NULL;
}

/* The kernel wants its headroom in front of the first slot, and a whole frame behind the last one's
 * beginning, although it writes neither: neighbours take part in it, or pages that are put there.
 */
int af_xdp_area_of_ring(struct af_xdp_area *area, const struct soft_nic_area *ring,
                        uint32_t frame_size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), slots = (uintptr_t)ring->slots;
    uintptr_t end = slots + (size_t)ring->num * ring->stride;
    uintptr_t from = (slots - AF_XDP_HEADROOM) & ~(page - 1);
    uintptr_t last = end - ring->stride - AF_XDP_HEADROOM + frame_size, to;

    to = (OD_MAX(last, end) + page - 1) & ~(page - 1);
    *area = (struct af_xdp_area){.at = (char *)from,
                                 .size = to - from,
                                 .slot = ring->slots,
                                 .first = slots - AF_XDP_HEADROOM - from,
                                 .stride = ring->stride};
    if (from < (slots & ~(page - 1)))
        area->before = put_page(from, page);
    if (to > ((end + page - 1) & ~(page - 1)))
        area->end = put_page(to - page, page);
    return 0;
}

void af_xdp_area_free(struct af_xdp_area *area)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (area->at != NULL && area->stride == 0)
        munmap(area->at, area->size);
    if (area->before != NULL)
        munmap(area->before, page);
    if (area->end != NULL)
        munmap(area->end, page);
    *area = (struct af_xdp_area){0};
}
