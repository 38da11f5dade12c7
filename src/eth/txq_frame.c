/* SPDX-License-Identifier: BSD-3-Clause */
#include "eth/txq_priv.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------
 * What may be sent
 */

doca_error_t eth_txq_check_pkt(const struct doca_eth_txq *txq, const struct doca_buf *pkt,
                               const char *func)
{
    const char *what;

    if (od_likely(pkt != NULL && pkt->refcount != 0 && pkt->is_head &&
                  pkt->list_len <= txq->max_list))
        return DOCA_SUCCESS;
    what = pkt == NULL          ? "NULL"
           : pkt->refcount == 0 ? "a buffer that was released"
           : !pkt->is_head      ? "a later element of a list"
                                : "too long a list";
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, txq->ctx.name, "pkt",
                     "%s" CORE_LIMIT "a buffer, or a list of up to %u" CORE_REMEDY
                     "see doca_eth_txq_set_max_send_buf_list_len()",
                     what, txq->max_list);
}

/* Of all elements; of a list that is too long, or has no end, more than there may be. */
static uint64_t headers_len(const struct doca_gather_list *headers)
{
    uint64_t len = 0;

    for (uint32_t i = 0; headers != NULL && len <= ETH_TXQ_LSO_HEADER_MAX; i++) {
        if (i == ETH_TXQ_LSO_HEADER_MAX)
            return UINT64_MAX;
        len += OD_MIN(headers->len, (uint64_t)ETH_TXQ_LSO_HEADER_MAX + 1);
        headers = headers->next;
    }
    return len;
}

/* Of a list that has an end. */
static bool has_all_addresses(const struct doca_gather_list *headers)
{
    for (; headers != NULL; headers = headers->next) {
        if (headers->addr == NULL && headers->len > 0)
            return false;
    }
    return true;
}

doca_error_t eth_txq_check_headers(const struct doca_eth_txq *txq,
                                   const struct doca_gather_list *headers, const char *func)
{
    uint64_t len = headers_len(headers);

    if (len < ETH_TXQ_LSO_HEADER_MIN || len > txq->max_header)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_ETH, func, txq->ctx.name, "headers",
                         "%s%llu bytes" CORE_LIMIT "%u..%u, in at most %u parts" CORE_REMEDY
                         "see doca_eth_txq_set_max_lso_header_size()",
                         len > ETH_TXQ_LSO_HEADER_MAX ? "more than " : "",
                         OD_MIN((unsigned long long)len, ETH_TXQ_LSO_HEADER_MAX + 0ull),
                         ETH_TXQ_LSO_HEADER_MIN, txq->max_header, ETH_TXQ_LSO_HEADER_MAX);
    if (!has_all_addresses(headers))
        return CORE_FAIL_NULL(CORE_LOG_ETH, func, "addr of headers");
    return DOCA_SUCCESS;
}

uint32_t eth_txq_copy_headers(const struct doca_gather_list *headers, uint8_t *to)
{
    uint32_t done = 0;

    for (; headers != NULL; headers = headers->next) {
        uint32_t n = (uint32_t)OD_MIN(headers->len, (uint64_t)ETH_TXQ_LSO_HEADER_MAX - done);

        if (n > 0)
            memcpy(to + done, headers->addr, n);
        done += n;
    }
    return done;
}

/* Data of a buffer or list, and whether the device may read all of it. */
static bool measure(const struct doca_eth_txq *txq, const struct doca_buf *pkt, uint64_t *len)
{
    *len = 0;
    for (; pkt != NULL; pkt = pkt->next) {
        size_t offset = (size_t)(pkt->data - pkt->head);

        if (pkt->mmap->peer != NULL || !core_mmap_has_dev(pkt->mmap, txq->ctx.dev) ||
            offset > pkt->len || pkt->data_len > pkt->len - offset)
            return false;
        *len += pkt->data_len;
    }
    return true;
}

static OD_COLD void fail_task(struct doca_eth_txq *txq, struct eth_tx_unit *unit, uint32_t task,
                              doca_error_t status, const char *why)
{
    CORE_FAIL(status, CORE_LOG_ETH, "doca_pe_progress", txq->ctx.name, "packet",
              "%s" CORE_LIMIT "1..%u bytes in memory of the device", why,
              soft_nic_txq_max_len(txq->queue));
    unit->fail(unit, task, status);
}

/* ------------------------------------------------------------------------------------------------
 * Making frames
 */

static uint8_t *scratch_at(struct doca_eth_txq *txq, uint32_t place)
{
    return txq->scratch + (size_t)place * txq->scratch_size;
}

static struct soft_nic_tx_frame *add_frame(struct doca_eth_txq *txq, struct eth_tx_unit *unit,
                                           uint32_t len)
{
    uint32_t place = txq->nmade++;
    struct soft_nic_tx_frame *frame = &txq->frames[place];

    txq->made[place] = (struct eth_tx_made){.unit = unit, .task = unit->task};
    unit->pending++;
    *frame = (struct soft_nic_tx_frame){.pieces = txq->pieces[place], .npieces = 1, .len = len};
    return frame;
}

/* Sums are written into a copy: the program's memory is only read. */
static void sum(uint8_t *frame, uint32_t len, uint16_t ol_flags)
{
    struct soft_nic_packet packet;

    soft_nic_parse(frame, len, &packet);
    if ((ol_flags & DOCA_ETH_TXQ_OL_FLAGS_L3_CSUM) != 0)
        soft_nic_l3_sum(frame, &packet);
    if ((ol_flags & DOCA_ETH_TXQ_OL_FLAGS_L4_CSUM) != 0)
        soft_nic_l4_sum(frame, &packet);
}

/* Copies `len` bytes of the data of a list from `offset` on. */
static void copy_data(const struct doca_buf *pkt, uint64_t offset, uint8_t *to, uint32_t len)
{
    for (; len > 0; pkt = pkt->next) {
        uint32_t n;

        if (offset >= pkt->data_len) {
            offset -= pkt->data_len;
            continue;
        }
        n = (uint32_t)OD_MIN(pkt->data_len - offset, (uint64_t)len);
        memcpy(to, pkt->data + offset, n);
        to += n;
        len -= n;
        offset = 0;
    }
}

static void make_plain(struct doca_eth_txq *txq, struct eth_tx_unit *unit,
                       const struct eth_tx_item *item, uint32_t len)
{
    uint32_t place = txq->nmade;
    struct soft_nic_tx_frame *frame = add_frame(txq, unit, len);
    struct soft_nic_piece *pieces = txq->pieces[place];

    if (od_unlikely(item->ol_flags != 0)) {
        copy_data(item->pkt, 0, scratch_at(txq, place), len);
        sum(scratch_at(txq, place), len, item->ol_flags);
        pieces[0] = (struct soft_nic_piece){scratch_at(txq, place), len};
        return;
    }
    frame->npieces = 0;
    for (const struct doca_buf *buf = item->pkt; buf != NULL; buf = buf->next)
        pieces[frame->npieces++] = (struct soft_nic_piece){buf->data, (uint32_t)buf->data_len};
}

static void make_send(struct doca_eth_txq *txq, struct eth_tx_unit *unit)
{
    struct eth_tx_item item;
    uint64_t len;

    unit->item(unit, unit->task, &item);
    if (od_unlikely(!measure(txq, item.pkt, &len)))
        fail_task(txq, unit, unit->task, DOCA_ERROR_IO_FAILED, "memory that it does not have");
    else if (od_unlikely(len == 0))
        fail_task(txq, unit, unit->task, DOCA_ERROR_INVALID_VALUE, "empty");
    else if (od_unlikely(len > soft_nic_txq_max_len(txq->queue)))
        fail_task(txq, unit, unit->task, DOCA_ERROR_IO_FAILED, "longer than the MTU allows");
    else
        make_plain(txq, unit, &item, (uint32_t)len);
    unit->task++;
}

/* The headers as of now for batches, as of the submission for tasks: `item` knows. False: the task
 * failed. */
static bool begin_lso(struct doca_eth_txq *txq, struct eth_tx_unit *unit,
                      const struct eth_tx_item *item)
{
    uint8_t header[ETH_TXQ_LSO_HEADER_MAX];
    uint32_t header_len = eth_txq_copy_headers(item->headers, header);
    uint64_t total;

    if (item->mss == 0) {
        fail_task(txq, unit, unit->task, DOCA_ERROR_INVALID_VALUE, "pieces of 0 bytes");
        return false;
    }
    if (!measure(txq, item->pkt, &total) || total == 0 || total > ETH_TXQ_LSO_MSG_MAX ||
        OD_MIN(total, (uint64_t)item->mss) + header_len > soft_nic_txq_max_len(txq->queue)) {
        fail_task(txq, unit, unit->task, DOCA_ERROR_IO_FAILED,
                  "a payload that is empty, too long, cut too coarsely, or memory that it does not "
                  "have");
        return false;
    }
    soft_nic_segment_begin(&txq->segmenter, header, header_len, (uint32_t)total, item->mss);
    return true;
}

static void make_piece(struct doca_eth_txq *txq, struct eth_tx_unit *unit,
                       const struct eth_tx_item *item)
{
    const struct soft_nic_segmenter *segmenter = &txq->segmenter;
    uint32_t place = txq->nmade;
    uint32_t len = OD_MIN(segmenter->total - unit->offset, segmenter->mss);
    uint8_t *bytes = scratch_at(txq, place);
    uint16_t ol_flags = item->ol_flags;

    eth_txq_copy_headers(item->headers, bytes);
    copy_data(item->pkt, unit->offset, bytes + segmenter->header_len, len);
    soft_nic_segment_adapt(segmenter, bytes, unit->offset, len);
    if (ol_flags != 0)
        sum(bytes, segmenter->header_len + len, ol_flags);
    add_frame(txq, unit, segmenter->header_len + len);
    txq->pieces[place][0] = (struct soft_nic_piece){bytes, segmenter->header_len + len};
    unit->offset += len;
}

static void make_lso(struct doca_eth_txq *txq, struct eth_tx_unit *unit)
{
    struct eth_tx_item item;

    unit->item(unit, unit->task, &item);
    if (unit->offset == 0 && !begin_lso(txq, unit, &item)) {
        unit->task++;
        return;
    }
    make_piece(txq, unit, &item);
    if (unit->offset < txq->segmenter.total)
        return;
    unit->offset = 0;
    unit->task++;
}

void eth_txq_make_frames(struct doca_eth_txq *txq)
{
    while (txq->making != NULL && txq->nmade < ETH_TXQ_FRAMES) {
        struct eth_tx_unit *unit = txq->making;

        if (unit->task == unit->ntasks)
            txq->making = unit->next;
        else if (unit->is_lso)
            make_lso(txq, unit);
        else
            make_send(txq, unit);
    }
}
