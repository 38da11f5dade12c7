/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/copy/range.h"

#include <errno.h>
#include <stdlib.h>

#include "soft/copy/choice.h"
#include "util/abreast.h"

/* --- between two addresses of this process --- */

struct span {
    soft_copy_loop_fn fn;
    void *dst;
    const void *src;
    size_t len;
};

SOFT_COPY_RAW static void copy_span(void *arg)
{
    struct span *span = arg;

    span->fn(span->dst, span->src, span->len);
}

SOFT_COPY_RAW static void copy_short_span(void *arg)
{
    struct span *span = arg;

    soft_copy_short(span->dst, span->src, span->len);
}

static int copy_local(void *dst, const void *src, size_t len, uint64_t total)
{
    struct span span = {.dst = dst, .src = src, .len = len};
    struct soft_copy_guard *guard = soft_copy_guard_own();
    struct soft_copy_choice choice;
    uint64_t began;
    int err;

    soft_copy_guard_span(guard, dst, src, len);
    if (len < SOFT_COPY_CHOICE_MIN)
        return soft_copy_guard_call(guard, copy_short_span, &span);
    choice = soft_copy_choose(total, len);
    span.fn = choice.fn;
    if (choice.pick.timing == SOFT_CHOOSER_UNTIMED)
        return soft_copy_guard_call(guard, copy_span, &span);
    began = soft_copy_now();
    err = soft_copy_guard_call(guard, copy_span, &span);
    if (err == 0)
        soft_chooser_learn(choice.chooser, choice.pick,
                           soft_chooser_cost(soft_copy_now() - began, len));
    return err;
}

/* --- far memory --- */

static int job_status(int err)
{
    switch (err) {
    case 0:
    case -EFAULT:
    case -EPERM:
    case -EACCES:
    case -ENOTCONN:
        return err;
    case -ERANGE:
        return -EFAULT;
    default:
        return -EIO;
    }
}

void soft_copy_vector_drop(struct soft_copy_vector *vector)
{
    vector->nlocal = 0;
    vector->nremote = 0;
}

int soft_copy_vector_flush(struct soft_copy_vector *vector)
{
    uint32_t nlocal = vector->nlocal, nremote = vector->nremote;

    if (nlocal == 0)
        return 0;
    soft_copy_vector_drop(vector);
    return job_status(
        vector->to_peer
            ? soft_peer_writev(vector->map, vector->local, nlocal, vector->remote, nremote)
            : soft_peer_readv(vector->map, vector->local, nlocal, vector->remote, nremote));
}

static bool vector_takes(const struct soft_copy_vector *vector, const struct soft_peer_map *map,
                         bool to_peer)
{
    return vector->nlocal == 0 || (vector->map == map && vector->to_peer == to_peer);
}

/* One more iovec, or a longer last one. */
static void extend(struct iovec *iov, uint32_t *n, uint64_t addr, size_t len)
{
    struct iovec *last = iov + *n - 1;

    if (*n > 0 && (uintptr_t)last->iov_base + last->iov_len == addr) {
        last->iov_len += len;
        return;
    }
    iov[*n].iov_base = (void *)(uintptr_t)addr;
    iov[*n].iov_len = len;
    *n += 1;
}

static int vector_add(struct soft_copy_vector *vector, struct soft_peer_map *map, bool to_peer,
                      uint64_t local, uint64_t remote, size_t len)
{
    int err = 0;

    if (!vector_takes(vector, map, to_peer) || vector->nlocal == SOFT_COPY_VECTOR ||
        vector->nremote == SOFT_COPY_VECTOR)
        err = soft_copy_vector_flush(vector);
    vector->map = map;
    vector->to_peer = to_peer;
    extend(vector->local, &vector->nlocal, local, len);
    extend(vector->remote, &vector->nremote, remote, len);
    return err;
}

/* --- one piece: contiguous on both sides --- */

/* Where a segment's bytes are for this process. */
struct place {
    struct soft_peer_map *far; /* NULL: `addr` can be dereferenced here */
    uint64_t addr;
};

/* The bracket around mapped peer memory that is held for the side that is being walked. */
struct side {
    const struct soft_seg *seg;
    uint32_t left; /* segments from here on */
    size_t offset; /* in *seg */
    bool write;
    struct soft_peer_map *held;
};

static void let_go(struct side *side)
{
    if (side->held != NULL)
        soft_peer_end(side->held);
    side->held = NULL;
}

static int hold(struct soft_copy_lane *lane, struct side *side, struct soft_peer_map *map)
{
    int err;

    if (side->held == map)
        return 0;
    err = soft_copy_vector_flush(&lane->vector); /* it may point into what is let go now */
    let_go(side);
    if (err == 0)
        err = job_status(soft_peer_begin(map));
    if (err == 0)
        side->held = map;
    return err;
}

/* What the peer room checks by itself in far memory. */
static int check_mapped(const struct soft_peer_map *map, uint64_t addr, size_t len, bool write)
{
    struct soft_peer_info info;
    uint64_t offset;

    soft_peer_map_info(map, &info);
    offset = addr - (uintptr_t)info.addr;
    if (od_unlikely(offset > info.len || len > info.len - offset))
        return -EFAULT;
    return (info.access & (write ? SOFT_PEER_WRITE : SOFT_PEER_READ)) != 0 ? 0 : -EACCES;
}

static int find_place(struct soft_copy_lane *lane, struct side *side, size_t len,
                      struct place *place)
{
    struct soft_peer_map *map = side->seg->peer;
    void *local;
    int err;

    place->addr = side->seg->addr + side->offset;
    place->far = NULL;
    if (od_likely(map == NULL))
        return 0;
    local = soft_peer_local(map, place->addr);
    if (local == NULL) {
        place->far = map;
        return 0;
    }
    err = check_mapped(map, place->addr, len, side->write);
    place->addr = (uintptr_t)local;
    return err != 0 ? err : hold(lane, side, map);
}

static int copy_far_to_far(struct soft_copy_lane *lane, const struct place *src,
                           const struct place *dst, size_t len)
{
    for (size_t done = 0; done < len;) {
        size_t part = OD_MIN(len - done, (size_t)SOFT_COPY_BOUNCE);
        struct iovec local = {.iov_base = od_abreast(lane->bounce, src->addr), .iov_len = part};
        struct iovec from = {(void *)(uintptr_t)(src->addr + done), part};
        struct iovec to = {(void *)(uintptr_t)(dst->addr + done), part};
        int err = soft_peer_readv(src->far, &local, 1, &from, 1);

        if (err == 0)
            err = soft_peer_writev(dst->far, &local, 1, &to, 1);
        if (err != 0)
            return job_status(err);
        done += part;
    }
    return 0;
}

static int copy_piece(struct soft_copy_lane *lane, struct side *from, struct side *to, size_t len,
                      uint64_t total)
{
    struct place src, dst;
    int err = find_place(lane, from, len, &src);

    if (err == 0)
        err = find_place(lane, to, len, &dst);
    if (err != 0)
        return err;
    if (src.far == NULL && dst.far == NULL)
        return copy_local((void *)(uintptr_t)dst.addr, (const void *)(uintptr_t)src.addr, len,
                          total);
    if (src.far != NULL && dst.far != NULL)
        return copy_far_to_far(lane, &src, &dst, len);
    if (src.far != NULL)
        return vector_add(&lane->vector, src.far, false, dst.addr, src.addr, len);
    return vector_add(&lane->vector, dst.far, true, src.addr, dst.addr, len);
}

/* --- lists --- */

/* Goes on by `by` bytes and past what is used up or empty. False when the list ends there. */
static bool advance(struct side *side, uint64_t by)
{
    while (side->left > 0) {
        size_t rest = side->seg->len - side->offset;

        if (by < rest) {
            side->offset += by;
            return true;
        }
        by -= rest;
        side->seg++;
        side->left--;
        side->offset = 0;
    }
    return false;
}

int soft_copy_range(struct soft_copy_lane *lane, const struct soft_copy_job *job, uint64_t off,
                    uint64_t len)
{
    struct side from = {.seg = job->src, .left = job->nsrc};
    struct side to = {.seg = job->dst, .left = job->ndst, .write = true};
    uint64_t step = off;
    int err = 0;

    while (len > 0 && err == 0) {
        size_t part;

        if (!advance(&from, step) || !advance(&to, step)) {
            err = -EFAULT;
            break;
        }
        part = OD_MIN(from.seg->len - from.offset, to.seg->len - to.offset);
        part = OD_MIN(part, len);
        err = copy_piece(lane, &from, &to, part, job->len);
        len -= part;
        step = part;
    }
    if (err == 0)
        err = soft_copy_vector_flush(&lane->vector);
    else
        soft_copy_vector_drop(&lane->vector);
    let_go(&from);
    let_go(&to);
    return err;
}

/* --- small jobs in one call --- */

static bool all_local(const struct soft_seg *seg, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (seg[i].peer != NULL)
            return false;
    }
    return true;
}

/* The one far peer of all segments, or NULL. */
static struct soft_peer_map *one_far_peer(const struct soft_seg *seg, uint32_t n)
{
    struct soft_peer_map *map = n > 0 ? seg[0].peer : NULL;

    for (uint32_t i = 1; i < n; i++) {
        if (seg[i].peer != map)
            return NULL;
    }
    return map != NULL && soft_peer_local(map, seg[0].addr) == NULL ? map : NULL;
}

static bool covers(const struct soft_seg *seg, uint32_t n, uint64_t len)
{
    for (uint32_t i = 0; i < n && len > 0; i++)
        len -= OD_MIN((uint64_t)seg[i].len, len);
    return len == 0;
}

static void add_list(struct iovec *iov, uint32_t *n, const struct soft_seg *seg, uint64_t len)
{
    for (; len > 0; seg++) {
        size_t part = OD_MIN((uint64_t)seg->len, len);

        if (part > 0)
            extend(iov, n, seg->addr, part);
        len -= part;
    }
}

bool soft_copy_vector_add_job(struct soft_copy_vector *vector, const struct soft_copy_job *job)
{
    bool to_peer = all_local(job->src, job->nsrc);
    const struct soft_seg *local = to_peer ? job->src : job->dst;
    const struct soft_seg *remote = to_peer ? job->dst : job->src;
    uint32_t nlocal = to_peer ? job->nsrc : job->ndst;
    uint32_t nremote = to_peer ? job->ndst : job->nsrc;
    struct soft_peer_map *map = one_far_peer(remote, nremote);

    if (map == NULL || !vector_takes(vector, map, to_peer) || !all_local(local, nlocal) ||
        nlocal > SOFT_COPY_VECTOR - vector->nlocal ||
        nremote > SOFT_COPY_VECTOR - vector->nremote || !covers(local, nlocal, job->len) ||
        !covers(remote, nremote, job->len))
        return false;
    vector->map = map;
    vector->to_peer = to_peer;
    add_list(vector->local, &vector->nlocal, local, job->len);
    add_list(vector->remote, &vector->nremote, remote, job->len);
    return true;
}

int soft_copy_lane_init(struct soft_copy_lane *lane)
{
    soft_copy_vector_drop(&lane->vector);
    lane->bounce = od_abreast_alloc(SOFT_COPY_BOUNCE);
    return lane->bounce != NULL ? 0 : soft_fail(-ENOMEM, "no memory for a bounce buffer");
}

void soft_copy_lane_fini(struct soft_copy_lane *lane)
{
    free(lane->bounce);
    lane->bounce = NULL;
}
