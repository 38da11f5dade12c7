/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending: through the queue's socket, or, while its memory is a program's ring, through the packet
 * socket of the port. */

#include <errno.h>
#include <linux/if_packet.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

#include "soft/nic/af_xdp/module/af_xdp_priv.h"

#define PIECES 256u /* of a call's frames together */

void af_xdp_queue_lock_sending(struct af_xdp_queue *self)
{
    while (atomic_exchange_explicit(&self->sending, true, memory_order_acquire))
        sched_yield();
}

void af_xdp_queue_unlock_sending(struct af_xdp_queue *self)
{
    atomic_store_explicit(&self->sending, false, memory_order_release);
}

/* Places of frames that are out. */
static void reclaim(struct af_xdp_queue *self)
{
    uint32_t at, n = xsk_ring_cons__peek(&self->completed, self->completed.size, &at);

    for (uint32_t i = 0; i < n; i++)
        self->free[self->nfree++] = *xsk_ring_cons__comp_addr(&self->completed, at + i);
    if (n > 0)
        xsk_ring_cons__release(&self->completed, n);
}

static void gather(char *to, const struct soft_nic_tx_frame *frame)
{
    for (uint32_t i = 0; i < frame->npieces; i++) {
        memcpy(to, frame->pieces[i].addr, frame->pieces[i].len);
        to += frame->pieces[i].len;
    }
}

static uint32_t put(struct af_xdp_queue *self, const struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t at;

    n = OD_MIN(n, self->nfree);
    n = OD_MIN(n, xsk_prod_nb_free(&self->tx, n));
    if (n == 0 || xsk_ring_prod__reserve(&self->tx, n, &at) != n)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        struct xdp_desc *desc = xsk_ring_prod__tx_desc(&self->tx, at + i);

        desc->addr = self->free[--self->nfree];
        desc->len = frames[i].len;
        desc->options = 0;
        gather(self->area.at + desc->addr, &frames[i]);
    }
    xsk_ring_prod__submit(&self->tx, n);
    return n;
}

static uint32_t waiting(const struct af_xdp_queue *self)
{
    return self->tx.cached_prod - __atomic_load_n(self->tx.consumer, __ATOMIC_ACQUIRE);
}

/* Makes the kernel send, which takes some frames a call. 0, or why it does not. */
static int kick(struct af_xdp_queue *self)
{
    uint32_t before = waiting(self);

    while (before > 0 && xsk_ring_prod__needs_wakeup(&self->tx)) {
        uint32_t now;
        int err = 0;

        if (sendto(xsk_socket__fd(self->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) < 0)
            err = errno;
        now = waiting(self);
        if (err != 0 && err != EAGAIN && err != EBUSY && err != ENOBUFS && err != EINTR)
            return -err;
        /* Full for now, or only woken, whatever it says: the next call goes on. */
        if (now == before)
            return 0;
        before = now;
    }
    return 0;
}

/* A dead interface takes nothing: what was just put comes back, as far as the kernel has not got
 * it. Only where it takes frames in our own calls. */
static uint32_t take_back(struct af_xdp_queue *self, uint32_t n)
{
    uint32_t left = OD_MIN(waiting(self), n);

    for (uint32_t i = 0; i < left; i++)
        self->free[self->nfree++] =
            xsk_ring_prod__tx_desc(&self->tx, self->tx.cached_prod - 1 - i)->addr;
    self->tx.cached_prod -= left;
    __atomic_store_n(self->tx.producer, self->tx.cached_prod, __ATOMIC_RELEASE);
    return left;
}

/* The kernel that copies takes no more for now: the other end of the interface has not been looked
 * at. It does not go on by itself. */
static void note_stuck(struct af_xdp_queue *self, int err)
{
    bool is_stuck = err == 0 && self->copies && waiting(self) > 0;

    if (od_unlikely(is_stuck != atomic_load_explicit(&self->is_stuck, memory_order_relaxed)))
        atomic_store_explicit(&self->is_stuck, is_stuck, memory_order_relaxed);
}

static bool is_stuck(const struct af_xdp_queue *self)
{
    return od_unlikely(atomic_load_explicit(&self->is_stuck, memory_order_relaxed));
}

static uint32_t tx_socket(struct af_xdp_queue *self, struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t taken, failed = 0;
    int err;

    reclaim(self);
    if (is_stuck(self))
        note_stuck(self, kick(self));
    if (is_stuck(self))
        return 0;
    taken = put(self, frames, n);
    err = kick(self);
    if (od_unlikely(err != 0) && self->copies)
        failed = take_back(self, taken);
    note_stuck(self, err);
    for (uint32_t i = 0; i < taken; i++)
        frames[i].status = i < taken - failed ? 0 : err;
    return taken;
}

void af_xdp_queue_carry_on(struct af_xdp_queue *self)
{
    if (!is_stuck(self) || atomic_exchange_explicit(&self->sending, true, memory_order_acquire))
        return; /* who sends carries on as well */
    if (self->free != NULL)
        note_stuck(self, kick(self));
    af_xdp_queue_unlock_sending(self);
}

/* ------------------------------------------------------------------------------------------------
 * Through the packet socket
 */

struct call {
    struct sockaddr_ll to;
    struct mmsghdr messages[SOFT_NIC_BATCH];
    struct iovec pieces[PIECES];
};

/* As many as one call takes. */
static uint32_t collect(struct call *call, const struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t used = 0, i;

    for (i = 0; i < OD_MIN(n, SOFT_NIC_BATCH) && used + frames[i].npieces <= PIECES; i++) {
        call->messages[i].msg_hdr = (struct msghdr){.msg_name = &call->to,
                                                    .msg_namelen = sizeof(call->to),
                                                    .msg_iov = &call->pieces[used],
                                                    .msg_iovlen = frames[i].npieces};
        for (uint32_t k = 0; k < frames[i].npieces; k++)
            call->pieces[used++] =
                (struct iovec){frames[i].pieces[k].addr, frames[i].pieces[k].len};
    }
    return i;
}

static uint32_t tx_packets(struct af_xdp_queue *self, struct soft_nic_tx_frame *frames, uint32_t n)
{
    struct call call = {.to = {.sll_family = AF_PACKET, .sll_ifindex = self->conf.ifindex}};
    uint32_t done = 0;

    while (done < n) {
        uint32_t some = collect(&call, frames + done, n - done);
        int sent = some > 0 ? sendmmsg(self->conf.packet_fd, call.messages, some, MSG_DONTWAIT) : 0;
        int err = some == 0 ? EMSGSIZE : errno;

        for (int i = 0; i < sent; i++)
            frames[done++].status = 0;
        if (sent > 0)
            continue;
        /* Full for now; the next call goes on. */
        if (err == EAGAIN || err == ENOBUFS || err == EINTR)
            break;
        frames[done++].status = -err;
    }
    return done;
}

uint32_t af_xdp_queue_tx(struct af_xdp_queue *self, struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint32_t taken;

    af_xdp_queue_lock_sending(self);
    taken = self->free != NULL ? tx_socket(self, frames, n) : tx_packets(self, frames, n);
    af_xdp_queue_unlock_sending(self);
    return taken;
}
