/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages to and fro over a reliable connection, and a counter in the memory of the other side.
 *
 *     rdma_ping_pong PORT                       the server
 *     rdma_ping_pong PORT ADDRESS [ROUNDS]      a client
 *
 * The server prints "waiting", answers each message with itself and counts nothing: the client adds
 * 1 to a number in the server's memory in each round, and reads it at the end. The number's map
 * travels in the first message, as any bytes may.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_rdma.h>

#include "../../common/number.h"
#include "../../common/sample.h"

#define MESSAGE_SIZE 1024
#define RESULT_AT    (2 * MESSAGE_SIZE) /* in the memory: two messages, a result, the counter */
#define COUNTER_AT   (RESULT_AT + 8)
#define MEMORY_SIZE  (COUNTER_AT + 8)
#define TASKS        4
#define ROUNDS_MAX   (ULONG_MAX / 4)

struct side {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_rdma *rdma;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *in, *out; /* of the two messages */
    struct doca_rdma_connection *connection;
    bool is_over;
    unsigned long completed, received;
    doca_error_t outcome;
    char *memory;
};

/* ---- what happens ---- */

static void end_task(union doca_data ctx, struct doca_task *task, unsigned long *count)
{
    struct side *side = ctx.ptr;

    if (doca_task_get_status(task) != DOCA_SUCCESS && !side->is_over)
        side->outcome = doca_task_get_status(task);
    (*count)++;
    doca_task_free(task);
}

static void on_send(struct doca_rdma_task_send *task, union doca_data data, union doca_data ctx)
{
    (void)data;
    end_task(ctx, doca_rdma_task_send_as_task(task), &((struct side *)ctx.ptr)->completed);
}

static void on_add(struct doca_rdma_task_atomic_fetch_add *task, union doca_data data,
                   union doca_data ctx)
{
    (void)data;
    end_task(ctx, doca_rdma_task_atomic_fetch_add_as_task(task),
             &((struct side *)ctx.ptr)->completed);
}

static void on_receive(struct doca_rdma_task_receive *task, union doca_data data,
                       union doca_data ctx)
{
    struct side *side = ctx.ptr;
    unsigned long ignored;
    bool is_good = doca_task_get_status(doca_rdma_task_receive_as_task(task)) == DOCA_SUCCESS;

    (void)data;
    end_task(ctx, doca_rdma_task_receive_as_task(task), is_good ? &side->received : &ignored);
}

static void on_request(struct doca_rdma_connection *connection, union doca_data ctx)
{
    (void)ctx;
    (void)doca_rdma_connection_accept(connection, NULL, 0);
}

static void on_established(struct doca_rdma_connection *connection, union doca_data data,
                           union doca_data ctx)
{
    (void)data;
    ((struct side *)ctx.ptr)->connection = connection;
}

static void on_failure(struct doca_rdma_connection *connection, union doca_data data,
                       union doca_data ctx)
{
    (void)connection;
    (void)data;
    ((struct side *)ctx.ptr)->outcome = DOCA_ERROR_CONNECTION_ABORTED;
}

static void on_disconnection(struct doca_rdma_connection *connection, union doca_data data,
                             union doca_data ctx)
{
    (void)connection;
    (void)data;
    ((struct side *)ctx.ptr)->is_over = true;
}

/* ---- set-up ---- */

static doca_error_t configure(struct side *side)
{
    struct doca_rdma *rdma = side->rdma;
    doca_error_t result = doca_rdma_set_permissions(rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                                              DOCA_ACCESS_FLAG_RDMA_ATOMIC);

    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_send_set_conf(rdma, on_send, on_send, TASKS);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_receive_set_conf(rdma, on_receive, on_receive, TASKS);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_atomic_fetch_add_set_conf(rdma, on_add, on_add, TASKS);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_set_connection_state_callbacks(rdma, on_request, on_established,
                                                          on_failure, on_disconnection);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_user_data(doca_rdma_as_ctx(rdma), (union doca_data){.ptr = side});
    return result;
}

static doca_error_t open_side(struct side *side)
{
    doca_error_t result = sample_open_device(SAMPLE_PCI_ADDR, &side->dev);

    side->memory = calloc(1, MEMORY_SIZE);
    if (result == DOCA_SUCCESS && side->memory == NULL)
        result = DOCA_ERROR_NO_MEMORY;
    if (result == DOCA_SUCCESS)
        result = sample_map(side->dev, side->memory, MEMORY_SIZE,
                            DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC,
                            &side->map);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(TASKS, &side->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(side->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&side->pe);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_create(side->dev, &side->rdma);
    if (result == DOCA_SUCCESS)
        result = configure(side);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(side->pe, doca_rdma_as_ctx(side->rdma));
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(doca_rdma_as_ctx(side->rdma));
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_addr(side->inventory, side->map, side->memory,
                                                    MESSAGE_SIZE, &side->in);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_addr(
            side->inventory, side->map, side->memory + MESSAGE_SIZE, MESSAGE_SIZE, &side->out);
    return result;
}

static void close_side(struct side *side)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

    side->is_over = true;
    if (side->rdma != NULL) {
        (void)doca_ctx_stop(doca_rdma_as_ctx(side->rdma));
        do
            (void)doca_pe_progress(side->pe);
        while (doca_ctx_get_state(doca_rdma_as_ctx(side->rdma), &state) == DOCA_SUCCESS &&
               state != DOCA_CTX_STATE_IDLE);
        (void)doca_rdma_destroy(side->rdma);
    }
    if (side->in != NULL)
        (void)doca_buf_dec_refcount(side->in, NULL);
    if (side->out != NULL)
        (void)doca_buf_dec_refcount(side->out, NULL);
    if (side->pe != NULL)
        (void)doca_pe_destroy(side->pe);
    if (side->inventory != NULL)
        (void)doca_buf_inventory_destroy(side->inventory);
    if (side->map != NULL)
        (void)doca_mmap_destroy(side->map);
    if (side->dev != NULL)
        (void)doca_dev_close(side->dev);
    free(side->memory);
}

/* ---- steps ---- */

static doca_error_t wait_for(struct side *side, const unsigned long *count, unsigned long wanted)
{
    while (*count < wanted && side->outcome == DOCA_SUCCESS && !side->is_over)
        (void)doca_pe_progress(side->pe);
    return side->outcome;
}

static doca_error_t wait_for_connection(struct side *side)
{
    while (side->connection == NULL && side->outcome == DOCA_SUCCESS)
        (void)doca_pe_progress(side->pe);
    return side->outcome;
}

static doca_error_t post(struct side *side, struct doca_buf *buf)
{
    struct doca_rdma_task_receive *task;
    doca_error_t result = doca_buf_reset_data_len(buf);

    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_receive_allocate_init(side->rdma, buf, (union doca_data){.u64 = 0},
                                                      &task);
    return result == DOCA_SUCCESS ? doca_task_submit(doca_rdma_task_receive_as_task(task)) : result;
}

static doca_error_t send(struct side *side, struct doca_buf *buf, size_t len)
{
    struct doca_rdma_task_send *task;
    void *data;
    doca_error_t result = doca_buf_get_data(buf, &data);

    if (result == DOCA_SUCCESS)
        result = doca_buf_set_data(buf, data, len);
    if (result == DOCA_SUCCESS)
        result = doca_rdma_task_send_allocate_init(side->rdma, side->connection, buf,
                                                   (union doca_data){.u64 = 0}, &task);
    return result == DOCA_SUCCESS ? doca_task_submit(doca_rdma_task_send_as_task(task)) : result;
}

static doca_error_t add(struct side *side, struct doca_buf *counter, struct doca_buf *before,
                        uint64_t value)
{
    struct doca_rdma_task_atomic_fetch_add *task;
    doca_error_t result = doca_rdma_task_atomic_fetch_add_allocate_init(
        side->rdma, side->connection, counter, before, value, (union doca_data){.u64 = 0}, &task);

    return result == DOCA_SUCCESS ? doca_task_submit(doca_rdma_task_atomic_fetch_add_as_task(task))
                                  : result;
}

/* ---- the two sides ---- */

static doca_error_t serve(struct side *side, uint16_t port)
{
    const void *descriptor;
    size_t len;
    doca_error_t result = doca_rdma_start_listen_to_port(side->rdma, port);

    if (result != DOCA_SUCCESS)
        return result;
    printf("waiting\n");
    fflush(stdout);
    result = wait_for_connection(side);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_export_rdma(side->map, side->dev, &descriptor, &len);
    if (result != DOCA_SUCCESS)
        return result;
    memcpy(side->memory + MESSAGE_SIZE, descriptor, len);
    result = send(side, side->out, len);
    for (unsigned long i = 1; result == DOCA_SUCCESS; i++) {
        result = post(side, side->in);
        if (result == DOCA_SUCCESS)
            result = wait_for(side, &side->received, i);
        if (result != DOCA_SUCCESS || side->is_over)
            return result;
        memcpy(side->memory + MESSAGE_SIZE, side->memory, MESSAGE_SIZE);
        result = wait_for(side, &side->completed, i);
        if (result == DOCA_SUCCESS)
            result = send(side, side->out, sizeof(i));
    }
    return result;
}

static doca_error_t connect_to(struct side *side, const char *address, uint16_t port)
{
    struct doca_rdma_addr *addr;
    doca_error_t result = doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, address, port, &addr);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_rdma_connect_to_addr(side->rdma, addr, (union doca_data){.u64 = 0});
    (void)doca_rdma_addr_destroy(addr);
    return result == DOCA_SUCCESS ? wait_for_connection(side) : result;
}

/* The counter, in the memory that the server's first message tells of. */
static doca_error_t find_counter(struct side *side, size_t len, struct doca_mmap **map,
                                 struct doca_buf **counter)
{
    void *addr;
    size_t size;
    doca_error_t result = doca_mmap_create_from_export(NULL, side->memory, len, side->dev, map);

    if (result == DOCA_SUCCESS)
        result = doca_mmap_get_memrange(*map, &addr, &size);
    return result == DOCA_SUCCESS
               ? doca_buf_inventory_buf_get_by_addr(side->inventory, *map,
                                                    (char *)addr + COUNTER_AT, 8, counter)
               : result;
}

static doca_error_t play(struct side *side, unsigned long rounds, struct doca_buf *counter,
                         struct doca_buf *before)
{
    doca_error_t result = DOCA_SUCCESS;
    uint64_t number;

    for (unsigned long i = 0; i < rounds && result == DOCA_SUCCESS; i++) {
        memcpy(side->memory + MESSAGE_SIZE, &i, sizeof(i));
        result = post(side, side->in);
        if (result == DOCA_SUCCESS)
            result = add(side, counter, before, 1);
        if (result == DOCA_SUCCESS)
            result = send(side, side->out, sizeof(i));
        if (result == DOCA_SUCCESS)
            result = wait_for(side, &side->received, i + 2);
        if (result == DOCA_SUCCESS)
            result = wait_for(side, &side->completed, 2 * (i + 1));
        if (result == DOCA_SUCCESS && memcmp(side->memory, &i, sizeof(i)) != 0)
            result = DOCA_ERROR_UNEXPECTED;
    }
    if (result == DOCA_SUCCESS)
        result = add(side, counter, before, 0);
    if (result == DOCA_SUCCESS)
        result = wait_for(side, &side->completed, 2 * rounds + 1);
    memcpy(&number, side->memory + RESULT_AT, sizeof(number));
    if (result == DOCA_SUCCESS)
        printf("%lu answers, the counter is %llu\n", side->received - 1,
               (unsigned long long)number);
    return result;
}

static doca_error_t ask(struct side *side, unsigned long rounds)
{
    struct doca_buf *counter = NULL, *before = NULL;
    struct doca_mmap *map = NULL;
    size_t len;
    doca_error_t result = post(side, side->in);

    if (result == DOCA_SUCCESS)
        result = wait_for(side, &side->received, 1);
    if (result == DOCA_SUCCESS)
        result = doca_buf_get_data_len(side->in, &len);
    if (result == DOCA_SUCCESS)
        result = find_counter(side, len, &map, &counter);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_addr(side->inventory, side->map,
                                                    side->memory + RESULT_AT, 8, &before);
    if (result == DOCA_SUCCESS)
        result = play(side, rounds, counter, before);
    if (before != NULL)
        (void)doca_buf_dec_refcount(before, NULL);
    if (counter != NULL)
        (void)doca_buf_dec_refcount(counter, NULL);
    if (map != NULL)
        (void)doca_mmap_destroy(map);
    return result;
}

int main(int argc, char **argv)
{
    struct side side = {.outcome = DOCA_SUCCESS};
    unsigned long rounds = 1000, port = 0;
    doca_error_t result;

    if (argc < 2 || argc > 4 || !number_parse(argv[1], 1, UINT16_MAX, &port) ||
        (argc == 4 && !number_parse(argv[3], 1, ROUNDS_MAX, &rounds))) {
        fprintf(stderr, "usage: %s PORT [ADDRESS [ROUNDS]]; ports are 1 to %u, rounds 1 to %lu\n",
                argv[0], UINT16_MAX, ROUNDS_MAX);
        return 1;
    }
    result = open_side(&side);
    if (result == DOCA_SUCCESS && argc == 2)
        result = serve(&side, (uint16_t)port);
    else if (result == DOCA_SUCCESS)
        result = connect_to(&side, argv[2], (uint16_t)port);
    if (result == DOCA_SUCCESS && argc > 2)
        result = ask(&side, rounds);
    close_side(&side);
    return sample_exit(result);
}
