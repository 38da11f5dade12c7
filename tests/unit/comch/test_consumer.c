/* SPDX-License-Identifier: BSD-3-Clause */
/* The fast path from the consumer's side: what arrives, where, and what is told of it. */
#include "lib/comch_fast_fixture.h"

#define MIB (1u << 20)

/* ---- as the published programs do it: one direction, then the other ---- */

static const char text[] = "a text of which the producer's memory consists";

static void send_text_when_running(struct fast *fast, enum doca_ctx_states next)
{
    struct memory *mem = fast->arg;

    /* Inside the start, with no progress call in this process: AGAIN ends by itself. */
    if (next == DOCA_CTX_STATE_RUNNING)
        transfer(fast, payload(mem, 0, mem->size), NULL, 0, heard.new_ids[heard.nnew - 1]);
}

static void produce(struct comch_end *end)
{
    struct memory mem;
    struct fast fast;
    char *copy = strdup(text);

    open_memory_at(&mem, end, copy, strlen(text), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    open_producer(&fast, end, 1, NULL);
    fast.on_state = send_text_when_running;
    fast.arg = &mem;
    need_ok(doca_ctx_start(fast.ctx));
    progress_until(&fast, fast.ok == 1);
    need(fast.failed == 0);
    close_fast(&fast);
    close_memory(&mem);
}

static void post_when_running(struct fast *fast, enum doca_ctx_states next)
{
    struct memory *mem = fast->arg;

    if (next == DOCA_CTX_STATE_RUNNING)
        post(fast, landing(mem, 0, mem->size));
}

static void consume(struct comch_end *end)
{
    struct memory mem;
    struct fast fast;

    open_memory(&mem, end, MIB, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    open_consumer(&fast, end, &mem, 1, NULL);
    fast.on_state = post_when_running;
    fast.arg = &mem;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast.ctx));
    for (uint64_t until = now_ms() + DEFAULT_MS; fast.ok == 0;) {
        need(now_ms() < until);
        doca_pe_progress(end->pe);
        doca_pe_progress(fast.pe);
    }
    need(fast.last_len == strlen(text) && memcmp(mem.bytes, text, strlen(text)) == 0);
    need(mem.bytes[strlen(text)] == 0x5a);
    need(fast.last_producer != 0 && fast.last_imm_len == 0);
    close_fast(&fast);
    close_memory(&mem);
}

static void consumes_then_produces(int peer)
{
    struct comch_end end;

    start_fast_server(&end);
    consume(&end);
    hear_of_consumers(&end, 1);
    produce(&end);
    progress_until(&end, heard.nexpired == 1);
    need(heard.expired_ids[0] == heard.new_ids[0]);
    say(peer, 'e');
    close_end(&end);
}

static void produces_then_consumes(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    hear_of_consumers(&end, 1);
    produce(&end);
    progress_until(&end, heard.nexpired == 1);
    consume(&end);
    progress_until(&end, has_said(peer));
    close_end(&end);
}

static void one_direction_and_then_the_other(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        run_pair(consumes_then_produces, produces_then_consumes);
}

/* ---- two of each, in both directions ---- */

static void check_ids(const struct fast *ends, const uint32_t *theirs)
{
    uint32_t ids[6];

    for (int i = 0; i < 4; i++)
        ids[i] = ends[i].id;
    memcpy(&ids[4], theirs, 2 * sizeof(ids[0]));
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++)
            need(ids[i] != ids[j]);
    }
}

/* Each producer sends its number to the consumer of the same number, three times. */
static void cross(struct comch_end *end, int peer)
{
    struct memory in[2], out[2];
    struct fast ends[4]; /* two consumers, two producers */

    for (int i = 0; i < 2; i++) {
        open_memory(&in[i], end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
        open_memory(&out[i], end, 4096, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
        start_consumer(&ends[i], end, &in[i], 4);
        start_producer(&ends[2 + i], end, 4);
        memset(out[i].bytes, 'A' + i, 4096);
        for (size_t j = 0; j < 3; j++)
            post(&ends[i], landing(&in[i], j * 1000, 1000));
    }
    hear_of_consumers(end, 2);
    check_ids(ends, heard.new_ids);
    for (int i = 0; i < 6; i++)
        transfer(&ends[2 + i % 2], payload(&out[i % 2], 0, 100u + (unsigned int)i), NULL, 0,
                 heard.new_ids[i % 2]);
    for (int i = 0; i < 4; i++)
        progress_until(&ends[i], ends[i].ok == 3);
    for (int i = 0; i < 2; i++) {
        for (size_t j = 0; j < 3; j++) {
            size_t len = 100 + 2 * j + (size_t)i;

            need(in[i].bytes[j * 1000] == 'A' + i && in[i].bytes[j * 1000 + len - 1] == 'A' + i);
            need(in[i].bytes[j * 1000 + len] == 0x5a);
        }
    }
    for (int i = 0; i < 4; i++)
        need(ends[i].failed == 0);
    say(peer, 'd');
    hear(peer, 'd');
    for (int i = 0; i < 4; i++)
        close_fast(&ends[i]);
    for (int i = 0; i < 2; i++) {
        close_memory(&in[i]);
        close_memory(&out[i]);
    }
    progress_until(end, heard.nexpired == 2);
    say(peer, 'e');
    progress_until(end, has_said(peer));
}

static void cross_server(int peer)
{
    struct comch_end end;

    start_fast_server(&end);
    cross(&end, peer);
    close_end(&end);
}

static void cross_client(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    cross(&end, peer);
    close_end(&end);
}

static void data_lands_at_its_consumer(void **state)
{
    (void)state;
    run_pair(cross_server, cross_client);
}

/* ---- content: length, immediate data, appending, alignment ---- */

static void receives_all_kinds(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;
    struct doca_buf *buf;
    uint32_t producer;

    start_fast_server(&end);
    open_memory(&mem, &end, 2 * MIB, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    open_consumer(&fast, &end, &mem, 8, end.pe);
    need_ok(doca_comch_consumer_set_imm_data_len(fast.consumer, 32));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast.ctx));
    progress_until(&end, fast_state(&fast) == DOCA_CTX_STATE_RUNNING);
    progress_until(&end, end.received == 1);
    memcpy(&producer, end.last, sizeof(producer));
    /* 1 MiB at once */
    post(&fast, landing(&mem, 1, MIB));
    progress_until(&end, fast.ok == 1);
    need(fast.last_len == MIB && fast.last_producer == producer && fast.last_imm_len == 0);
    for (uint32_t i = 0; i < MIB; i++)
        need(mem.bytes[1 + i] == (char)(i * 13 + (i >> 8)));
    /* one byte with immediate data */
    post(&fast, landing(&mem, 0, 100));
    progress_until(&end, fast.ok == 2);
    need(fast.last_len == 1 && fast.last_imm_len == 32 &&
         memcmp(fast.last_imm, "0123456789abcdef0123456789ABCDEF", 32) == 0);
    /* immediate data only, without a buffer */
    post(&fast, NULL);
    progress_until(&end, fast.ok == 3);
    need(fast.last_imm_len == 1 && fast.last_imm[0] == 'i');
    /* behind data that is there */
    buf = payload(&mem, 0, 100);
    need_ok(doca_buf_set_data_len(buf, 10));
    post(&fast, buf);
    progress_until(&end, fast.ok == 4);
    need(fast.last_len == 10 + 1);
    /* nothing at all */
    post(&fast, landing(&mem, 0, 100));
    progress_until(&end, fast.ok == 5);
    need(fast.last_len == 0 && fast.last_imm_len == 0);
    close_fast(&fast);
    close_memory(&mem);
    close_end(&end);
    (void)peer;
}

static void sends_all_kinds(int peer)
{
    struct doca_buf *empty;
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_client(&end);
    hear_of_consumers(&end, 1);
    open_memory(&mem, &end, MIB + 3, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    for (uint32_t i = 0; i < MIB; i++)
        mem.bytes[3 + i] = (char)(i * 13 + (i >> 8));
    start_producer(&fast, &end, 8);
    send_to(&end, end_conn(&end), &fast.id, sizeof(fast.id));
    transfer(&fast, payload(&mem, 3, MIB), NULL, 0, heard.new_ids[0]);
    progress_until(&fast, fast.ok == 1);
    transfer(&fast, payload(&mem, 1, 1), "0123456789abcdef0123456789ABCDEF", 32, heard.new_ids[0]);
    progress_until(&fast, fast.ok == 2);
    transfer(&fast, NULL, "i", 1, heard.new_ids[0]);
    progress_until(&fast, fast.ok == 3);
    transfer(&fast, payload(&mem, 1, 1), NULL, 0, heard.new_ids[0]);
    progress_until(&fast, fast.ok == 4);
    empty = landing(&mem, 0, 8);
    transfer(&fast, empty, NULL, 0, heard.new_ids[0]);
    progress_until(&fast, fast.ok == 5);
    need(fast.failed == 0);
    progress_until(&end, end.sent == 1);
    close_fast(&fast);
    close_memory(&mem);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
    (void)peer;
}

static void content_arrives(void **state)
{
    (void)state;
    run_pair(receives_all_kinds, sends_all_kinds);
}

/* ---- stop and death ---- */

static void flushes_posts(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    start_consumer(&fast, &end, &mem, 4);
    for (int i = 0; i < 3; i++)
        post(&fast, landing(&mem, 0, 100));
    /* Buffers hold the map, a running consumer its connection. */
    need_code(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mem.mmap));
    need_code(DOCA_ERROR_IN_USE, doca_comch_consumer_destroy(fast.consumer));
    need_code(DOCA_ERROR_IN_USE, doca_comch_server_disconnect(end.server, end.conns[0]));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(fast.ctx));
    progress_until(&fast, fast_state(&fast) == DOCA_CTX_STATE_IDLE);
    need(fast.failed == 3 && fast.ok == 0 && fast.last_status == DOCA_ERROR_IO_FAILED);
    /* It can be started again. */
    fast.nstates = 0;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast.ctx));
    for (uint64_t until = now_ms() + DEFAULT_MS; fast_state(&fast) != DOCA_CTX_STATE_RUNNING;) {
        need(now_ms() < until);
        doca_pe_progress(end.pe);
        doca_pe_progress(fast.pe);
    }
    close_fast(&fast);
    close_memory(&mem);
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
    (void)peer;
}

static void sees_them_come_and_go(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    progress_until(&end, heard.nnew == 2 && heard.nexpired == 2);
    need(heard.new_ids[0] == heard.new_ids[1] && heard.expired_ids[1] == heard.new_ids[0]);
    close_end(&end);
    (void)peer;
}

static void stop_flushes_and_tells(void **state)
{
    (void)state;
    run_pair(flushes_posts, sees_them_come_and_go);
}

static void consumer_outlives_the_peer(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    start_consumer(&fast, &end, &mem, 4);
    post(&fast, landing(&mem, 0, 100));
    post(&fast, landing(&mem, 0, 100));
    hear_of_consumers(&end, 1);
    say(peer, 'k');
    /* The peer's consumer expires before its connection ends. */
    progress_until(&end, heard.nexpired == 1);
    need(end.dirty_disconnects == 0);
    progress_until(&end, end.dirty_disconnects == 1);
    progress_until(&fast, fast_state(&fast) == DOCA_CTX_STATE_IDLE);
    need(fast.failed == 2 && fast.last_status == DOCA_ERROR_CONNECTION_RESET);
    need(fast.nstates == 4 && fast.states[2] == DOCA_CTX_STATE_STOPPING);
    /* The server can stop, but not be destroyed, with what is left of the connection. */
    need_ok(doca_ctx_stop(end.ctx));
    need_code(DOCA_ERROR_IN_USE, doca_comch_server_destroy(end.server));
    need_code(DOCA_ERROR_BAD_STATE, doca_ctx_start(fast.ctx));
    close_fast(&fast);
    close_memory(&mem);
    close_end(&end);
}

static void peer_of_a_consumer_dies(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_client(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    start_consumer(&fast, &end, &mem, 4);
    hear(peer, 'k');
    kill(getpid(), SIGKILL);
}

static void death_of_the_peer_ends_consumers(void **state)
{
    (void)state;
    run_sides(&(struct pair_side){"dpu", consumer_outlives_the_peer}, 0,
              &(struct pair_side){"host", peer_of_a_consumer_dies}, 128 + SIGKILL);
}

static void stops_with_a_consumer(int peer)
{
    struct comch_end end;
    struct memory mem;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    start_consumer(&fast, &end, &mem, 4);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(end.ctx));
    for (int i = 0; i < 1000; i++)
        doca_pe_progress(end.pe);
    need(end_state(&end) == DOCA_CTX_STATE_STOPPING && end.disconnects == 0);
    close_fast(&fast);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(end.disconnects == 1);
    close_memory(&mem);
    close_end(&end);
    (void)peer;
}

static void leaves_when_told(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need(heard.nnew == 1 && heard.nexpired == 1);
    close_end(&end);
    (void)peer;
}

static void stop_waits_for_consumers(void **state)
{
    (void)state;
    run_pair(stops_with_a_consumer, leaves_when_told);
}

/* ---- misuse ---- */

static void check_creation(struct comch_end *end, struct memory *mem)
{
    struct doca_comch_consumer *consumer = NULL;
    struct doca_comch_connection *conn = end_conn(end);
    struct doca_mmap *bare;
    struct memory readable;

    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_create(NULL, mem->mmap, &consumer));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_create(conn, NULL, &consumer));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_create(conn, mem->mmap, NULL));
    need_ok(doca_mmap_create(&bare));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_consumer_create(conn, bare, &consumer));
    need_ok(doca_mmap_destroy(bare));
    open_memory(&readable, end, 100, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    need_code(DOCA_ERROR_NOT_PERMITTED, doca_comch_consumer_create(conn, readable.mmap, &consumer));
    close_memory(&readable);
    need(consumer == NULL);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_destroy(NULL));
    need(doca_comch_consumer_as_ctx(NULL) == NULL);
}

static void check_configuration(struct fast *fast)
{
    struct doca_comch_consumer *consumer = fast->consumer;
    uint32_t value;

    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_get_id(NULL, &value));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_get_id(consumer, NULL));
    need_ok(doca_comch_consumer_get_imm_data_len(consumer, &value));
    need(value == 0);
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_get_imm_data_len(NULL, &value));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_get_imm_data_len(consumer, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_set_imm_data_len(NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_set_imm_data_len(consumer, 33));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_consumer_task_post_recv_set_conf(NULL, fast_arrived, fast_flushed, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_consumer_task_post_recv_set_conf(consumer, NULL, fast_flushed, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_consumer_task_post_recv_set_conf(consumer, fast_arrived, NULL, 1));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_consumer_task_post_recv_set_conf(consumer, fast_arrived, fast_flushed, 0));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_task_post_recv_set_conf(
                                            consumer, fast_arrived, fast_flushed, 65536));
}

static void check_running(struct fast *fast, struct memory *mem, struct memory *other)
{
    struct doca_comch_consumer_task_post_recv *task, *extra = NULL;
    struct doca_buf *buf = landing(mem, 0, 100), *foreign = landing(other, 0, 100);

    need_code(DOCA_ERROR_BAD_STATE, doca_comch_consumer_set_imm_data_len(fast->consumer, 1));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_consumer_task_post_recv_set_conf(
                                        fast->consumer, fast_arrived, fast_flushed, 1));
    need_code(DOCA_ERROR_BAD_STATE, doca_ctx_start(fast->ctx));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_consumer_task_post_recv_alloc_init(NULL, buf, &extra));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_consumer_task_post_recv_alloc_init(fast->consumer, buf, NULL));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_consumer_task_post_recv_alloc_init(fast->consumer, foreign, &extra));
    /* Without immediate data a post needs a buffer. */
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_consumer_task_post_recv_alloc_init(fast->consumer, NULL, &extra));
    need_ok(doca_comch_consumer_task_post_recv_alloc_init(fast->consumer, buf, &task));
    need_code(DOCA_ERROR_NO_MEMORY,
              doca_comch_consumer_task_post_recv_alloc_init(fast->consumer, buf, &extra));
    need(extra == NULL);
    need(doca_comch_consumer_task_post_recv_get_buf(task) == buf);
    need(doca_comch_consumer_task_post_recv_get_producer_id(task) == 0);
    doca_comch_consumer_task_post_recv_set_buf(task, foreign);
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_task_try_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    doca_comch_consumer_task_post_recv_set_buf(task, buf);
    doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
    need(doca_comch_consumer_task_post_recv_as_task(NULL) == NULL);
    need(doca_comch_consumer_task_post_recv_get_buf(NULL) == NULL);
    need(doca_comch_consumer_task_post_recv_get_producer_id(NULL) == 0);
    need(doca_comch_consumer_task_post_recv_get_imm_data(NULL) == NULL);
    need(doca_comch_consumer_task_post_recv_get_imm_data_len(NULL) == 0);
    doca_comch_consumer_task_post_recv_set_buf(NULL, NULL);
    put(buf);
    put(foreign);
}

static void misuses_consumers(int peer)
{
    struct doca_comch_consumer *bare;
    struct memory mem, other;
    struct comch_end end;
    struct fast fast;

    start_fast_server(&end);
    open_memory(&mem, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    open_memory(&other, &end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    check_creation(&end, &mem);
    need_ok(doca_comch_consumer_create(end.conns[0], mem.mmap, &bare));
    need_code(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(doca_comch_consumer_as_ctx(bare)));
    need_ok(doca_pe_connect_ctx(end.pe, doca_comch_consumer_as_ctx(bare)));
    need_code(DOCA_ERROR_BAD_STATE, doca_ctx_start(doca_comch_consumer_as_ctx(bare)));
    need_ok(doca_comch_consumer_destroy(bare));
    open_consumer(&fast, &end, &mem, 1, NULL);
    check_configuration(&fast);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(fast.ctx));
    for (uint64_t until = now_ms() + DEFAULT_MS; fast_state(&fast) != DOCA_CTX_STATE_RUNNING;) {
        need(now_ms() < until);
        doca_pe_progress(end.pe);
        doca_pe_progress(fast.pe);
    }
    check_running(&fast, &mem, &other);
    close_fast(&fast);
    close_memory(&mem);
    close_memory(&other);
    say(peer, 'e');
    close_end(&end);
}

static void waits(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    hear(peer, 'e');
    close_end(&end);
}

static void misuse_of_consumers_is_refused(void **state)
{
    (void)state;
    run_pair(misuses_consumers, waits);
}

/* ---- a client that has not connected has no connection to create on ---- */

static void creates_too_early(int peer)
{
    struct doca_comch_consumer *consumer;
    struct doca_comch_producer *producer;
    struct doca_comch_connection *conn;
    struct comch_end end;
    struct memory mem;

    start_fast_client(&end);
    conn = end_conn(&end);
    open_memory(&mem, &end, 100, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    doca_ctx_stop(end.ctx);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_consumer_create(conn, mem.mmap, &consumer));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_producer_create(conn, &producer));
    end.nstates = 0;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_consumer_create(conn, mem.mmap, &consumer));
    need_code(DOCA_ERROR_CONNECTION_INPROGRESS, doca_comch_connection_update_info(conn));
    close_memory(&mem);
    close_end(&end);
    say(peer, 'e');
}

static void serves(int peer)
{
    struct comch_end end;

    open_server(&end);
    need_ok(doca_ctx_start(end.ctx));
    progress_until(&end, has_said(peer));
    close_end(&end);
}

static void creation_needs_a_connection(void **state)
{
    (void)state;
    run_pair(serves, creates_too_early);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_direction_and_then_the_other),
        cmocka_unit_test(data_lands_at_its_consumer),
        cmocka_unit_test(content_arrives),
        cmocka_unit_test(stop_flushes_and_tells),
        cmocka_unit_test(death_of_the_peer_ends_consumers),
        cmocka_unit_test(stop_waits_for_consumers),
        cmocka_unit_test(misuse_of_consumers_is_refused),
        cmocka_unit_test(creation_needs_a_connection),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
