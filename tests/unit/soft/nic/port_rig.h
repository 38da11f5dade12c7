/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_SOFT_NIC_PORT_RIG_H_
#define TESTS_UNIT_SOFT_NIC_PORT_RIG_H_

/* A port with a receive and a send queue, by itself. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "soft/nic/nic_priv.h"

#define RIG_DEPTH 64u
#define RIG_ROOM  2048u

struct rig {
    struct soft_device device;
    struct soft_nic_port *port;
    struct soft_nic_rxq *rxq;
    struct soft_nic_txq *txq;
    uint8_t mem[RIG_DEPTH][RIG_ROOM];
    uint32_t posted;
};

static inline void rig_post(struct rig *rig)
{
    struct soft_nic_post *post;

    while ((post = soft_nic_rxq_next(rig->rxq)) != NULL) {
        post->cookie = rig->mem[rig->posted % RIG_DEPTH];
        post->place = (struct soft_nic_piece){post->cookie, RIG_ROOM};
        soft_nic_rxq_post(rig->rxq);
        rig->posted++;
    }
}

static inline void rig_open(struct rig *rig, const char *port)
{
    const struct soft_nic_rxq_conf conf = {.depth = RIG_DEPTH};

    memset(rig, 0, sizeof(*rig));
    snprintf(rig->device.port, sizeof(rig->device.port), "%s", port);
    rig->device.mtu = 1500;
    rig->device.unmatched = SOFT_UNMATCHED_QUEUES;
    if (soft_nic_port_hold(&rig->device, &rig->port) != 0)
        fail_msg("%s", soft_reason());
    assert_int_equal(soft_nic_rxq_open(rig->port, &conf, &rig->rxq), 0);
    assert_int_equal(soft_nic_txq_open(rig->port, &rig->txq), 0);
    rig_post(rig);
}

static inline void rig_close(struct rig *rig)
{
    soft_nic_txq_close(rig->txq);
    soft_nic_rxq_close(rig->rxq);
    assert_true(soft_nic_port_adds_up(rig->port));
    soft_nic_port_release(rig->port);
}

/* A frame whose bytes tell its number; returns its status. */
static inline int rig_send(struct rig *rig, uint8_t number, uint32_t len)
{
    uint8_t bytes[RIG_ROOM];
    struct soft_nic_piece piece = {bytes, len};
    struct soft_nic_tx_frame frame = {.pieces = &piece, .npieces = 1, .len = len};

    memset(bytes, number, sizeof(bytes));
    assert_int_equal(soft_nic_txq_send(rig->txq, &frame, 1), 1);
    return frame.status;
}

/* One look at the port. Another thread that writes its page now and then is waited for; it does so
 * five times a second. */
static inline uint32_t rig_drive(struct rig *rig)
{
    uint32_t n = soft_nic_port_drive(rig->port);

    for (int tries = 0; n == 0 && tries < 10; tries++) {
        soft_nic_port_lock(rig->port);
        soft_nic_port_unlock(rig->port);
        n = soft_nic_port_drive(rig->port);
    }
    return n;
}

static inline struct soft_nic_post *rig_take(struct rig *rig)
{
    struct soft_nic_post *post = soft_nic_rxq_take(rig->rxq);

    return post == NULL && rig_drive(rig) > 0 ? soft_nic_rxq_take(rig->rxq) : post;
}

/* The number of the next frame that is there; -1: none. Its place is posted again. */
static inline int rig_receive(struct rig *rig, uint32_t *len)
{
    struct soft_nic_post *post = rig_take(rig);
    int number;

    if (post == NULL)
        return -1;
    number = ((uint8_t *)post->cookie)[0];
    if (len != NULL)
        *len = post->len;
    soft_nic_rxq_done(rig->rxq);
    rig_post(rig);
    return number;
}

static inline uint64_t rig_count(const struct rig *rig, enum soft_nic_counter counter)
{
    return soft_nic_count(soft_nic_port_counters(rig->port), counter);
}

#endif /* TESTS_UNIT_SOFT_NIC_PORT_RIG_H_ */
