/* SPDX-License-Identifier: BSD-3-Clause */
/* Send queues of kernels. Slots are read once, and nothing in them is believed: what does not hold
 * ends as a completion with an error, and the queue goes on with the next slot. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <impl/opendoca_gpu_barrier.h>

#include "soft/nic/mkey.h"
#include "soft/nic/packet.h"
#include "soft/nic/ring_priv.h"

/* ------------------------------------------------------------------------------------------------
 * Life
 */

int soft_nic_ring_txq_open(struct soft_nic_port *port, const struct soft_nic_tx_ring *ring,
                           struct soft_nic_ring_txq **out)
{
    struct soft_nic_ring_txq *q = calloc(1, sizeof(*q));
    int err;

    if (q == NULL)
        return soft_fail(-ENOMEM, "no memory for a send queue");
    q->port = port;
    q->ring = *ring;
    err = soft_nic_txq_open(port, &q->txq);
    if (err != 0)
        goto err_free;
    q->scratch_size = soft_nic_txq_max_len(q->txq);
    q->scratch = malloc((size_t)SOFT_NIC_BATCH * q->scratch_size);
    if (q->scratch == NULL) {
        err = soft_fail(-ENOMEM, "no memory for a send queue");
        goto err_close;
    }
    err = soft_nic_fetch_open(ring->gpu, q->scratch_size, &q->fetch);
    if (err != 0)
        goto err_free_scratch;
    err = soft_nic_engine_hold(port);
    if (err != 0)
        goto err_close_fetch;
    soft_nic_engine_add(port, q);
    *out = q;
    return 0;

err_close_fetch:
    soft_nic_fetch_close(q->fetch);
err_free_scratch:
    free(q->scratch);
err_close:
    soft_nic_txq_close(q->txq);
err_free:
    free(q);
    return err;
}

void soft_nic_ring_txq_close(struct soft_nic_ring_txq *q)
{
    if (q == NULL)
        return;
    soft_nic_engine_remove(q);
    soft_nic_engine_release(q->port);
    soft_nic_fetch_close(q->fetch);
    free(q->scratch);
    soft_nic_txq_close(q->txq);
    free(q);
}

uint32_t soft_nic_ring_txq_number(const struct soft_nic_ring_txq *q)
{
    return soft_nic_txq_number(q->txq);
}

const struct soft_nic_counters *soft_nic_ring_txq_counters(const struct soft_nic_ring_txq *q)
{
    return &q->counters;
}

static void count(struct soft_nic_ring_txq *q, enum soft_nic_counter counter, uint64_t n)
{
    soft_nic_add_shared(&q->counters, counter, n);
    soft_nic_add_shared(&q->port->page->counters, counter, n);
}

void soft_nic_ring_txq_lost(struct soft_nic_ring_txq *q, uint64_t n)
{
    count(q, SOFT_NIC_TX_EVENTS_LOST, n);
}

void soft_nic_ring_txq_proxied(struct soft_nic_ring_txq *q, uint64_t calls)
{
    count(q, SOFT_NIC_TX_PROXY_CALLS, calls);
}

/* ------------------------------------------------------------------------------------------------
 * Completions
 */

static uint8_t syndrome_of(int status)
{
    return status == -EMSGSIZE ? OPENDOCA_GPU_SYNDROME_LENGTH : OPENDOCA_GPU_SYNDROME_PORT;
}

static void complete(struct soft_nic_ring_txq *q, uint16_t index, bool notify, uint8_t syndrome)
{
    const struct soft_nic_tx_ring *ring = &q->ring;
    uint64_t *words = (uint64_t *)&ring->cqes[q->completed & (ring->ncqes - 1)];
    unsigned int owner = (q->completed & ring->ncqes) != 0 ? 1 : 0;

    if (od_likely(syndrome == 0 && !notify))
        return;
    opendoca_gpu_poke(&words[0], (uint64_t)opendoca_gpu_swap16(index) << 16);
    opendoca_gpu_poke(&words[6], syndrome != 0 ? opendoca_gpu_syndromes(0, syndrome)
                                               : opendoca_gpu_time_to_be(soft_nic_now()));
    opendoca_gpu_publish(&words[7], opendoca_gpu_cqe_tail(syndrome != 0 ? OPENDOCA_GPU_CQE_TX_ERROR
                                                                        : OPENDOCA_GPU_CQE_TX_OK,
                                                          owner, index));
    q->completed++;
    if (syndrome == 0)
        count(q, SOFT_NIC_TX_NOTIFIED, 1);
    opendoca_gpu_publish(&ring->words->completed, q->completed);
    if (ring->waker != NULL)
        od_waker_wake(ring->waker);
}

/* The slot is over as a whole. */
static void finish(struct soft_nic_ring_txq *q, uint64_t next, uint16_t index, bool notify,
                   uint8_t syndrome)
{
    q->next = next;
    q->seg = 0;
    q->status = 0;
    q->waits_for = 0;
    complete(q, index, notify, syndrome);
    opendoca_gpu_publish(&q->ring.words->taken, next);
}

/* ------------------------------------------------------------------------------------------------
 * Slots
 */

struct slot {
    uint8_t opcode;
    uint8_t nsegs;
    bool notify;
    uint16_t index;
    uint64_t what; /* sums or time */
    uint64_t next; /* the slot behind it */
};

static const uint64_t *words_of(const struct soft_nic_ring_txq *q, uint64_t place)
{
    return (const uint64_t *)&q->ring.slots[place & (q->ring.num - 1)];
}

static bool is_kind(const struct slot *slot)
{
    switch (slot->opcode) {
    case OPENDOCA_GPU_SLOT_SEND:
        return slot->nsegs == 1 || slot->nsegs == 2;
    case OPENDOCA_GPU_SLOT_WAIT:
        return slot->nsegs == 0;
    case OPENDOCA_GPU_SLOT_MULTI:
        return slot->nsegs >= 1 && slot->nsegs <= OPENDOCA_GPU_SEGS_MAX;
    default:
        return false;
    }
}

/* False: what lies there was not written for this place. */
static bool read_slot(const struct soft_nic_ring_txq *q, uint64_t place, struct slot *slot)
{
    const uint64_t *words = words_of(q, place);
    uint64_t control = opendoca_gpu_peek(&words[0]);

    slot->opcode = (uint8_t)control;
    slot->nsegs = (uint8_t)(control >> 8);
    slot->index = (uint16_t)place;
    slot->notify = (control >> 32 & OPENDOCA_GPU_SLOT_NOTIFY) != 0;
    slot->what = opendoca_gpu_peek(&words[2]);
    slot->next = place + 1;
    if ((opendoca_gpu_peek(&words[1]) ^ OPENDOCA_GPU_SLOT_CHECK) != control ||
        (uint16_t)(control >> 16) != slot->index || !is_kind(slot))
        return false;
    if (slot->opcode == OPENDOCA_GPU_SLOT_MULTI)
        slot->next = place + opendoca_gpu_multi_slots(slot->nsegs);
    return slot->next <= q->accepted;
}

static struct opendoca_gpu_slot_seg read_seg(const struct soft_nic_ring_txq *q, uint64_t place,
                                             uint32_t seg)
{
    const uint64_t *words = words_of(q, place + (seg + 2) / 4) + (seg + 2) % 4 * 2;
    uint64_t head = opendoca_gpu_peek(&words[0]);

    return (struct opendoca_gpu_slot_seg){.bytes = (uint32_t)head,
                                          .key_be = (uint32_t)(head >> 32),
                                          .addr = opendoca_gpu_peek(&words[1])};
}

/* Segments from `seg` on that are not empty; those of MULTI may be. */
static uint32_t next_seg(const struct soft_nic_ring_txq *q, const struct slot *slot, uint32_t seg)
{
    while (seg < slot->nsegs && read_seg(q, q->next, seg).bytes == 0)
        seg++;
    return seg;
}

/* ------------------------------------------------------------------------------------------------
 * Frames
 */

/* Where bytes will be that only the GPU reaches. -EACCES: the key does not cover them; -EAGAIN:
 * they have no room in this batch. */
static int fetch_piece(struct soft_nic_ring_txq *q, const struct soft_nic_tx_frame *frame,
                       const struct opendoca_gpu_slot_seg *seg, const char **at)
{
    const struct soft_nic_mkey *what = soft_nic_mkey_find(opendoca_gpu_swap32(seg->key_be),
                                                          q->port->device, seg->addr, seg->bytes);

    if (q->fetch == NULL || what == NULL || !what->can_read || what->memory == NULL ||
        what->memory->gpu != q->ring.gpu)
        return -EACCES;
    q->made[q->nmade].is_fetched = true;
    if (seg->bytes > q->scratch_size || frame->len > q->scratch_size - seg->bytes) {
        *at = (const char *)q->scratch; /* too long to be sent, so nobody reads it */
        return 0;
    }
    *at = soft_nic_fetch_add(q->fetch, what->memory,
                             soft_gpu_at(what->memory, (const void *)(uintptr_t)seg->addr),
                             seg->bytes);
    return *at != NULL ? 0 : -EAGAIN;
}

static int add_piece(struct soft_nic_ring_txq *q, struct soft_nic_tx_frame *frame,
                     struct soft_nic_piece *pieces, const struct opendoca_gpu_slot_seg *seg)
{
    const char *at;
    int err;

    if (seg->bytes == 0)
        return 0;
    at = soft_nic_mkey_reach(opendoca_gpu_swap32(seg->key_be), q->port->device, seg->addr,
                             seg->bytes);
    if (od_unlikely(at == NULL)) {
        err = fetch_piece(q, frame, seg, &at);
        if (err != 0)
            return err;
    }
    pieces[frame->npieces++] = (struct soft_nic_piece){(void *)(uintptr_t)at, seg->bytes};
    frame->len = seg->bytes <= SOFT_NIC_FRAME_MAX ? frame->len + seg->bytes : UINT32_MAX / 2;
    return 0;
}

/* Sums are written into a copy: the program's memory is only read. */
static void sum(struct soft_nic_ring_txq *q, uint32_t place, uint8_t what)
{
    struct soft_nic_tx_frame *frame = &q->frames[place];
    uint8_t *copy = q->scratch + (size_t)place * q->scratch_size;
    struct soft_nic_packet packet;
    uint32_t done = 0;

    if (frame->len > q->scratch_size)
        return; /* it fails anyway */
    for (uint32_t i = 0; i < frame->npieces; i++) {
        memcpy(copy + done, frame->pieces[i].addr, frame->pieces[i].len);
        done += frame->pieces[i].len;
    }
    soft_nic_parse(copy, done, &packet);
    if ((what & OPENDOCA_GPU_SLOT_L3_SUM) != 0)
        soft_nic_l3_sum(copy, &packet);
    if ((what & OPENDOCA_GPU_SLOT_L4_SUM) != 0)
        soft_nic_l4_sum(copy, &packet);
    q->pieces[place][0] = (struct soft_nic_piece){copy, done};
    frame->npieces = 1;
}

/* A frame of segments [seg, end) of the slot at `place`. 0, or as of fetch_piece(). */
static int make_frame(struct soft_nic_ring_txq *q, const struct slot *slot, uint64_t place,
                      uint32_t seg, uint32_t end)
{
    struct soft_nic_tx_frame *frame = &q->frames[q->nmade];

    *frame = (struct soft_nic_tx_frame){.pieces = q->pieces[q->nmade]};
    q->made[q->nmade] = (struct soft_nic_ring_made){
        .next = slot->next,
        .seg = end,
        .notify = slot->notify,
        .sums = (uint8_t)(slot->what & (OPENDOCA_GPU_SLOT_L3_SUM | OPENDOCA_GPU_SLOT_L4_SUM)),
        .index = slot->index};
    for (uint32_t i = seg; i < end; i++) {
        struct opendoca_gpu_slot_seg read = read_seg(q, place, i);
        int err = add_piece(q, frame, q->pieces[q->nmade], &read);

        if (err != 0)
            return err;
    }
    q->nmade++;
    return 0;
}

/* Frames of one slot, from `seg` on. False: no more can be made now; `*bad` tells that the first
 * one that was not made reaches for memory that is not its own. */
static bool make_frames(struct soft_nic_ring_txq *q, const struct slot *slot, uint64_t place,
                        uint32_t seg, bool *bad)
{
    bool is_multi = slot->opcode == OPENDOCA_GPU_SLOT_MULTI;
    int err;

    while (seg < slot->nsegs) {
        uint32_t end = is_multi ? seg + 1 : slot->nsegs;

        if (q->nmade == SOFT_NIC_BATCH)
            return false;
        if (is_multi && read_seg(q, place, seg).bytes == 0) {
            seg = end;
            continue;
        }
        err = make_frame(q, slot, place, seg, end);
        if (err != 0) {
            *bad = err == -EACCES;
            return false;
        }
        seg = end;
    }
    if (q->nmade > 0 && q->made[q->nmade - 1].index == slot->index)
        q->made[q->nmade - 1].is_last = true;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * A step
 */

/* The doorbell is believed as far as it can be true: it lies ahead by no more than the ring, or its
 * lowest 16 bits do. */
static void look_at_doorbell(struct soft_nic_ring_txq *q)
{
    uint64_t rung = opendoca_gpu_observe(&q->ring.words->doorbell);
    uint64_t ahead = rung - q->accepted;

    if (od_likely(rung == q->rung))
        return;
    q->rung = rung;
    count(q, SOFT_NIC_TX_DOORBELLS, 1);
    if (ahead == 0 || ahead > q->ring.num)
        ahead = (uint16_t)(rung - q->accepted);
    if (ahead <= q->ring.num)
        q->accepted += ahead;
}

static bool wait_for_time(struct soft_nic_ring_txq *q, const struct slot *slot, uint64_t *wake_at)
{
    uint64_t time = opendoca_gpu_time_from_be(slot->what), now = soft_nic_now();

    if (q->waits_for == 0) {
        count(q, SOFT_NIC_TX_WAITS, 1);
        if (time < now)
            count(q, SOFT_NIC_TX_LATE, 1);
    }
    if (now < time) {
        q->waits_for = time;
        *wake_at = OD_MIN(*wake_at, time);
        return false;
    }
    finish(q, slot->next, slot->index, slot->notify, 0);
    return true;
}

/* Slots at the front that are no frames; true: the front was dealt with and moved. */
static bool deal_with_front(struct soft_nic_ring_txq *q, uint64_t *wake_at)
{
    struct slot slot;

    if (!read_slot(q, q->next, &slot)) {
        count(q, SOFT_NIC_TX_ERR_SLOT, 1);
        finish(q, q->next + 1, (uint16_t)q->next, false, OPENDOCA_GPU_SYNDROME_SLOT);
        return true;
    }
    if (slot.opcode == OPENDOCA_GPU_SLOT_WAIT)
        return wait_for_time(q, &slot, wake_at);
    if (slot.opcode == OPENDOCA_GPU_SLOT_MULTI && next_seg(q, &slot, q->seg) == slot.nsegs) {
        finish(q, slot.next, slot.index, slot.notify, q->status != 0 ? syndrome_of(q->status) : 0);
        return true;
    }
    return false;
}

/* As many frames as fit from the front on; true: the front itself reaches for what is not its. */
static bool make_batch(struct soft_nic_ring_txq *q)
{
    uint64_t place = q->next;
    uint32_t seg = q->seg;
    bool bad = false;
    struct slot slot;

    q->nmade = 0;
    while (place < q->accepted && read_slot(q, place, &slot) &&
           slot.opcode != OPENDOCA_GPU_SLOT_WAIT && make_frames(q, &slot, place, seg, &bad)) {
        place = slot.next;
        seg = 0;
    }
    return bad && q->nmade == 0;
}

static void note_sent(struct soft_nic_ring_txq *q, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct soft_nic_ring_made *made = &q->made[i];

        if (q->frames[i].status != 0 && q->status == 0)
            q->status = q->frames[i].status;
        if (made->is_last)
            finish(q, made->next, made->index, made->notify,
                   q->status != 0 ? syndrome_of(q->status) : 0);
        else
            q->seg = made->seg;
    }
}

/* The frames of the batch are where the CPU reads them when it returns; those from the first one on
 * that could not be fetched are left out. 0, or the failure: that is the front itself. */
static int finish_batch(struct soft_nic_ring_txq *q)
{
    int err = q->fetch != NULL ? soft_nic_fetch_finish(q->fetch) : 0;
    uint32_t n = 0;

    while (n < q->nmade && (err == 0 || !q->made[n].is_fetched)) {
        if (q->made[n].sums != 0)
            sum(q, n, q->made[n].sums);
        n++;
    }
    q->nmade = n;
    return n == 0 ? err : 0;
}

static void fail_front(struct soft_nic_ring_txq *q, enum soft_nic_counter counter, uint8_t syndrome)
{
    struct slot slot;

    count(q, counter, 1);
    if (!read_slot(q, q->next, &slot))
        slot.next = q->next + 1;
    finish(q, slot.next, (uint16_t)q->next, false, syndrome);
}

static uint32_t send_batch(struct soft_nic_ring_txq *q)
{
    uint32_t sent = 0;
    bool is_bad;
    int err;

    soft_nic_mkeys_enter();
    is_bad = make_batch(q);
    err = finish_batch(q);
    if (q->nmade > 0)
        sent = soft_nic_txq_send(q->txq, q->frames, q->nmade);
    soft_nic_mkeys_leave();
    if (is_bad || err != 0) {
        fail_front(q, is_bad ? SOFT_NIC_TX_ERR_KEY : SOFT_NIC_TX_ERR_PORT,
                   is_bad ? OPENDOCA_GPU_SYNDROME_KEY : OPENDOCA_GPU_SYNDROME_PORT);
        return 1;
    }
    note_sent(q, sent);
    return sent;
}

static bool is_broken(struct soft_nic_ring_txq *q)
{
    if (od_likely(opendoca_gpu_peek32(q->ring.magic) == OPENDOCA_GPU_TXQ_MAGIC))
        return false;
    opendoca_gpu_poke(&q->ring.words->state, OPENDOCA_GPU_QUEUE_BROKEN);
    return true;
}

uint32_t soft_nic_ring_txq_step(struct soft_nic_ring_txq *q, uint64_t *wake_at)
{
    uint32_t fronts = 0;

    look_at_doorbell(q);
    if (q->next == q->accepted || is_broken(q))
        return 0;
    while (fronts < SOFT_NIC_BATCH && q->next != q->accepted && deal_with_front(q, wake_at))
        fronts++;
    if (q->next == q->accepted || q->waits_for != 0)
        return fronts;
    return fronts + send_batch(q);
}
