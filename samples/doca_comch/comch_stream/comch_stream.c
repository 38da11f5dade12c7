/* SPDX-License-Identifier: BSD-3-Clause */
/* The fast path: a producer on the host sends numbered pieces of memory, a consumer on the DPU has
 * buffers posted in which they land, without a message in between. Start both, in any order.
 *
 *     comch_stream [PIECES]        (host; the DPU needs no argument)
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_log.h>

#include "../../common/channel.h"
#include "../../common/number.h"

DOCA_LOG_REGISTER(STREAM);

#define SERVICE   "stream"
#define PIECE     4096u
#define IN_FLIGHT 16u
#define PIECES    10000ul /* without an argument */

/* One producer or consumer with the memory of its pieces. */
struct stream {
    struct sample_channel channel;
    struct doca_pe *pe; /* its own: control and data could be on two threads */
    struct doca_ctx *ctx;
    struct doca_comch_consumer *consumer; /* DPU */
    struct doca_comch_producer *producer; /* host */
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map;
    char *bytes;
    uint64_t pieces; /* to be moved; the DPU learns it by a message */
    uint64_t moved, wrong, failed;
    bool is_stopping;
};

static doca_error_t open_memory(struct stream *stream, uint32_t access)
{
    doca_error_t result = doca_buf_inventory_create(IN_FLIGHT, &stream->inventory);

    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(stream->inventory);
    if (result == DOCA_SUCCESS)
        result =
            sample_map(stream->channel.dev, stream->bytes, IN_FLIGHT * PIECE, access, &stream->map);
    return result;
}

static void close_memory(struct stream *stream)
{
    if (stream->map != NULL)
        doca_mmap_destroy(stream->map);
    if (stream->inventory != NULL)
        doca_buf_inventory_destroy(stream->inventory);
}

static doca_error_t connect_engine(struct stream *stream)
{
    union doca_data self = {.ptr = stream};
    doca_error_t result = doca_pe_create(&stream->pe);

    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(stream->ctx, self);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(stream->pe, stream->ctx);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(stream->ctx);
    return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

/* Both engines, once. */
static doca_error_t step(struct stream *stream)
{
    doca_pe_progress(stream->pe);
    return sample_channel_step(&stream->channel);
}

#ifdef DOCA_ARCH_DPU

static void learn_number(struct sample_channel *channel, const uint8_t *bytes, uint32_t len)
{
    struct stream *stream = channel->user;

    if (len == sizeof(stream->pieces))
        memcpy(&stream->pieces, bytes, len);
}

static void check_piece(struct stream *stream, struct doca_buf *buf,
                        struct doca_comch_consumer_task_post_recv *task)
{
    const uint8_t *number = doca_comch_consumer_task_post_recv_get_imm_data(task);
    uint32_t number_len = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
    uint64_t expected = stream->moved++;
    void *data;
    size_t len;

    doca_buf_get_data(buf, &data);
    doca_buf_get_data_len(buf, &len);
    if (len != PIECE || number_len != sizeof(expected) ||
        memcmp(number, &expected, number_len) != 0 || *(char *)data != (char)expected)
        stream->wrong++;
}

/* The same buffer takes another piece. */
static void arrived(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
    struct stream *stream = ctx_data.ptr;

    (void)task_data;
    check_piece(stream, buf, task);
    doca_buf_reset_data_len(buf);
    if (!stream->is_stopping &&
        doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) == DOCA_SUCCESS)
        return;
    doca_buf_dec_refcount(buf, NULL);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

/* What is still posted when the consumer stops. */
static void flushed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static doca_error_t post(struct stream *stream, char *addr)
{
    struct doca_comch_consumer_task_post_recv *task;
    struct doca_buf *buf;
    doca_error_t result =
        doca_buf_inventory_buf_get_by_addr(stream->inventory, stream->map, addr, PIECE, &buf);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_comch_consumer_task_post_recv_alloc_init(stream->consumer, buf, &task);
    if (result != DOCA_SUCCESS)
        goto err_buf;
    result = doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
    if (result != DOCA_SUCCESS)
        goto err_task;
    return DOCA_SUCCESS;

err_task:
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
err_buf:
    doca_buf_dec_refcount(buf, NULL);
    return result;
}

static doca_error_t start_consumer(struct stream *stream)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
    doca_error_t result =
        doca_comch_consumer_create(stream->channel.connection, stream->map, &stream->consumer);

    if (result != DOCA_SUCCESS)
        return result;
    stream->ctx = doca_comch_consumer_as_ctx(stream->consumer);
    result =
        doca_comch_consumer_task_post_recv_set_conf(stream->consumer, arrived, flushed, IN_FLIGHT);
    if (result == DOCA_SUCCESS)
        result = doca_comch_consumer_set_imm_data_len(stream->consumer, sizeof(stream->moved));
    if (result == DOCA_SUCCESS)
        result = connect_engine(stream);
    while (result == DOCA_SUCCESS && state == DOCA_CTX_STATE_STARTING) {
        result = step(stream);
        doca_ctx_get_state(stream->ctx, &state);
    }
    for (size_t i = 0; i < IN_FLIGHT && result == DOCA_SUCCESS; i++)
        result = post(stream, stream->bytes + i * PIECE);
    return result;
}

static doca_error_t run(struct stream *stream)
{
    doca_error_t result = open_memory(stream, DOCA_ACCESS_FLAG_PCI_READ_WRITE);

    if (result == DOCA_SUCCESS)
        result = start_consumer(stream);
    while (result == DOCA_SUCCESS && (stream->pieces == 0 || stream->moved < stream->pieces))
        result = step(stream);
    printf("%llu pieces received, %llu of them wrong\n", (unsigned long long)stream->moved,
           (unsigned long long)stream->wrong);
    if (result == DOCA_SUCCESS)
        result = sample_channel_send(&stream->channel, "done", 4);
    return result == DOCA_SUCCESS && stream->wrong > 0 ? DOCA_ERROR_UNEXPECTED : result;
}

static void destroy(struct stream *stream)
{
    if (stream->consumer != NULL)
        doca_comch_consumer_destroy(stream->consumer);
}

#else

static void transferred(struct doca_comch_producer_task_send *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    struct stream *stream = ctx_data.ptr;

    (void)task_data;
    stream->moved++;
    doca_buf_dec_refcount((struct doca_buf *)doca_comch_producer_task_send_get_buf(task), NULL);
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void not_transferred(struct doca_comch_producer_task_send *task, union doca_data task_data,
                            union doca_data ctx_data)
{
    struct stream *stream = ctx_data.ptr;

    stream->failed++;
    transferred(task, task_data, ctx_data);
}

static doca_error_t send_piece(struct stream *stream, uint64_t number)
{
    char *addr = stream->bytes + number % IN_FLIGHT * PIECE;
    struct doca_comch_producer_task_send *task;
    struct doca_buf *buf;
    doca_error_t result;

    memset(addr, (char)number, PIECE);
    result = doca_buf_inventory_buf_get_by_data(stream->inventory, stream->map, addr, PIECE, &buf);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_comch_producer_task_send_alloc_init(
        stream->producer, buf, (uint8_t *)&number, sizeof(number), stream->channel.consumer, &task);
    if (result != DOCA_SUCCESS)
        goto err_buf;
    /* AGAIN: the consumer has nothing posted at the moment. */
    do {
        result = doca_task_submit(doca_comch_producer_task_send_as_task(task));
    } while (result == DOCA_ERROR_AGAIN && step(stream) == DOCA_SUCCESS);
    if (result != DOCA_SUCCESS)
        goto err_task;
    return DOCA_SUCCESS;

err_task:
    doca_task_free(doca_comch_producer_task_send_as_task(task));
err_buf:
    doca_buf_dec_refcount(buf, NULL);
    return result;
}

static doca_error_t start_producer(struct stream *stream)
{
    doca_error_t result = doca_comch_producer_create(stream->channel.connection, &stream->producer);

    if (result != DOCA_SUCCESS)
        return result;
    stream->ctx = doca_comch_producer_as_ctx(stream->producer);
    result = doca_comch_producer_task_send_set_conf(stream->producer, transferred, not_transferred,
                                                    IN_FLIGHT);
    return result == DOCA_SUCCESS ? connect_engine(stream) : result;
}

static doca_error_t run(struct stream *stream)
{
    doca_error_t result = open_memory(stream, DOCA_ACCESS_FLAG_PCI_READ_WRITE);

    if (result == DOCA_SUCCESS)
        result = sample_channel_send(&stream->channel, &stream->pieces, sizeof(stream->pieces));
    while (result == DOCA_SUCCESS && stream->channel.consumer == 0)
        result = sample_channel_step(&stream->channel);
    if (result == DOCA_SUCCESS)
        result = start_producer(stream);
    for (uint64_t i = 0; i < stream->pieces && result == DOCA_SUCCESS; i++) {
        while (i - stream->moved == IN_FLIGHT && result == DOCA_SUCCESS)
            result = step(stream);
        if (result == DOCA_SUCCESS)
            result = send_piece(stream, i);
    }
    /* The DPU says when it has everything, and leaves, which may be seen before the last ends. */
    while (result == DOCA_SUCCESS && stream->channel.received == 0)
        result = step(stream);
    while (result == DOCA_SUCCESS && stream->moved < stream->pieces)
        doca_pe_progress(stream->pe);
    printf("%llu pieces sent\n", (unsigned long long)(stream->moved - stream->failed));
    return result == DOCA_SUCCESS && stream->failed > 0 ? DOCA_ERROR_IO_FAILED : result;
}

static void destroy(struct stream *stream)
{
    if (stream->producer != NULL)
        doca_comch_producer_destroy(stream->producer);
}

#endif

/* How many pieces; the DPU learns it from the host. */
static bool parse(int argc, char **argv, unsigned long *pieces)
{
#ifdef DOCA_ARCH_DPU
    (void)pieces;
    return sample_takes_no_arguments(argc, argv) == DOCA_SUCCESS;
#else
    if (argc == 1 || (argc == 2 && number_parse(argv[1], 1, ULONG_MAX, pieces)))
        return true;
    fprintf(stderr, "usage: %s [PIECES], 1 at least\n", argv[0]);
    return false;
#endif
}

int main(int argc, char **argv)
{
    static char bytes[IN_FLIGHT * PIECE];
    struct stream stream = {.bytes = bytes};
    unsigned long pieces = PIECES;
    doca_error_t result;

    if (!parse(argc, argv, &pieces))
        return EXIT_FAILURE;
    device_open_log();
#ifdef DOCA_ARCH_DPU
    stream.channel.on_message = learn_number;
    stream.channel.user = &stream;
#else
    stream.pieces = pieces;
#endif
    result = sample_channel_open(&stream.channel, SERVICE);
    if (result != DOCA_SUCCESS)
        return sample_exit(result);
    result = run(&stream);
    stream.is_stopping = true;
    if (stream.ctx != NULL)
        sample_stop_ctx(stream.ctx, stream.pe, &stream.channel);
    destroy(&stream);
    if (stream.pe != NULL)
        doca_pe_destroy(stream.pe);
    close_memory(&stream);
    sample_channel_close(&stream.channel);
    return sample_exit(result);
}
