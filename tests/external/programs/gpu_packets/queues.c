/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues, semaphores and pages: what kernels work with. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_eth_txq_gpu_data_path.h>

#include "gpu_packets.h"

DOCA_LOG_REGISTER(GPU_PACKETS::QUEUES);

#define PACKETS      65536u
#define MAX_SIZE     8192u
#define ICMP_PACKETS 16384u
#define ICMP_SIZE    512u
#define SENDS        1024u
#define PAGE_SIZE    1024u /* a frame's */

static const char *const texts[PAGES] = {
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 48\r\n\r\n"
    "<html><body>Answered by a kernel.</body></html>\n",
    "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"};

/* By dmabuf where that works, else by address. */
static doca_error_t register_memory(struct app *app, struct memory *m, size_t size)
{
    int fd = -1;

    TRY(doca_mmap_create(&m->mmap));
    TRY(doca_mmap_add_dev(m->mmap, app->dev));
    if (doca_gpu_dmabuf_fd(app->gpu, m->gpu, size, &fd) == DOCA_SUCCESS)
        TRY(doca_mmap_set_dmabuf_memrange(m->mmap, fd, m->gpu, 0, size));
    else
        TRY(doca_mmap_set_memrange(m->mmap, m->gpu, size));
    TRY(doca_mmap_set_permissions(m->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                               DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING));
    return doca_mmap_start(m->mmap);
}

static doca_error_t open_semaphore(struct app *app, enum doca_gpu_mem_type type, uint32_t info,
                                   struct doca_gpu_semaphore **sem)
{
    TRY(doca_gpu_semaphore_create(app->gpu, sem));
    TRY(doca_gpu_semaphore_set_memory_type(*sem, type));
    TRY(doca_gpu_semaphore_set_items_num(*sem, ITEMS));
    TRY(doca_gpu_semaphore_set_custom_info(*sem, info, type));
    return doca_gpu_semaphore_start(*sem);
}

static doca_error_t close_semaphore(struct doca_gpu_semaphore *sem)
{
    TRY(doca_gpu_semaphore_stop(sem));
    return doca_gpu_semaphore_destroy(sem);
}

static doca_error_t open_rxq(struct app *app, uint32_t packets, uint32_t size, struct rxq *q)
{
    struct doca_ctx *ctx;
    uint32_t bytes = 0;

    TRY(doca_eth_rxq_create(app->dev, packets, size, &q->rxq));
    TRY(doca_eth_rxq_set_type(q->rxq, DOCA_ETH_RXQ_TYPE_CYCLIC));
    TRY(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, size, packets, 0, 0,
                                              0, &bytes));
    TRY(doca_gpu_mem_alloc(app->gpu, bytes, (size_t)sysconf(_SC_PAGESIZE), DOCA_GPU_MEM_TYPE_GPU,
                           &q->packets.gpu, NULL));
    TRY(register_memory(app, &q->packets, bytes));
    TRY(doca_eth_rxq_set_pkt_buf(q->rxq, q->packets.mmap, 0, bytes));
    ctx = doca_eth_rxq_as_doca_ctx(q->rxq);
    TRY(doca_ctx_set_datapath_on_gpu(ctx, app->gpu));
    TRY(doca_ctx_start(ctx));
    return open_semaphore(app, DOCA_GPU_MEM_TYPE_CPU_GPU, sizeof(struct counts), &q->counts);
}

static doca_error_t close_rxq(struct app *app, struct rxq *q)
{
    TRY(close_semaphore(q->counts));
    TRY(doca_ctx_stop(doca_eth_rxq_as_doca_ctx(q->rxq)));
    TRY(doca_eth_rxq_destroy(q->rxq));
    TRY(doca_mmap_destroy(q->packets.mmap));
    return doca_gpu_mem_free(app->gpu, q->packets.gpu);
}

static void on_reply(struct doca_eth_txq_gpu_event_notify_send_packet *event, union doca_data data)
{
    struct app *app = data.ptr;
    uint16_t position = 0;
    uint64_t time = 0;

    if (doca_eth_txq_gpu_event_notify_send_packet_get_position(event, &position) != DOCA_SUCCESS ||
        doca_eth_txq_gpu_event_notify_send_packet_get_timestamp(event, &time) != DOCA_SUCCESS ||
        position != (uint16_t)app->replies || time == 0)
        app->failed++;
    app->replies++;
}

static void on_error(struct doca_eth_txq_gpu_event_error_send_packet *event, union doca_data data)
{
    struct app *app = data.ptr;
    uint16_t position = 0;

    doca_eth_txq_gpu_event_error_send_packet_get_position(event, &position);
    DOCA_LOG_ERR("Packet %u could not be sent", position);
    app->failed++;
}

static doca_error_t open_txq(struct app *app, struct doca_eth_txq **txq)
{
    const doca_eth_txq_gpu_event_notify_send_packet_cb_t replied = on_reply;
    const doca_eth_txq_gpu_event_error_send_packet_cb_t failed = on_error;
    const union doca_data self = {.ptr = app};
    struct doca_ctx *ctx;

    TRY(doca_eth_txq_create(app->dev, SENDS, txq));
    TRY(doca_eth_txq_set_l3_chksum_offload(*txq, 1));
    TRY(doca_eth_txq_set_l4_chksum_offload(*txq, 1));
    ctx = doca_eth_txq_as_doca_ctx(*txq);
    TRY(doca_ctx_set_datapath_on_gpu(ctx, app->gpu));
    TRY(doca_eth_txq_gpu_event_error_send_packet_register(*txq, failed, self));
    if (txq == &app->icmp_txq)
        TRY(doca_eth_txq_gpu_event_notify_send_packet_register(*txq, replied, self));
    TRY(doca_pe_connect_ctx(app->pe, ctx));
    return doca_ctx_start(ctx);
}

static doca_error_t close_txq(struct app *app, struct doca_eth_txq *txq)
{
    TRY(kit_stop(app->pe, doca_eth_txq_as_doca_ctx(txq)));
    return doca_eth_txq_destroy(txq);
}

static doca_error_t open_page(struct app *app, int page)
{
    struct memory *m = &app->pages[page];

    TRY(doca_gpu_mem_alloc(app->gpu, (size_t)FRAMES * PAGE_SIZE, 65536, DOCA_GPU_MEM_TYPE_GPU_CPU,
                           &m->gpu, &m->cpu));
    for (uint32_t i = 0; i < FRAMES; i++)
        snprintf((char *)m->cpu + (size_t)i * PAGE_SIZE + HEADERS, PAGE_SIZE - HEADERS, "%s",
                 texts[page]);
    app->answers.length[page] = (uint32_t)strlen(texts[page]);
    TRY(register_memory(app, m, (size_t)FRAMES * PAGE_SIZE));
    TRY(doca_buf_arr_create(FRAMES, &app->page_bufs[page]));
    TRY(doca_buf_arr_set_params(app->page_bufs[page], m->mmap, PAGE_SIZE, 0));
    TRY(doca_buf_arr_set_target_gpu(app->page_bufs[page], app->gpu));
    TRY(doca_buf_arr_start(app->page_bufs[page]));
    return doca_buf_arr_get_gpu_handle(app->page_bufs[page], &app->answers.page[page]);
}

static doca_error_t close_page(struct app *app, int page)
{
    TRY(doca_buf_arr_stop(app->page_bufs[page]));
    TRY(doca_buf_arr_destroy(app->page_bufs[page]));
    TRY(doca_mmap_stop(app->pages[page].mmap));
    TRY(doca_mmap_rm_dev(app->pages[page].mmap, app->dev));
    TRY(doca_mmap_destroy(app->pages[page].mmap));
    return doca_gpu_mem_free(app->gpu, app->pages[page].gpu);
}

doca_error_t open_queues(struct app *app)
{
    TRY(doca_gpu_mem_alloc(app->gpu, sizeof(uint32_t), 65536, DOCA_GPU_MEM_TYPE_GPU_CPU,
                           &app->ends.gpu, &app->ends.cpu));
    TRY(doca_pe_create(&app->pe));
    for (int i = 0; i < app->num; i++) {
        TRY(open_rxq(app, PACKETS, MAX_SIZE, &app->udp[i]));
        TRY(open_rxq(app, PACKETS, MAX_SIZE, &app->tcp[i]));
        TRY(open_txq(app, &app->http_txq[i]));
        TRY(open_semaphore(app, DOCA_GPU_MEM_TYPE_GPU, sizeof(struct request), &app->requests[i]));
        TRY(doca_eth_txq_get_gpu_handle(app->http_txq[i], &app->answers.txq[i]));
        TRY(doca_gpu_semaphore_get_gpu_handle(app->requests[i], &app->answers.requests[i]));
    }
    TRY(open_rxq(app, ICMP_PACKETS, ICMP_SIZE, &app->icmp));
    TRY(open_txq(app, &app->icmp_txq));
    for (int i = 0; i < PAGES; i++)
        TRY(open_page(app, i));
    return DOCA_SUCCESS;
}

doca_error_t close_queues(struct app *app)
{
    for (int i = 0; i < app->num; i++) {
        TRY(close_rxq(app, &app->udp[i]));
        TRY(close_rxq(app, &app->tcp[i]));
        TRY(close_semaphore(app->requests[i]));
        TRY(close_txq(app, app->http_txq[i]));
    }
    TRY(close_txq(app, app->icmp_txq));
    TRY(close_rxq(app, &app->icmp));
    for (int i = 0; i < PAGES; i++)
        TRY(close_page(app, i));
    TRY(doca_pe_destroy(app->pe));
    return doca_gpu_mem_free(app->gpu, app->ends.gpu);
}

static doca_error_t gpu_rxq(const struct rxq *q, struct doca_gpu_eth_rxq **rxq,
                            struct doca_gpu_semaphore_gpu **counts)
{
    TRY(doca_eth_rxq_get_gpu_handle(q->rxq, rxq));
    return doca_gpu_semaphore_get_gpu_handle(q->counts, counts);
}

doca_error_t gpu_queues(struct app *app, struct queues *udp, struct queues *tcp,
                        struct queues *icmp, struct doca_gpu_eth_txq **icmp_txq)
{
    for (int i = 0; i < app->num; i++) {
        TRY(gpu_rxq(&app->udp[i], &udp->rxq[i], &udp->counts[i]));
        TRY(gpu_rxq(&app->tcp[i], &tcp->rxq[i], &tcp->counts[i]));
    }
    TRY(gpu_rxq(&app->icmp, &icmp->rxq[0], &icmp->counts[0]));
    return doca_eth_txq_get_gpu_handle(app->icmp_txq, icmp_txq);
}

static bool take_from(struct rxq *q, struct counts *sums)
{
    enum doca_gpu_semaphore_status status;
    struct counts *counts;
    bool any = false;

    while (doca_gpu_semaphore_get_status(q->counts, q->next, &status) == DOCA_SUCCESS &&
           status == DOCA_GPU_SEMAPHORE_STATUS_READY &&
           doca_gpu_semaphore_get_custom_info_addr(q->counts, q->next, (void **)&counts) ==
               DOCA_SUCCESS) {
        for (int i = 0; i < KINDS; i++) {
            const uint32_t packets = DOCA_GPUNETIO_VOLATILE(counts->of[i]);

            sums->of[i] += packets;
            q->total += packets;
        }
        doca_gpu_semaphore_set_status(q->counts, q->next, DOCA_GPU_SEMAPHORE_STATUS_FREE);
        q->next = (q->next + 1) % ITEMS;
        any = true;
    }
    return any;
}

bool take_counts(struct app *app)
{
    bool any = take_from(&app->icmp, &app->sums);

    for (int i = 0; i < app->num; i++) {
        any |= take_from(&app->udp[i], &app->sums);
        any |= take_from(&app->tcp[i], &app->sums);
    }
    return any;
}
