/* SPDX-License-Identifier: BSD-3-Clause */
/* One of the programs of demo_urom.c: its own processor only waits. */
#include "tools/opendoca/demo.h"
#include "tools/opendoca/demo_urom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <doca_ctx.h>
#include <doca_pe.h>
#include <doca_urom.h>
#include <doca_urom_amo.h>
#include <doca_urom_coll.h>
#include <doca_urom_ops.h>
#include <doca_urom_rma.h>

#include "tools/opendoca/opendoca_tool.h"
#include "util/base.h"
#include "util/parse.h"

#define PATIENCE_S 60.0

/* Where things lie in a rank's memory. */
#define SOURCE   0
#define RESULT   DEMO_BLOCK
#define INCOMING (2 * DEMO_BLOCK)
#define COUNTER  (3 * DEMO_BLOCK)
#define SIZE     (COUNTER + 4096)

static struct rank {
    struct demo_meeting *meeting;
    uint32_t number, next;
    unsigned int round; /* of the meeting */
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_urom_service *service;
    struct doca_urom_worker *worker;
    struct doca_urom_domain *domain;
    struct doca_urom_ops *ops;
    struct doca_urom_coll_team *team;
    struct doca_urom_ops_region *own, *beside, *first;
    uint64_t plugins;
    char *memory;
    bool over; /* the operation at hand */
    doca_error_t status;
    uint64_t before;
} self;

/* ------------------------------------------------------------------------------------------------
 * Waiting
 */

static void op_done(struct doca_urom_ops *ops, doca_error_t status, void *user_data)
{
    (void)ops;
    (void)user_data;
    self.over = true;
    self.status = status;
}

static void region_done(struct doca_urom_ops_region *region, doca_error_t status, void *user_data)
{
    (void)region;
    op_done(NULL, status, user_data);
}

static void team_done(struct doca_urom_coll_team *team, doca_error_t status, void *user_data)
{
    (void)team;
    op_done(NULL, status, user_data);
}

static void amo_done(struct doca_urom_ops *ops, doca_error_t status, uint64_t before,
                     void *user_data)
{
    self.before = before;
    op_done(ops, status, user_data);
}

/* The end of an operation that began with this result. */
static doca_error_t finish(doca_error_t result)
{
    const double end = demo_now() + PATIENCE_S;

    if (result != DOCA_SUCCESS)
        return result;
    while (!self.over) {
        doca_pe_progress(self.pe);
        if (demo_now() > end)
            return DOCA_ERROR_TIME_OUT;
    }
    self.over = false;
    return self.status;
}

static doca_error_t start(struct doca_ctx *ctx)
{
    const double end = demo_now() + PATIENCE_S;
    enum doca_ctx_states state = DOCA_CTX_STATE_STARTING;
    doca_error_t result = doca_ctx_start(ctx);

    if (result != DOCA_ERROR_IN_PROGRESS)
        return result;
    while (state == DOCA_CTX_STATE_STARTING && demo_now() < end) {
        doca_pe_progress(self.pe);
        doca_ctx_get_state(ctx, &state);
    }
    return state == DOCA_CTX_STATE_RUNNING ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED;
}

/* ------------------------------------------------------------------------------------------------
 * Meeting the others
 */

struct request {
    struct demo_round *round;
    char *to;
    size_t len;
};

static doca_error_t allgather(void *from, void *to, size_t len, void *info, void **req)
{
    struct request *request = malloc(sizeof(*request));

    (void)info;
    if (request == NULL || len > DEMO_AREA || self.round == DEMO_ROUNDS) {
        free(request);
        return DOCA_ERROR_NO_MEMORY;
    }
    *request = (struct request){&self.meeting->rounds[self.round++], to, len};
    memcpy(request->round->bytes[self.number], from, len);
    atomic_fetch_add(&request->round->arrived, 1);
    *req = request;
    return DOCA_SUCCESS;
}

static doca_error_t req_test(void *req)
{
    const struct request *request = req;

    if (atomic_load(&request->round->arrived) < DEMO_RANKS)
        return DOCA_ERROR_IN_PROGRESS;
    for (unsigned int i = 0; i < DEMO_RANKS; i++)
        memcpy(request->to + i * request->len, request->round->bytes[i], request->len);
    return DOCA_SUCCESS;
}

static doca_error_t req_free(void *req)
{
    free(req);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Up to where operations can begin
 */

static doca_error_t open_service(void)
{
    struct doca_ctx *ctx;
    doca_error_t result = demo_open_device(&self.dev);

    if (result == DOCA_SUCCESS)
        result = doca_pe_create(&self.pe);
    if (result == DOCA_SUCCESS)
        result = doca_urom_service_create(&self.service);
    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_urom_service_as_ctx(self.service);
    result = doca_pe_connect_ctx(self.pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_urom_service_set_dev(self.service, self.dev);
    return result == DOCA_SUCCESS ? start(ctx) : result;
}

static doca_error_t find_plugins(void)
{
    static const char *const names[] = {"worker_rma", "worker_amo", "worker_coll"};
    const struct doca_urom_service_plugin_info *list;
    unsigned int found = 0;
    size_t count;
    doca_error_t result = doca_urom_service_get_plugins_list(self.service, &list, &count);

    for (size_t i = 0; result == DOCA_SUCCESS && i < count; i++) {
        for (size_t k = 0; k < OD_ARRAY_SIZE(names); k++) {
            if (strcmp(list[i].plugin_name, names[k]) != 0)
                continue;
            self.plugins |= list[i].id;
            found++;
        }
    }
    return result == DOCA_SUCCESS && found < OD_ARRAY_SIZE(names) ? DOCA_ERROR_NOT_FOUND : result;
}

static doca_error_t open_worker(void)
{
    struct doca_ctx *ctx;
    doca_error_t result = doca_urom_worker_create(&self.worker);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_urom_worker_as_ctx(self.worker);
    result = doca_urom_worker_set_service(self.worker, self.service);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(self.pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_urom_worker_set_id(self.worker, self.number);
    if (result == DOCA_SUCCESS)
        result = doca_urom_worker_set_plugins(self.worker, self.plugins);
    if (result == DOCA_SUCCESS)
        result = start(ctx);
    return result == DOCA_SUCCESS
               ? doca_urom_ops_create(self.service, self.worker, self.plugins, &self.ops)
               : result;
}

static doca_error_t open_memory(void)
{
    self.memory = demo_memory(SIZE, false);
    if (self.memory == NULL)
        return DOCA_ERROR_NO_MEMORY;
    for (uint32_t i = 0; i < DEMO_NUMBERS; i++)
        ((int64_t *)(self.memory + SOURCE))[i] = (int64_t)i * (self.number + 1);
    self.meeting->memory[self.number] = (uintptr_t)self.memory;
    return finish(doca_urom_ops_region_create(
        self.ops, self.memory, SIZE,
        DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE | DOCA_UROM_OPS_ACCESS_ATOMIC,
        region_done, NULL, &self.own));
}

static doca_error_t open_domain(void)
{
    struct doca_urom_domain_oob_coll oob = {.allgather = allgather,
                                            .req_test = req_test,
                                            .req_free = req_free,
                                            .n_oob_indexes = DEMO_RANKS,
                                            .oob_index = self.number};
    uint64_t ids[] = {self.number};
    struct doca_ctx *ctx;
    const void *desc;
    size_t len;
    doca_error_t result = doca_urom_domain_create(&self.domain);

    if (result != DOCA_SUCCESS)
        return result;
    ctx = doca_urom_domain_as_ctx(self.domain);
    result = doca_pe_connect_ctx(self.pe, ctx);
    if (result == DOCA_SUCCESS)
        result = doca_urom_domain_set_oob(self.domain, &oob);
    if (result == DOCA_SUCCESS)
        result = doca_urom_domain_set_workers(self.domain, ids, &self.worker, 1);
    if (result == DOCA_SUCCESS)
        result = doca_urom_domain_set_buffers_count(self.domain, 1);
    if (result == DOCA_SUCCESS)
        result = doca_urom_ops_region_get_desc(self.own, &desc, &len);
    if (result == DOCA_SUCCESS)
        result =
            doca_urom_domain_add_buffer(self.domain, self.memory, SIZE, NULL, 0, (void *)desc, len);
    return result == DOCA_SUCCESS ? start(ctx) : result;
}

static doca_error_t attach(uint32_t rank, struct doca_urom_ops_region **region)
{
    return finish(doca_urom_ops_region_attach_domain(self.ops, rank, self.meeting->memory[rank],
                                                     region_done, NULL, region));
}

/* ------------------------------------------------------------------------------------------------
 * Operations
 */

static void expect(bool right)
{
    if (!right)
        atomic_fetch_add(&self.meeting->wrong[self.number], 1);
}

static uint64_t here(size_t place)
{
    return (uintptr_t)self.memory + place;
}

static doca_error_t put_and_get(void)
{
    const uint64_t there = self.meeting->memory[self.next] + INCOMING;
    doca_error_t result = finish(doca_urom_rma_put(self.ops, self.own, here(SOURCE), self.beside,
                                                   there, DEMO_BLOCK, 0, op_done, NULL));

    if (result == DOCA_SUCCESS)
        result = finish(doca_urom_rma_get(self.ops, self.own, here(RESULT), self.beside, there,
                                          DEMO_BLOCK, 0, op_done, NULL));
    expect(memcmp(self.memory + SOURCE, self.memory + RESULT, DEMO_BLOCK) == 0);
    return result;
}

static doca_error_t add(void)
{
    const struct doca_urom_amo one = {.op = DOCA_UROM_AMO_FETCH_ADD,
                                      .size = sizeof(uint64_t),
                                      .region = self.first,
                                      .addr = self.meeting->memory[0] + COUNTER,
                                      .value = 1};
    doca_error_t result = DOCA_SUCCESS;

    for (unsigned int i = 0; i < DEMO_ADDS && result == DOCA_SUCCESS; i++)
        result = finish(doca_urom_amo_post(self.ops, &one, amo_done, NULL));
    return result;
}

static doca_error_t reduce(void)
{
    const struct doca_urom_coll_place from = {self.own, here(SOURCE)},
                                      to = {self.own, here(RESULT)};
    const int64_t *sums = (const int64_t *)(self.memory + RESULT);
    doca_error_t result =
        finish(doca_urom_coll_allreduce(self.team, from, to, DEMO_NUMBERS, DOCA_UROM_COLL_INT64,
                                        DOCA_UROM_COLL_SUM, op_done, NULL));
    bool right = true;

    for (uint32_t i = 0; i < DEMO_NUMBERS; i++)
        right = right && sums[i] == (int64_t)i * DEMO_RANKS * (DEMO_RANKS + 1) / 2;
    expect(right);
    return result;
}

/* After a barrier: what the one before put here, and what all added. The counter is atomic: for
 * memory that is not mapped a thread of this process adds. */
static void look_at_own_memory(void)
{
    const uint32_t before = (self.number + DEMO_RANKS - 1) % DEMO_RANKS;
    const int64_t *numbers = (const int64_t *)(self.memory + INCOMING);
    const _Atomic uint64_t *counter = (const _Atomic uint64_t *)(self.memory + COUNTER);
    bool right = true;

    for (uint32_t i = 0; i < DEMO_NUMBERS; i++)
        right = right && numbers[i] == (int64_t)i * (before + 1);
    expect(right);
    if (self.number == 0)
        self.meeting->additions = *counter;
}

static doca_error_t open_team(void)
{
    static const uint64_t ids[DEMO_RANKS] = {0, 1, 2, 3};

    return finish(doca_urom_coll_team_create(self.ops, 1, self.number, ids, DEMO_RANKS, team_done,
                                             NULL, &self.team));
}

static bool run(void)
{
    if (demo_failed(open_service(), "start of the service") ||
        demo_failed(find_plugins(), "plugins") || demo_failed(open_worker(), "start of a worker") ||
        demo_failed(open_memory(), "region") || demo_failed(open_domain(), "start of the domain") ||
        demo_failed(attach(self.next, &self.beside), "region of the next one") ||
        demo_failed(attach(0, &self.first), "region of the first one") ||
        demo_failed(open_team(), "team"))
        return false;
    if (demo_failed(put_and_get(), "put and get") || demo_failed(add(), "atomic additions") ||
        demo_failed(reduce(), "all-reduce") ||
        demo_failed(finish(doca_urom_coll_barrier(self.team, op_done, NULL)), "barrier"))
        return false;
    look_at_own_memory();
    return true;
}

/* The program of a rank; the end of the process is the end of all that it has. */
int tool_demo_rank(int argc, char **argv)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    const double end = demo_now() + PATIENCE_S;
    uint64_t number;

    if (argc != 2 || od_parse_u64(argv[1], &number) != 0 || number >= DEMO_RANKS)
        return TOOL_USAGE;
    self.number = (uint32_t)number;
    self.next = (self.number + 1) % DEMO_RANKS;
    self.meeting =
        mmap(NULL, sizeof(*self.meeting), PROT_READ | PROT_WRITE, MAP_SHARED, STDIN_FILENO, 0);
    if (self.meeting == MAP_FAILED || !run())
        return EXIT_FAILURE;
    atomic_fetch_add(&self.meeting->done, 1);
    while (atomic_load(&self.meeting->go) == 0 && demo_now() < end)
        nanosleep(&pause, NULL);
    atomic_store(&self.meeting->last[self.number],
                 (int)doca_urom_rma_put(self.ops, self.own, here(SOURCE), self.beside,
                                        self.meeting->memory[self.next] + INCOMING, DEMO_BLOCK, 0,
                                        op_done, NULL));
    return EXIT_SUCCESS;
}
