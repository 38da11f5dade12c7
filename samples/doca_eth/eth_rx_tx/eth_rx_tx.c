/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends numbered frames out of one device and receives them on another one.
 *
 *     eth_rx_tx [-d FROM] [-e TO] [-n FRAMES]
 *
 * The two devices are the ends of one wire: a veth pair, a cable, or "port": "loop:NAME" of both in
 * the devices file, which needs no rights.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../../common/packets.h"

#define FRAME   64u
#define AHEAD   128u /* frames that were sent and have not arrived */
#define SECONDS 30.0 /* without a frame: the rest is lost */

struct receiver {
    uint32_t next;  /* number of the frame that should come */
    uint64_t wrong; /* frames that are not of this program, or out of order */
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void make_frame(uint8_t frame[FRAME], uint32_t number)
{
    static const uint8_t head[] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};

    memset(frame, 0, FRAME);
    memcpy(frame, head, sizeof(head));
    memcpy(frame + sizeof(head), &number, sizeof(number));
}

static void handle(struct packets_rxq *rxq, struct doca_buf *pkt)
{
    struct receiver *receiver = rxq->user;
    uint8_t wanted[FRAME];
    size_t len = 0;
    void *data;

    doca_buf_get_data(pkt, &data);
    doca_buf_get_data_len(pkt, &len);
    make_frame(wanted, receiver->next);
    if (len == FRAME && memcmp(data, wanted, FRAME) == 0)
        receiver->next++;
    else
        receiver->wrong++;
    doca_buf_dec_refcount(pkt, NULL);
}

static doca_error_t run(struct packets *p, struct packets_txq *txq, const struct receiver *receiver,
                        uint32_t count)
{
    double begin = now(), last = begin;
    uint32_t sent = 0, seen = 0;
    uint8_t frame[FRAME];

    while (receiver->next < count && now() - last < SECONDS) {
        if (sent < count && sent - receiver->next < AHEAD) {
            doca_error_t result;

            make_frame(frame, sent++);
            result = packets_send(txq, frame, FRAME);
            if (result != DOCA_SUCCESS)
                return result;
        }
        doca_pe_progress(p->pe);
        if (receiver->next != seen) {
            seen = receiver->next;
            last = now();
        }
    }
    printf("received %u of %u frames in order, %llu others, %.0f frames/s\n", receiver->next, count,
           (unsigned long long)receiver->wrong, receiver->next / (now() - begin));
    return receiver->next == count ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

int main(int argc, char **argv)
{
    struct packets_options options = {
        .names = {"0000:03:00.0", "0000:03:00.1"}, .count = 10000, .ends_itself = true};
    struct receiver receiver = {0};
    struct packets_rxq rxq = {.handle = handle, .user = &receiver};
    struct packets_txq txq = {0};
    struct packets p = {0};
    doca_error_t result = packets_arguments(&options, argc, argv);

    if (result == DOCA_SUCCESS)
        result = packets_open(&p, options.names, 2);
    if (result == DOCA_SUCCESS)
        result = packets_rxq_open(&p, 1, 0, &rxq);
    if (result == DOCA_SUCCESS)
        result = packets_all_to_queue(&p, 1, 0);
    if (result == DOCA_SUCCESS)
        result = packets_txq_open(&p, 0, &txq);
    if (result == DOCA_SUCCESS)
        result = run(&p, &txq, &receiver, (uint32_t)options.count);
    packets_txq_close(&txq);
    packets_rxq_close(&rxq);
    packets_close(&p);
    return packets_exit(result);
}
