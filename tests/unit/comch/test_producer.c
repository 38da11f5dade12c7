/* SPDX-License-Identifier: BSD-3-Clause */
/* The fast path from the producer's side. */
#include "lib/comch_fast_fixture.h"

#include <pthread.h>

/* Progresses control and consumer until a condition holds. */
#define serve_until(end, fast, condition)                                                          \
    do {                                                                                           \
        struct patience patience_ = patience_of(DEFAULT_MS / 1e3);                                 \
        while (!(condition)) {                                                                     \
            unsigned int events_ = doca_pe_progress((end)->pe) + doca_pe_progress((fast)->pe);     \
            if (events_ != 0)                                                                      \
                continue;                                                                          \
            need(patience_lasts(&patience_) || !"in time: " #condition);                           \
            sched_yield();                                                                         \
        }                                                                                          \
    } while (0)

/* ---- refusals ---- */

static void has_two_places(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    open_consumer(&fast, &end, &mem, 4, NULL);
    need_ok(doca_comch_consumer_set_imm_data_len(fast.consumer, 4));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast.ctx));
    serve_until(&end, &fast, fast_state(&fast) == DOCA_CTX_STATE_RUNNING);
    hear(peer, 'p');
    post(&fast, landing(&mem, 0, 100));
    say(peer, 'p');
    /* Only what fits arrives, and in the buffer that was too short before. */
    serve_until(&end, &fast, fast.ok == 1);
    need(fast.last_len == 100);
    say(peer, '1');
    hear(peer, 'x');
    close_fast(&fast);
    close_memory(&mem);
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
}

static void check_task(struct fast *fast, struct memory *mem)
{
    struct doca_buf *buf = payload(mem, 0, 10);
    struct doca_comch_producer_task_send *task = new_transfer(fast, buf, "imm", 3, 7);

    need(doca_comch_producer_task_send_get_buf(task) == buf);
    need(doca_comch_producer_task_send_get_consumer_id(task) == 7);
    need(doca_comch_producer_task_send_get_imm_data_len(task) == 3);
    need(memcmp(doca_comch_producer_task_send_get_imm_data(task), "imm", 3) == 0);
    doca_comch_producer_task_send_set_buf(task, NULL);
    doca_comch_producer_task_send_set_consumer_id(task, 9);
    doca_comch_producer_task_send_set_imm_data(task, (uint8_t *)"other", 5);
    need(doca_comch_producer_task_send_get_buf(task) == NULL);
    need(doca_comch_producer_task_send_get_consumer_id(task) == 9);
    need(doca_comch_producer_task_send_get_imm_data_len(task) == 5);
    doca_comch_producer_task_send_set_imm_data(task, NULL, 0);
    need(doca_comch_producer_task_send_get_imm_data(task) == NULL);
    need(doca_comch_producer_task_send_get_imm_data_len(task) == 0);
    doca_task_free(doca_comch_producer_task_send_as_task(task));
    put(buf);
    need(doca_comch_producer_task_send_get_buf(NULL) == NULL);
    need(doca_comch_producer_task_send_get_consumer_id(NULL) == 0);
    need(doca_comch_producer_task_send_get_imm_data(NULL) == NULL);
    need(doca_comch_producer_task_send_get_imm_data_len(NULL) == 0);
    need(doca_comch_producer_task_send_as_task(NULL) == NULL);
    doca_comch_producer_task_send_set_buf(NULL, NULL);
    doca_comch_producer_task_send_set_consumer_id(NULL, 1);
    doca_comch_producer_task_send_set_imm_data(NULL, NULL, 0);
}

static void check_alloc(struct fast *fast, struct memory *mem)
{
    static uint8_t imm[33];
    struct doca_comch_producer_task_send *tasks[4], *extra = NULL;
    struct doca_buf *buf = payload(mem, 0, 10), *list = payload(mem, 0, 10);

    need_ok(doca_buf_chain_list(list, payload(mem, 10, 10)));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_alloc_init(NULL, buf, NULL, 0, 1, &extra));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_alloc_init(fast->producer, buf, NULL, 0, 1, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_alloc_init(fast->producer, NULL, NULL, 0, 1, &extra));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_alloc_init(fast->producer, buf, imm, 0, 1, &extra));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_alloc_init(fast->producer, buf, NULL, 1, 1, &extra));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_alloc_init(fast->producer, buf, imm, 33, 1, &extra));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_alloc_init(fast->producer, list, NULL, 0, 1, &extra));
    for (int i = 0; i < 4; i++)
        tasks[i] = new_transfer(fast, buf, NULL, 0, 1);
    need_code(DOCA_ERROR_NO_MEMORY,
              doca_comch_producer_task_send_alloc_init(fast->producer, buf, NULL, 0, 1, &extra));
    need(extra == NULL);
    for (int i = 0; i < 4; i++)
        doca_task_free(doca_comch_producer_task_send_as_task(tasks[i]));
    put(buf);
    put(list);
}

static void check_configuration(struct fast *fast)
{
    struct doca_comch_producer *producer = fast->producer;
    uint32_t id;

    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_get_id(NULL, &id));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_get_id(producer, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_set_conf(NULL, fast_transferred, fast_failed, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_set_conf(producer, NULL, fast_failed, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_set_conf(producer, fast_transferred, NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_producer_task_send_set_conf(producer, fast_transferred, fast_failed, 0));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_task_send_set_conf(
                                            producer, fast_transferred, fast_failed, 65536));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_destroy(NULL));
    need(doca_comch_producer_as_ctx(NULL) == NULL);
}

static void check_bare(struct comch_end *end)
{
    struct doca_comch_producer *bare;

    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_create(NULL, &bare));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_create(end_conn(end), NULL));
    need_ok(doca_comch_producer_create(end_conn(end), &bare));
    need_code(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_comch_producer_as_ctx(bare)));
    need_ok(doca_pe_connect_ctx(end->pe, doca_comch_producer_as_ctx(bare)));
    need_code(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_comch_producer_as_ctx(bare)));
    need_ok(doca_comch_producer_destroy(bare));
}

/* Submits one task in many wrong ways, then properly. */
static void check_submits(struct comch_end *end, struct fast *fast, struct memory *mem, int peer)
{
    uint32_t id = heard.new_ids[0];
    struct doca_buf *buf = payload(mem, 0, 100), *big = payload(mem, 0, 101);
    struct doca_comch_producer_task_send *task = new_transfer(fast, buf, NULL, 0, id);

    need_code(DOCA_ERROR_AGAIN, submit_transfer(task)); /* nothing is posted */
    doca_comch_producer_task_send_set_consumer_id(task, id + 2);
    need_code(DOCA_ERROR_INVALID_VALUE, submit_transfer(task));
    doca_comch_producer_task_send_set_consumer_id(task, 0);
    need_code(DOCA_ERROR_INVALID_VALUE, submit_transfer(task));
    doca_comch_producer_task_send_set_consumer_id(task, id);
    doca_comch_producer_task_send_set_imm_data(task, (uint8_t *)"5byte", 5);
    need_code(DOCA_ERROR_INVALID_VALUE, submit_transfer(task));
    doca_comch_producer_task_send_set_imm_data(task, NULL, 0);
    say(peer, 'p');
    hear(peer, 'p');
    /* Longer than the oldest post: the task fails, the post stays. */
    transfer(fast, big, NULL, 0, id);
    need(fast->failed == 0); /* callbacks come from progress */
    progress_until(fast, fast->failed == 1);
    need(fast->last_status == DOCA_ERROR_INVALID_VALUE);
    need_ok(submit_transfer(task));
    need_code(DOCA_ERROR_BAD_STATE, submit_transfer(task));
    progress_until(fast, fast->ok == 1);
    hear(peer, '1');
    say(peer, 'x');
    progress_until(end, heard.nexpired == 1);
    /* From here on nobody has that id. */
    buf = payload(mem, 0, 10);
    task = new_transfer(fast, buf, NULL, 0, id);
    need_code(DOCA_ERROR_INVALID_VALUE, submit_transfer(task));
    doca_task_free(doca_comch_producer_task_send_as_task(task));
    put(buf);
}

static void is_refused(int peer)
{
    struct doca_comch_producer_task_send *task;
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_client(&end);
    check_bare(&end);
    hear_of_consumers(&end, 1);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    open_producer(&fast, &end, 4, NULL);
    check_configuration(&fast);
    need_ok(doca_ctx_start(fast.ctx));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_producer_task_send_set_conf(
                                        fast.producer, fast_transferred, fast_failed, 1));
    need_code(DOCA_ERROR_IN_USE, doca_comch_producer_destroy(fast.producer));
    check_task(&fast, &mem);
    check_alloc(&fast, &mem);
    check_submits(&end, &fast, &mem, peer);
    need_ok(doca_ctx_stop(fast.ctx)); /* nothing in flight: at once */
    need_ok(doca_ctx_start(fast.ctx));
    task = new_transfer(&fast, payload(&mem, 0, 10), NULL, 0, heard.new_ids[0]);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(fast.ctx));
    need_code(DOCA_ERROR_BAD_STATE, submit_transfer(task));
    put((struct doca_buf *)doca_comch_producer_task_send_get_buf(task));
    doca_task_free(doca_comch_producer_task_send_as_task(task));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_producer_task_send_alloc_init(
                                        fast.producer, NULL, (uint8_t *)"x", 1, 1,
                                        &(struct doca_comch_producer_task_send *){0}));
    close_fast(&fast);
    close_memory(&mem);
    close_end(&end);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    run_pair(has_two_places, is_refused);
}

/* ---- producers in several threads, one consumer ---- */

#define THREADS 4
#define EACH    1000u

static uint32_t next_of[65536]; /* by producer: the number that comes next */

static void check_order(struct fast *fast, struct doca_comch_consumer_task_post_recv *task)
{
    struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
    struct memory *mem = fast->arg;
    uint32_t number;
    void *data;

    need(fast->last_status == DOCA_SUCCESS || fast->failed > 0);
    if (fast->last_status != DOCA_SUCCESS)
        return;
    need_ok(doca_buf_get_data(buf, &data));
    need(fast->last_len == 200);
    memcpy(&number, data, sizeof(number));
    need(number == next_of[fast->last_producer]++);
    for (size_t i = sizeof(number); i < 200; i++)
        need(((uint8_t *)data)[i] == (uint8_t)(fast->last_producer + i));
    need(fast->last_imm_len == 4 && memcmp(fast->last_imm, &number, 4) == 0);
    (void)mem;
    need_ok(doca_buf_reset_data_len(buf));
    need_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void free_flushed(struct fast *fast, struct doca_comch_consumer_task_post_recv *task)
{
    (void)fast;
    put(doca_comch_consumer_task_post_recv_get_buf(task));
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void receives_from_threads(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, 8 * 256, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    open_consumer(&fast, &end, &mem, 8, NULL);
    need_ok(doca_comch_consumer_set_imm_data_len(fast.consumer, 4));
    fast.keep_tasks = true;
    fast.on_arrival = check_order;
    fast.arg = &mem;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast.ctx));
    serve_until(&end, &fast, fast_state(&fast) == DOCA_CTX_STATE_RUNNING);
    for (size_t i = 0; i < 8; i++)
        post(&fast, landing(&mem, i * 256, 256));
    serve_until(&end, &fast, fast.ok == THREADS * EACH);
    need(fast.failed == 0);
    fast.on_arrival = free_flushed;
    say(peer, 'e');
    close_fast(&fast);
    close_memory(&mem);
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
}

struct sender {
    struct comch_end *end;
    struct fast fast;
    struct memory mem;
    pthread_t thread;
};

static void *send_many(void *arg)
{
    struct sender *sender = arg;
    struct fast *fast = &sender->fast;

    for (uint32_t i = 0; i < EACH; i++) {
        size_t slot = i % 8 * 256;

        progress_until(fast, i - fast->ok < 8);
        memcpy(sender->mem.bytes + slot, &i, sizeof(i));
        for (size_t j = sizeof(i); j < 200; j++)
            sender->mem.bytes[slot + j] = (char)(fast->id + j);
        transfer(fast, payload(&sender->mem, slot, 200), &i, 4, heard.new_ids[0]);
    }
    progress_until(fast, fast->ok == EACH);
    return NULL;
}

static void sends_from_threads(int peer)
{
    static struct sender senders[THREADS];
    struct comch_end end;

    start_fast_client(&end);
    hear_of_consumers(&end, 1);
    for (int i = 0; i < THREADS; i++) {
        senders[i].end = &end;
        open_memory(&senders[i].mem, &end, 8 * 256, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
        start_producer(&senders[i].fast, &end, 8);
    }
    for (int i = 0; i < THREADS; i++)
        need(pthread_create(&senders[i].thread, NULL, send_many, &senders[i]) == 0);
    /* The control context goes on meanwhile. */
    progress_until(&end, has_said(peer));
    hear(peer, 'e');
    for (int i = 0; i < THREADS; i++)
        need(pthread_join(senders[i].thread, NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        need(senders[i].fast.failed == 0);
        close_fast(&senders[i].fast);
        close_memory(&senders[i].mem);
    }
    close_end(&end);
}

static void threads_share_a_consumer(void **state)
{
    (void)state;
    run_pair(receives_from_threads, sends_from_threads);
}

/* ---- sleeping ---- */

static void *sleep_for_arrivals(void *arg)
{
    struct fast *fast = arg;

    sleep_until(fast, fast->ok == 500);
    return NULL;
}

static void repost(struct fast *fast, struct doca_comch_consumer_task_post_recv *task)
{
    (void)fast;
    if (fast->last_status != DOCA_SUCCESS) {
        free_flushed(fast, task);
        return;
    }
    need_ok(doca_buf_reset_data_len(doca_comch_consumer_task_post_recv_get_buf(task)));
    need_ok(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
}

static void sleeping_consumer(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;
    pthread_t thread;

    start_fast_server(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    open_consumer(&fast, &end, &mem, 2, NULL);
    fast.keep_tasks = true;
    fast.on_arrival = repost;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast.ctx));
    serve_until(&end, &fast, fast_state(&fast) == DOCA_CTX_STATE_RUNNING);
    post(&fast, landing(&mem, 0, 100));
    need(pthread_create(&thread, NULL, sleep_for_arrivals, &fast) == 0);
    sleep_until(&end, end.received == 1);
    need(pthread_join(thread, NULL) == 0);
    close_fast(&fast);
    close_memory(&mem);
    sleep_until(&end, end.disconnects == 1);
    close_end(&end);
    (void)peer;
}

static void wakes_the_consumer(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_client(&end);
    sleep_until(&end, heard.nnew == 1);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    start_producer(&fast, &end, 1);
    for (unsigned int i = 0; i < 500; i++) {
        /* Now and then the consumer has time to fall asleep. */
        for (uint64_t until = now_ms() + (i % 50 == 0 ? 5 : 0); now_ms() < until;)
            continue;
        transfer(&fast, payload(&mem, 0, 50), NULL, 0, heard.new_ids[0]);
        sleep_until(&fast, fast.ok == i + 1);
    }
    close_fast(&fast);
    close_memory(&mem);
    send_text(&end, "done");
    sleep_until(&end, heard.nexpired == 1);
    close_end(&end);
    (void)peer;
}

static void arrivals_wake(void **state)
{
    (void)state;
    run_pair(sleeping_consumer, wakes_the_consumer);
}

/* ---- copies that fail, and the end in the middle of a copy ---- */

static const char faulty[] =
    "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"representors\": [\"b1:00.0\"]},"
    "{\"role\": \"host\", \"pci\": \"b1:00.0\", \"caps\": {" PATIENCE "},"
    "\"copy\": {\"engine\": \"error\", \"error_base\": \"inline\", \"faults\": "
    "\"fail=2,again=2\"}}]}";

static void loses_nothing_by_a_failed_copy(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    start_consumer(&fast, &end, &mem, 2);
    post(&fast, landing(&mem, 0, 100));
    post(&fast, landing(&mem, 100, 100));
    serve_until(&end, &fast, fast.ok == 2);
    need(fast.failed == 0);
    say(peer, 'e');
    close_fast(&fast);
    close_memory(&mem);
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
}

static void fails_the_second_copy(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    use_devices(faulty);
    start_fast_client(&end);
    hear_of_consumers(&end, 1);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    start_producer(&fast, &end, 4);
    for (int i = 0; i < 3; i++)
        transfer(&fast, payload(&mem, 0, 60), NULL, 0, heard.new_ids[0]);
    progress_until(&fast, fast.ok + fast.failed == 3);
    need(fast.failed == 1);
    need(fast_state(&fast) == DOCA_CTX_STATE_RUNNING);
    hear(peer, 'e');
    close_fast(&fast);
    close_memory(&mem);
    close_end(&end);
}

static void a_failed_copy_fails_one_task(void **state)
{
    (void)state;
    run_pair(loses_nothing_by_a_failed_copy, fails_the_second_copy);
}

#define BIG (256u << 20)

static void stops_in_the_middle(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, BIG, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    start_consumer(&fast, &end, &mem, 2);
    post(&fast, landing(&mem, 0, BIG));
    hear(peer, 'b');
    close_fast(&fast);
    /* Nobody writes any more, whatever the producer does. */
    need(fast.failed == 1 && fast.ok == 0 && fast.last_status == DOCA_ERROR_IO_FAILED);
    close_memory(&mem);
    say(peer, 's');
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
}

/* Workers may copy from now on, since this thread could fall asleep; but however fast they are, the
 * transfer is not over before it makes progress. */
static void begin_a_long_copy(struct fast *fast, struct memory *mem)
{
    need_ok(doca_pe_request_notification(fast->pe));
    transfer(fast, payload(mem, 0, BIG), NULL, 0, heard.new_ids[0]);
    need_ok(doca_pe_clear_notification(fast->pe, 0));
}

static void is_in_the_middle(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_client(&end);
    hear_of_consumers(&end, 1);
    open_memory(&mem, &end, BIG, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    start_producer(&fast, &end, 2);
    begin_a_long_copy(&fast, &mem);
    say(peer, 'b');
    hear(peer, 's');
    progress_until(&fast, fast.ok + fast.failed == 1);
    need(fast.failed == 1 && fast.last_status == DOCA_ERROR_CONNECTION_RESET);
    close_fast(&fast);
    close_memory(&mem);
    close_end(&end);
}

static void stop_of_the_consumer_ends_a_copy(void **state)
{
    (void)state;
    run_pair(stops_in_the_middle, is_in_the_middle);
}

static void dies_in_the_middle(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, BIG, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    start_consumer(&fast, &end, &mem, 2);
    post(&fast, landing(&mem, 0, BIG));
    hear(peer, 'b');
    kill(getpid(), SIGKILL);
}

static void outlives_its_consumer(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_client(&end);
    hear_of_consumers(&end, 1);
    open_memory(&mem, &end, BIG, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    /* Without workers, which could be done with it before the peer gets a processor to die on. */
    setenv("OPENDOCA_COPY_ENGINE", "inline", 1);
    start_producer(&fast, &end, 2);
    transfer(&fast, payload(&mem, 0, BIG), NULL, 0, heard.new_ids[0]);
    doca_pe_progress(fast.pe);
    say(peer, 'b');
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(heard.nexpired == 1);
    progress_until(&fast, fast_state(&fast) == DOCA_CTX_STATE_IDLE);
    need(fast.failed == 1 && fast.last_status == DOCA_ERROR_CONNECTION_RESET);
    need_code(DOCA_ERROR_IN_USE, doca_comch_client_destroy(end.client));
    close_fast(&fast);
    close_memory(&mem);
    close_end(&end);
}

static void death_of_the_consumer_ends_a_copy(void **state)
{
    (void)state;
    run_sides(&(struct pair_side){"dpu", dies_in_the_middle}, 128 + SIGKILL,
              &(struct pair_side){"host", outlives_its_consumer}, 0);
}

/* ---- devices without ---- */

static const char slow_host[] =
    "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"representors\": [\"b1:00.0\"]},"
    "{\"role\": \"host\", \"pci\": \"b1:00.0\", \"caps\": {\"comch_fast_path\": false," PATIENCE
    "}}]}";

static void peer_has_none(int peer)
{
    struct doca_comch_producer *producer = NULL;
    struct doca_comch_consumer *consumer = NULL;
    struct comch_end end;
    struct memory mem;

    start_fast_server(&end);
    open_memory(&mem, &end, 100, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    need_code(DOCA_ERROR_NOT_PERMITTED, doca_comch_producer_create(end.conns[0], &producer));
    need_code(DOCA_ERROR_NOT_PERMITTED,
              doca_comch_consumer_create(end.conns[0], mem.mmap, &consumer));
    close_memory(&mem);
    close_end(&end);
    (void)peer;
}

static void device_has_none(int peer)
{
    struct doca_comch_producer *producer = NULL;
    struct comch_end end;

    use_devices(slow_host);
    start_fast_client(&end);
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_create(end_conn(&end), &producer));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
    (void)peer;
}

static void both_devices_must_have_a_fast_path(void **state)
{
    (void)state;
    run_pair(peer_has_none, device_has_none);
}

static const char few[] =
    "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"representors\": [\"b1:00.0\"],"
    "\"caps\": {\"comch_max_consumers\": 1, \"comch_max_producers\": 2}},"
    "{\"role\": \"host\", \"pci\": \"b1:00.0\"}]}";

static void has_few(int peer)
{
    struct doca_comch_producer *producers[3] = {NULL};
    struct doca_comch_consumer *consumers[2] = {NULL};
    struct comch_end end;
    struct memory mem;

    use_devices(few);
    start_fast_server(&end);
    open_memory(&mem, &end, 100, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    need_ok(doca_comch_producer_create(end.conns[0], &producers[0]));
    need_ok(doca_comch_producer_create(end.conns[0], &producers[1]));
    need_code(DOCA_ERROR_NO_MEMORY, doca_comch_producer_create(end.conns[0], &producers[2]));
    need_ok(doca_comch_consumer_create(end.conns[0], mem.mmap, &consumers[0]));
    need_code(DOCA_ERROR_NO_MEMORY,
              doca_comch_consumer_create(end.conns[0], mem.mmap, &consumers[1]));
    need_ok(doca_comch_producer_destroy(producers[0]));
    need_ok(doca_comch_producer_create(end.conns[0], &producers[0]));
    need_code(DOCA_ERROR_IN_USE, doca_comch_server_disconnect(end.server, end.conns[0]));
    need_ok(doca_comch_producer_destroy(producers[0]));
    need_ok(doca_comch_producer_destroy(producers[1]));
    need_ok(doca_comch_consumer_destroy(consumers[0]));
    need_ok(doca_comch_server_disconnect(end.server, end.conns[0]));
    close_memory(&mem);
    close_end(&end);
    need(end.disconnects == 0);
    (void)peer;
}

static void is_sent_away(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
    (void)peer;
}

static void a_side_has_its_limits(void **state)
{
    (void)state;
    run_pair(has_few, is_sent_away);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(threads_share_a_consumer),
        cmocka_unit_test(arrivals_wake),
        cmocka_unit_test(a_failed_copy_fails_one_task),
        cmocka_unit_test(stop_of_the_consumer_ends_a_copy),
        cmocka_unit_test(death_of_the_consumer_ends_a_copy),
        cmocka_unit_test(both_devices_must_have_a_fast_path),
        cmocka_unit_test(a_side_has_its_limits),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
