/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sys/mman.h>

#include "conformance/link/rig.h"

static struct rig rig;

static int setup(void **state)
{
    (void)state;
    rig_init(&rig);
    rig_open(&rig);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_close(&rig);
    return 0;
}

static void fill(char *bytes, size_t len, unsigned int seed)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)(i * 7 + seed + (i >> 8));
}

static void hello_and_answer_reach_the_other_side(void **state)
{
    size_t len;

    (void)state;
    assert_memory_equal(soft_link_hello(rig.server, &len), "hello", 5);
    assert_int_equal(len, 5);
    assert_memory_equal(soft_link_answer(rig.client, &len), "welcome", 7);
    assert_int_equal(len, 7);
}

static void messages_of_any_length_arrive_whole_and_in_order(void **state)
{
    char bytes[4080];
    size_t step = rig_is("ucx") ? 61 : 1;

    (void)state;
    fill(bytes, sizeof(bytes), 1);
    for (size_t len = 0; len <= sizeof(bytes); len += len < 300 ? 1 : step) {
        rig_send(rig.client, bytes + sizeof(bytes) - len, len);
        rig_send(rig.server, bytes, len);
        rig_expect(rig.server, bytes + sizeof(bytes) - len, len);
        rig_expect(rig.client, bytes, len);
    }
    rig_send(rig.client, bytes, sizeof(bytes));
    rig_expect(rig.server, bytes, sizeof(bytes));
    assert_int_equal(rig_try_send(rig.client, bytes, sizeof(bytes) + 1), -EMSGSIZE);
}

static void a_message_is_gathered_from_pieces(void **state)
{
    char text[] = "abcdefgh";
    struct iovec iov[4] = {{text, 2}, {NULL, 0}, {text + 2, 5}, {text + 7, 1}};
    struct iovec huge[2] = {{text, 2}, {text, SIZE_MAX}};

    (void)state;
    assert_int_equal(soft_link_send(rig.client, iov, 4), 0);
    assert_int_equal(soft_link_send(rig.client, NULL, 0), 0);
    assert_int_equal(soft_link_send(rig.client, huge, 2), -EMSGSIZE);
    rig_expect(rig.server, text, 8);
    rig_expect(rig.server, "", 0);
}

static void depth_bounds_what_is_in_flight(void **state)
{
    (void)state;
    assert_int_equal(soft_link_depth(rig.client), 8);
    for (unsigned int round = 0; round < 3; round++) {
        for (unsigned int i = 0; i < 8; i++)
            rig_send(rig.client, &i, sizeof(i));
        assert_int_equal(rig_try_send(rig.client, "x", 1), -EAGAIN);
        assert_int_equal(soft_link_taken(rig.client), round * 8);
        for (unsigned int i = 0; i < 8; i++) {
            rig_expect(rig.server, &i, sizeof(i));
            rig_wait_taken(rig.client, round * 8 + i + 1);
        }
    }
}

static void the_larger_depth_and_the_shorter_message_hold(void **state)
{
    struct soft_link_conf wide = rig.conf;

    (void)state;
    rig_close(&rig);
    rig_listen(&rig);
    wide.depth = 20;
    wide.max_msg = 1000;
    assert_int_equal(soft_link_connect(rig.addr, &wide, NULL, 0, &rig.client), 0);
    rig.server = rig_next(&rig);
    assert_int_equal(soft_link_accept(rig.server, NULL, 0), 0);
    rig_wait(rig.client, SOFT_LINK_UP);
    assert_int_equal(soft_link_depth(rig.client), 20);
    assert_int_equal(soft_link_depth(rig.server), 20);
    assert_int_equal(soft_link_max_msg(rig.client), 1000);
    assert_int_equal(soft_link_max_msg(rig.server), 1000);
    for (unsigned int i = 0; i < 20; i++)
        assert_int_equal(rig_try_send(rig.server, &i, sizeof(i)), 0);
    assert_int_equal(rig_try_send(rig.server, "x", 1), -EAGAIN);
    for (unsigned int i = 0; i < 20; i++)
        rig_expect(rig.client, &i, sizeof(i));
}

static void what_is_sent_arrives_without_further_calls(void **state)
{
    time_t deadline = rig_deadline();

    (void)state;
    for (unsigned int i = 0; i < 5; i++)
        rig_send(rig.client, &i, sizeof(i));
    for (unsigned int i = 0; i < 5; i++)
        rig_expect(rig.server, &i, sizeof(i));
    while (soft_link_arrived(rig.client) < 5)
        rig_tick(deadline);
    assert_int_equal(soft_link_arrived(rig.client), 5);
}

static void shutdown_delivers_all_first(void **state)
{
    time_t deadline = rig_deadline();

    (void)state;
    for (unsigned int i = 0; i < 8; i++)
        rig_send(rig.client, &i, sizeof(i));
    assert_false(soft_link_peer_ended(rig.server));
    soft_link_shutdown(rig.client);
    soft_link_shutdown(rig.client);
    assert_int_equal(rig_try_send(rig.client, "x", 1), -EPIPE);
    assert_int_equal(soft_link_poll(rig.client, NULL), SOFT_LINK_CLOSING);
    while (!soft_link_peer_ended(rig.server))
        rig_tick(deadline);
    for (unsigned int i = 0; i < 8; i++)
        rig_expect(rig.server, &i, sizeof(i));
    assert_int_equal(rig_recv_end(rig.server), -ESHUTDOWN);
    assert_int_equal(rig_recv_end(rig.server), -ESHUTDOWN);
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), 0);
    assert_int_equal(soft_link_taken(rig.client), 8);
}

static void each_side_ends_for_itself(void **state)
{
    (void)state;
    soft_link_shutdown(rig.client);
    assert_int_equal(rig_recv_end(rig.server), -ESHUTDOWN);
    rig_send(rig.server, "still", 5);
    rig_expect(rig.client, "still", 5);
    soft_link_shutdown(rig.server);
    assert_int_equal(rig_recv_end(rig.client), -ESHUTDOWN);
    assert_int_equal(rig_wait(rig.client, SOFT_LINK_DOWN), 0);
    assert_int_equal(rig_wait(rig.server, SOFT_LINK_DOWN), 0);
}

static void a_close_after_a_shutdown_is_orderly(void **state)
{
    (void)state;
    rig_send(rig.client, "last", 4);
    rig_expect(rig.server, "last", 4);
    soft_link_shutdown(rig.client);
    soft_link_close(rig.client);
    rig.client = NULL;
    assert_int_equal(rig_recv_end(rig.server), -ESHUTDOWN);
    assert_int_equal(rig_wait(rig.server, SOFT_LINK_DOWN), 0);
    assert_int_equal(rig_try_send(rig.server, "x", 1), -EPIPE);
}

static void a_cut_link_says_reset_after_what_arrived(void **state)
{
    time_t deadline = rig_deadline();

    (void)state;
    rig_send(rig.client, "last", 4);
    while (soft_link_arrived(rig.client) < 1)
        rig_tick(deadline);
    soft_link_close(rig.client);
    rig.client = NULL;
    assert_int_equal(rig_wait(rig.server, SOFT_LINK_DOWN), -ECONNRESET);
    assert_true(soft_link_peer_ended(rig.server));
    rig_expect(rig.server, "last", 4);
    assert_int_equal(rig_recv_end(rig.server), -ECONNRESET);
    assert_int_equal(rig_recv_end(rig.server), -ECONNRESET);
    assert_int_equal(rig_try_send(rig.server, "x", 1), -EPIPE);
}

static void long_messages_fit_as_well(void **state)
{
    const size_t len = 3u << 20;
    char *bytes = malloc(len);

    (void)state;
    rig_close(&rig);
    rig.conf.max_msg = (uint32_t)len;
    rig.conf.depth = 4;
    rig_open(&rig);
    for (unsigned int i = 0; i < 9; i++) {
        size_t n = len - i * 4099;

        fill(bytes, n, i);
        rig_send(rig.client, bytes, n);
        rig_send(rig.client, &i, sizeof(i));
        rig_expect(rig.server, bytes, n);
        rig_expect(rig.server, &i, sizeof(i));
    }
    free(bytes);
}

/* ---- Two threads ---- */

#define RANDOM_MESSAGES 10000u

struct side {
    struct soft_link *link;
    uint64_t seed_out;
    uint64_t seed_in;
    unsigned int sent;
    unsigned int received;
    const char *wrong;
};

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Most are short, some are as long as can be. */
static size_t random_message(uint64_t *state, char *bytes, size_t max)
{
    uint64_t what = draw(state);
    size_t len = what % 4 == 0 ? (what >> 8) % (max + 1) : (what >> 8) % 100;

    for (size_t i = 0; i < len; i += 8) {
        uint64_t word = draw(state);

        memcpy(bytes + i, &word, OD_MIN(sizeof(word), len - i));
    }
    return len;
}

static void receive_one(struct side *side, char *expected)
{
    struct soft_link_msg msg;
    int rc = soft_link_recv(side->link, &msg);
    size_t len;

    if (rc == -EAGAIN)
        return;
    if (rc != 0) {
        side->wrong = "the link ended";
        return;
    }
    len = random_message(&side->seed_in, expected, 4080);
    if (msg.len != len)
        side->wrong = "another length";
    else if (memcmp(msg.data, expected, len) != 0)
        side->wrong = "other bytes";
    soft_link_release(side->link);
    side->received++;
}

static void *talk(void *arg)
{
    static __thread char out[4080 + 8], in[4080 + 8];
    struct side *side = arg;
    time_t deadline = rig_deadline();
    unsigned int done = 0;
    bool waits = false;
    size_t len = 0;

    while (side->wrong == NULL &&
           (side->sent < RANDOM_MESSAGES || side->received < RANDOM_MESSAGES)) {
        /* For each message anew. */
        if (side->sent + side->received > done)
            deadline = rig_deadline();
        done = side->sent + side->received;
        if (side->sent < RANDOM_MESSAGES) {
            if (!waits)
                len = random_message(&side->seed_out, out, 4080);
            waits = rig_try_send(side->link, out, len) == -EAGAIN;
            side->sent += !waits;
            if (side->sent % 3 != 0)
                soft_link_more(side->link);
        }
        if (side->received < RANDOM_MESSAGES)
            receive_one(side, in);
        if (waits)
            sched_yield();
        if (whole_seconds_now() > deadline)
            side->wrong = "it takes too long";
    }
    return NULL;
}

static void random_traffic_both_ways_on_two_threads(void **state)
{
    struct side a = {.link = rig.client, .seed_out = 11, .seed_in = 22};
    struct side b = {.link = rig.server, .seed_out = 22, .seed_in = 11};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, talk, &b), 0);
    talk(&a);
    pthread_join(thread, NULL);
    if (a.wrong != NULL || b.wrong != NULL)
        fail_msg("client: %s (%u sent, %u received); server: %s (%u, %u)",
                 a.wrong != NULL ? a.wrong : "fine", a.sent, a.received,
                 b.wrong != NULL ? b.wrong : "fine", b.sent, b.received);
    rig_wait_taken(rig.client, RANDOM_MESSAGES);
    rig_wait_taken(rig.server, RANDOM_MESSAGES);
}

/* ---- Memory that may not be there ---- */

#define PAGE 4096u

/* `pages` of them, of which those from `gone` on cannot be read. */
static char *memory_of(unsigned int pages, unsigned int gone)
{
    char *memory =
        mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    fill(memory, pages * PAGE, 5);
    assert_int_equal(mprotect(memory + gone * PAGE, (pages - gone) * PAGE, PROT_NONE), 0);
    return memory;
}

static int send_from(const char *memory, size_t len)
{
    const struct iovec iov[3] = {
        {(char[]){"head"}, 4}, {(void *)(uintptr_t)memory, len}, {(char[]){"good"}, 4}};

    return soft_link_send_foreign(rig.client, iov, 3, 1, "gone");
}

/* With a link for long messages. Only tcp does. */
static bool takes_foreign(void)
{
    static char here[PAGE];

    if (!rig_is("tcp") || rig_is("error")) {
        assert_int_equal(send_from(here, PAGE), -ENOTSUP);
        return false;
    }
    rig_close(&rig);
    rig.conf.max_msg = 64 * PAGE + 8;
    rig.conf.depth = 64;
    rig_open(&rig);
    return true;
}

/* The first `there` bytes are those of the memory. */
static void expect_from(size_t len, size_t there, const char *verdict)
{
    struct soft_link_msg msg;
    const char *bytes;

    assert_int_equal(rig_recv(rig.server, &msg), 0);
    assert_int_equal(msg.len, len + 8);
    bytes = msg.data;
    assert_memory_equal(bytes, "head", 4);
    assert_memory_equal(bytes + 4 + len, verdict, 4);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(bytes[4 + i], i < there ? (char)(i * 7 + 5 + (i >> 8)) : 0);
    soft_link_release(rig.server);
}

static void memory_that_is_not_there_is_told(void **state)
{
    char *whole, *half;

    (void)state;
    if (!takes_foreign())
        return;
    whole = memory_of(64, 64);
    half = memory_of(64, 32);
    assert_int_equal(send_from(whole, PAGE), 0);
    expect_from(PAGE, PAGE, "good");
    assert_int_equal(send_from(half, 64 * PAGE), 0);
    expect_from(64 * PAGE, 32 * PAGE, "gone");
    assert_int_equal(send_from(half + 32 * PAGE, 100), 0);
    expect_from(100, 0, "gone");
    rig_send(rig.client, "alive", 5);
    rig_expect(rig.server, "alive", 5);
    munmap(whole, 64 * PAGE);
    munmap(half, 64 * PAGE);
}

/* More than a socket takes at once: what is kept of a message has been read, or not, by then. */
static void memory_may_go_when_the_message_is_sent(void **state)
{
    unsigned int sent = 0;
    char *memory;
    int rc = 0;

    (void)state;
    if (!takes_foreign())
        return;
    memory = memory_of(64, 64);
    for (; sent < 64 && rc == 0; sent += rc == 0)
        rc = send_from(memory, 64 * PAGE);
    munmap(memory, 64 * PAGE);
    assert_true(sent > 0 && (rc == 0 || rc == -EAGAIN));
    for (unsigned int i = 0; i < sent; i++)
        expect_from(64 * PAGE, 64 * PAGE, "good");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hello_and_answer_reach_the_other_side, setup, teardown),
        cmocka_unit_test_setup_teardown(messages_of_any_length_arrive_whole_and_in_order, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_message_is_gathered_from_pieces, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_that_is_not_there_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_may_go_when_the_message_is_sent, setup, teardown),
        cmocka_unit_test_setup_teardown(depth_bounds_what_is_in_flight, setup, teardown),
        cmocka_unit_test_setup_teardown(the_larger_depth_and_the_shorter_message_hold, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_sent_arrives_without_further_calls, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(shutdown_delivers_all_first, setup, teardown),
        cmocka_unit_test_setup_teardown(each_side_ends_for_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(a_close_after_a_shutdown_is_orderly, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cut_link_says_reset_after_what_arrived, setup, teardown),
        cmocka_unit_test_setup_teardown(long_messages_fit_as_well, setup, teardown),
        cmocka_unit_test_setup_teardown(random_traffic_both_ways_on_two_threads, setup, teardown),
    };

    rig_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
