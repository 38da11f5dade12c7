/* SPDX-License-Identifier: BSD-3-Clause */
/* A sync event between two processes: exported by either role, plain and as a context, set and
 * added to. The processes only do what stands here; neither makes progress while it is told
 * nothing. */

#include "importer.h"

#define FIRST  UINT64_C(0x123456789abcdef0)
#define SECOND UINT64_C(17)

struct pair {
    struct peer exporter, importer;
    uint32_t mode;
};

static void tell(struct peer *peer, enum peer_op op, uint64_t value)
{
    peer_tell(peer, &(struct peer_command){.op = op, .seed = value});
}

static uint64_t hear(struct peer *peer)
{
    struct peer_answer answer;

    peer_hear(peer, &answer);
    assert_ok((doca_error_t)answer.status);
    return answer.value;
}

static void pair_open(struct pair *pair, const char *role, uint32_t mode)
{
    struct peer_command command = {.op = PEER_SYNC_EXPORT, .mode = mode};
    struct peer_answer answer;

    pair->mode = mode;
    peer_start(&pair->exporter, role, NULL);
    peer_start(&pair->importer, strcmp(role, "host") == 0 ? "dpu" : "host", NULL);
    peer_call(&pair->exporter, &command, &answer);
    assert_ok((doca_error_t)answer.status);
    command.op = PEER_SYNC_IMPORT;
    command.desc_len = answer.desc_len;
    memcpy(command.desc, answer.desc, answer.desc_len);
    peer_call(&pair->importer, &command, &answer);
    assert_ok((doca_error_t)answer.status);
}

static void pair_close(struct pair *pair)
{
    /* the exporter first: the other end must still go in peace */
    peer_do(&pair->exporter, PEER_SYNC_CLOSE, 0);
    peer_quit(&pair->exporter);
    peer_do(&pair->importer, PEER_SYNC_CLOSE, 0);
    peer_quit(&pair->importer);
}

/* One way and back, each side waiting before the other writes. */
static void converse(struct pair *pair)
{
    bool is_sum = (pair->mode & PEER_SYNC_ATOMIC) != 0;
    uint64_t second = is_sum ? FIRST + SECOND : SECOND;

    tell(&pair->importer, PEER_SYNC_AWAIT, FIRST);
    tell(&pair->exporter, PEER_SYNC_WRITE, FIRST);
    assert_int_equal(hear(&pair->exporter), 0);
    hear(&pair->importer);
    tell(&pair->exporter, PEER_SYNC_AWAIT, second);
    tell(&pair->importer, PEER_SYNC_WRITE, SECOND);
    assert_int_equal(hear(&pair->importer), is_sum ? FIRST : 0);
    hear(&pair->exporter);
}

/* Additions of both sides at once: none is lost. */
static void add_at_once(struct pair *pair)
{
    enum { ROUNDS = 500 };
    uint64_t sum = FIRST + SECOND;

    for (int i = 0; i < ROUNDS; i++) {
        tell(&pair->importer, PEER_SYNC_WRITE, 3);
        tell(&pair->exporter, PEER_SYNC_WRITE, 5);
        hear(&pair->importer);
        hear(&pair->exporter);
    }
    tell(&pair->importer, PEER_SYNC_AWAIT, sum + ROUNDS * 8);
    tell(&pair->exporter, PEER_SYNC_AWAIT, sum + ROUNDS * 8);
    hear(&pair->importer);
    hear(&pair->exporter);
}

static void test_mode(const char *role, uint32_t mode)
{
    struct pair pair;

    pair_open(&pair, role, mode);
    converse(&pair);
    if ((mode & PEER_SYNC_ATOMIC) != 0)
        add_at_once(&pair);
    pair_close(&pair);
}

static void host_exports(void **state)
{
    test_mode("host", *(uint32_t *)*state);
}

static void dpu_exports(void **state)
{
    test_mode("dpu", *(uint32_t *)*state);
}

static void the_exporter_is_killed(void **state)
{
    struct pair pair;
    struct peer_answer answer;
    double end;

    pair_open(&pair, "host", *(uint32_t *)*state);
    converse(&pair);
    peer_kill(&pair.exporter);
    end = seconds_now() + SECONDS_TO_NOTICE;
    do {
        tell(&pair.importer, PEER_SYNC_WRITE, 1);
        peer_hear(&pair.importer, &answer);
    } while (answer.status == DOCA_SUCCESS && seconds_now() < end);
    assert_int_equal(answer.status,
                     (pair.mode & PEER_SYNC_TASKS) != 0 ? DOCA_ERROR_IO_FAILED : DOCA_ERROR_DRIVER);
    peer_do(&pair.importer, PEER_SYNC_CLOSE, 0);
    peer_quit(&pair.importer);
}

#define IN_MODE(function, mode)                                                                    \
    {                                                                                              \
#function " " #mode, function, NULL, NULL, &mode                                           \
    }

int main(void)
{
    static uint32_t plain_set = 0, plain_add = PEER_SYNC_ATOMIC, task_set = PEER_SYNC_TASKS;
    static uint32_t task_add = PEER_SYNC_TASKS | PEER_SYNC_ATOMIC;
    const struct CMUnitTest tests[] = {
        IN_MODE(host_exports, plain_set),
        IN_MODE(host_exports, plain_add),
        IN_MODE(host_exports, task_set),
        IN_MODE(host_exports, task_add),
        IN_MODE(dpu_exports, plain_set),
        IN_MODE(dpu_exports, plain_add),
        IN_MODE(dpu_exports, task_set),
        IN_MODE(dpu_exports, task_add),
        IN_MODE(the_exporter_is_killed, plain_set),
        IN_MODE(the_exporter_is_killed, task_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
