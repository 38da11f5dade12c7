/* SPDX-License-Identifier: BSD-3-Clause */
/* A wire in software: what one device receives the other one sends, both ways, without copying.
 *
 *     eth_l2_forward [-d DEVICE] [-e OTHER_DEVICE] [-n FRAMES]
 *
 * Ends after that many frames, or at Ctrl-C.
 */

#include <signal.h>
#include <stdio.h>

#include "../../common/packets.h"

static volatile sig_atomic_t is_over;

struct direction {
    struct packets_rxq rxq;
    struct packets_txq txq;
    uint64_t dropped; /* the other side is slower */
};

static void on_signal(int signal)
{
    (void)signal;
    is_over = 1;
}

static void forward(struct packets_rxq *rxq, struct doca_buf *pkt)
{
    struct direction *direction = rxq->user;

    if (!is_over && packets_send_buf(&direction->txq, pkt) == DOCA_SUCCESS)
        return; /* released when it has been sent */
    direction->dropped++;
    doca_buf_dec_refcount(pkt, NULL);
}

static doca_error_t open_direction(struct packets *p, struct direction *direction, uint32_t from,
                                   uint32_t to)
{
    doca_error_t result = packets_txq_open(p, to, &direction->txq);

    direction->rxq.handle = forward;
    direction->rxq.user = direction;
    if (result == DOCA_SUCCESS)
        result = packets_rxq_open(p, from, 0, &direction->rxq);
    if (result == DOCA_SUCCESS)
        result = packets_all_to_queue(p, from, 0);
    return result;
}

static uint64_t forwarded(const struct direction *direction)
{
    return direction->txq.sent + direction->txq.failed + direction->dropped;
}

static void print(const char *from, const char *to, const struct direction *direction)
{
    printf("%s to %s: %llu forwarded, %llu failed, %llu dropped\n", from, to,
           (unsigned long long)direction->txq.sent, (unsigned long long)direction->txq.failed,
           (unsigned long long)direction->dropped);
}

int main(int argc, char **argv)
{
    struct packets_options options = {.names = {"0000:03:00.0", "0000:03:00.1"}, .count = 0};
    struct direction there = {0}, back = {0};
    struct packets p = {0};
    doca_error_t result = packets_arguments(&options, argc, argv);

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (result == DOCA_SUCCESS)
        result = packets_open(&p, options.names, 2);
    if (result == DOCA_SUCCESS)
        result = open_direction(&p, &there, 0, 1);
    if (result == DOCA_SUCCESS)
        result = open_direction(&p, &back, 1, 0);
    if (result == DOCA_SUCCESS) {
        puts("forwarding");
        fflush(stdout);
        while (!is_over &&
               (options.count == 0 || forwarded(&there) + forwarded(&back) < options.count))
            doca_pe_progress(p.pe);
        print(options.names[0], options.names[1], &there);
        print(options.names[1], options.names[0], &back);
    }
    is_over = 1;
    /* First what sends: it holds buffers of what receives. */
    packets_txq_close(&there.txq);
    packets_txq_close(&back.txq);
    packets_rxq_close(&there.rxq);
    packets_rxq_close(&back.rxq);
    packets_close(&p);
    return packets_exit(result);
}
