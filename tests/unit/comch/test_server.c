/* SPDX-License-Identifier: BSD-3-Clause */
/* Servers among many clients, bad ones too. */
#include "lib/comch_raw.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/un.h>

static unsigned int count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned int num = 0;

    need(dir != NULL);
    while (readdir(dir) != NULL)
        num++;
    closedir(dir);
    return num;
}

/* ---- a client that means no good, beside one that does no wrong ---- */

#define PINGS 500u
#define FLOOD 3000u

static void answer_pings(struct comch_end *end, struct doca_comch_connection *conn)
{
    if (end->last_len == 4 && memcmp(end->last, "ping", 4) == 0)
        send_to(end, conn, "pong", 4);
}

static void server_of_both(int peer)
{
    struct comch_end end;

    open_server(&end);
    end.on_message = answer_pings;
    need_ok(doca_comch_server_set_max_msg_size(end.server, BAD_MAX));
    need_ok(doca_ctx_start(end.ctx));
    progress_until_within(&end, 50000, has_said(peer));
    hear(peer, 'e');
    progress_until(&end, end.connects == end.disconnects + end.dirty_disconnects);
    /* The good one, and the last of the bad ones, which said nothing bad. */
    need(end.disconnects == 2);
    need(end.dirty_disconnects >= OD_ARRAY_SIZE(bad_frames));
    need(end.failed_connects == 0 && end_state(&end) == DOCA_CTX_STATE_RUNNING);
    close_end(&end);
}

static void ping_again(struct comch_end *end, struct doca_comch_connection *conn)
{
    need(last_is(end, "pong"));
    if (end->received < PINGS)
        send_to(end, conn, "ping", 4);
}

/* All its life beside the bad one. */
static void good_client(int peer)
{
    struct comch_end end;

    open_client(&end);
    end.on_message = ping_again;
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    say(peer, 'u');
    send_text(&end, "ping");
    progress_until(&end, end.received == PINGS);
    hear(peer, 'b');
    /* And after all that it does as before. */
    end.received = 0;
    send_text(&end, "ping");
    progress_until(&end, end.received == PINGS);
    need(end.failed == 0);
    close_end(&end);
}

static void greet_badly(const struct comch_side *side)
{
    uint8_t hello[COMCH_HELLO_MAX], garbage[SOFT_LINK_HELLO_MAX];
    size_t len = raw_hello(side, hello);
    struct soft_link *link;

    memset(garbage, 0xee, sizeof(garbage));
    for (size_t n = 0; n <= sizeof(garbage); n = 2 * n + 1) {
        need(raw_connect(side, garbage, n, &link) == SOFT_LINK_DOWN);
        soft_link_close(link);
    }
    /* Each byte of a good greeting matters: version, sizes, card, function, name. */
    for (size_t i = 0; i < len; i++) {
        if (i >= 8 && i < 16)
            continue; /* sizes that a client might have */
        hello[i] ^= 0x80;
        if (raw_connect(side, hello, len, &link) == SOFT_LINK_UP)
            need(!"refused: a changed greeting");
        soft_link_close(link);
        hello[i] ^= 0x80;
    }
}

static void send_bad_frames(const struct comch_side *side)
{
    uint8_t hello[COMCH_HELLO_MAX];
    size_t len = raw_hello(side, hello);
    struct soft_link *link;

    for (size_t i = 0; i < OD_ARRAY_SIZE(bad_frames); i++) {
        need(raw_connect(side, hello, len, &link) == SOFT_LINK_UP);
        raw_send_bad(link, &bad_frames[i]);
        raw_await_end(link);
        soft_link_close(link);
    }
}

/* Neither a consumer that cannot be reached nor the end of one that never was is a reason to cut.
 */
static void announce_nothing(const struct comch_side *side)
{
    struct {
        struct comch_frame_head head;
        uint32_t nslots, imm_len, page_desc_len, data_desc_len;
        uint8_t descs[80];
    } consumer = {{.kind = COMCH_FRAME_CONSUMER, .id = 9}, 16, 0, 40, 40, {0}};
    const struct comch_frame_head expired = {.kind = COMCH_FRAME_EXPIRED, .id = 10};
    const struct {
        struct comch_frame_head head;
        char text;
    } message = {{.kind = COMCH_FRAME_MESSAGE}, 'x'};
    uint8_t hello[COMCH_HELLO_MAX];
    size_t len = raw_hello(side, hello);
    struct soft_link *link;
    uint64_t until = now_ms() + 2 * DEFAULT_MS;

    need(raw_connect(side, hello, len, &link) == SOFT_LINK_UP);
    raw_send(link, &consumer, sizeof(consumer));
    raw_send(link, &expired, sizeof(expired));
    for (unsigned int i = 0; i < FLOOD; i++)
        raw_send(link, &message, sizeof(message.head) + 1);
    while (soft_link_taken(link) < FLOOD + 2)
        need(now_ms() < until && soft_link_poll(link, NULL) == SOFT_LINK_UP);
    soft_link_shutdown(link);
    raw_await_end(link);
    soft_link_close(link);
}

/* Connections that say nothing, or what is no frame at all. */
static void knock(const struct comch_side *side)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    char address[COMCH_ADDRESS_SIZE];
    int socks[200];

    comch_wire_address(side->identity, side->identity_len, address);
    snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/link-%s", getenv("OPENDOCA_RUNTIME_DIR"),
             strchr(address, ':') + 1);
    for (size_t i = 0; i < OD_ARRAY_SIZE(socks); i++) {
        socks[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        need(socks[i] >= 0);
        need(connect(socks[i], (struct sockaddr *)&addr, sizeof(addr)) == 0);
        if (i % 2 == 0)
            send(socks[i], "no frame of ours, but longer than its head", 42, MSG_NOSIGNAL);
    }
    for (size_t i = 0; i < OD_ARRAY_SIZE(socks); i++)
        close(socks[i]);
}

static void bad_client(int peer)
{
    const struct pair_side good = {"host", good_client};
    struct comch_end end;
    int ends[2];
    pid_t pid;

    need(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    pid = pair_start(&good, ends[0], ends[1]);
    close(ends[0]);
    hear(ends[1], 'u');
    open_client(&end); /* for its identity */
    greet_badly(side_of(&end));
    knock(side_of(&end));
    send_bad_frames(side_of(&end));
    announce_nothing(side_of(&end));
    say(ends[1], 'b');
    need(pair_wait(pid) == 0);
    close(ends[1]);
    close_end(&end);
    say(peer, 'e');
}

static void a_bad_client_does_not_disturb_others(void **state)
{
    (void)state;
    run_pair(server_of_both, bad_client);
}

/* ---- as many clients as a device allows ---- */

#define MAX_CLIENTS 512u

struct crowd {
    struct doca_comch_client *clients[MAX_CLIENTS + 1];
    enum doca_ctx_states states[MAX_CLIENTS + 1];
    unsigned int running, answered;
};

static void member_changes(const union doca_data user_data, struct doca_ctx *ctx,
                           enum doca_ctx_states prev, enum doca_ctx_states next)
{
    (void)user_data;
    (void)ctx;
    (void)prev;
    (void)next;
}

static void member_hears(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                         struct doca_comch_connection *conn)
{
    struct doca_comch_client *client = doca_comch_client_get_client_ctx(conn);
    union doca_data data;
    struct crowd *crowd;
    uint32_t number;

    need(event != NULL && len == sizeof(number));
    memcpy(&number, bytes, sizeof(number));
    need_ok(doca_ctx_get_user_data(doca_comch_client_as_ctx(client), &data));
    crowd = data.ptr;
    need(number <= MAX_CLIENTS && crowd->clients[number] == client);
    crowd->answered++;
}

static void member_sent(struct doca_comch_task_send *task, union doca_data task_data,
                        union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    need(doca_task_get_status(doca_comch_task_send_as_task(task)) == DOCA_SUCCESS);
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void add_member(struct crowd *crowd, struct comch_end *end, unsigned int i)
{
    struct doca_comch_client *client;
    struct doca_ctx *ctx;

    need_ok(doca_comch_client_create(end->dev, SERVICE, &client));
    ctx = doca_comch_client_as_ctx(client);
    crowd->clients[i] = client;
    need_ok(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = crowd}));
    need_ok(doca_ctx_set_state_changed_cb(ctx, member_changes));
    need_ok(doca_pe_connect_ctx(end->pe, ctx));
    need_ok(doca_comch_client_set_max_msg_size(client, 32));
    need_ok(doca_comch_client_set_recv_queue_size(client, 2));
    need_ok(doca_comch_client_task_send_set_conf(client, member_sent, member_sent, 2));
    need_ok(doca_comch_client_event_msg_recv_register(client, member_hears));
}

static enum doca_ctx_states member_state(const struct crowd *crowd, unsigned int i)
{
    enum doca_ctx_states state;

    need_ok(doca_ctx_get_state(doca_comch_client_as_ctx(crowd->clients[i]), &state));
    return state;
}

static void await_member(struct crowd *crowd, struct comch_end *end, unsigned int i,
                         enum doca_ctx_states state)
{
    progress_until(end, member_state(crowd, i) == state);
}

static void member_says_its_number(struct crowd *crowd, uint32_t *number)
{
    struct doca_comch_client *client = crowd->clients[*number];
    struct doca_comch_connection *conn;
    struct doca_comch_task_send *task;

    need_ok(doca_comch_client_get_connection(client, &conn));
    need_ok(doca_comch_client_task_send_alloc_init(client, conn, number, sizeof(*number), &task));
    need_ok(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void start_member(struct crowd *crowd, unsigned int i)
{
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(doca_comch_client_as_ctx(crowd->clients[i])));
}

static void crowd_of_clients(int peer)
{
    static uint32_t numbers[MAX_CLIENTS + 1];
    static struct crowd crowd;
    struct comch_end end;

    hear(peer, 'r');
    memset(&end, 0, sizeof(end));
    end_open_device(&end);
    for (unsigned int i = 0; i <= MAX_CLIENTS; i++) {
        numbers[i] = i;
        add_member(&crowd, &end, i);
    }
    for (unsigned int i = 0; i < MAX_CLIENTS; i++)
        start_member(&crowd, i);
    for (unsigned int i = 0; i < MAX_CLIENTS; i++)
        await_member(&crowd, &end, i, DOCA_CTX_STATE_RUNNING);
    /* One more is refused, until one leaves. */
    start_member(&crowd, MAX_CLIENTS);
    await_member(&crowd, &end, MAX_CLIENTS, DOCA_CTX_STATE_IDLE);
    for (unsigned int i = 0; i < MAX_CLIENTS; i++)
        member_says_its_number(&crowd, &numbers[i]);
    progress_until(&end, crowd.answered == MAX_CLIENTS);
    doca_ctx_stop(doca_comch_client_as_ctx(crowd.clients[0]));
    await_member(&crowd, &end, 0, DOCA_CTX_STATE_IDLE);
    say(peer, '1');
    hear(peer, '1');
    start_member(&crowd, MAX_CLIENTS);
    await_member(&crowd, &end, MAX_CLIENTS, DOCA_CTX_STATE_RUNNING);
    member_says_its_number(&crowd, &numbers[MAX_CLIENTS]);
    progress_until(&end, crowd.answered == MAX_CLIENTS + 1);
    /* The server ends them all. */
    say(peer, 's');
    for (unsigned int i = 0; i <= MAX_CLIENTS; i++) {
        await_member(&crowd, &end, i, DOCA_CTX_STATE_IDLE);
        need_ok(doca_comch_client_destroy(crowd.clients[i]));
    }
    need_ok(doca_dev_close(end.dev));
    need_ok(doca_pe_destroy(end.pe));
}

static void echo(struct comch_end *end, struct doca_comch_connection *conn)
{
    static uint32_t numbers[MAX_CLIENTS + 1]; /* stay as they are until they are sent */
    uint32_t number;

    memcpy(&number, end->last, sizeof(number));
    need(end->last_len == sizeof(number) && number <= MAX_CLIENTS);
    numbers[number] = number;
    send_to(end, conn, &numbers[number], sizeof(number));
}

static void serves_a_crowd(int peer)
{
    struct comch_end end;

    open_server(&end);
    end.on_message = echo;
    need_ok(doca_comch_server_set_max_msg_size(end.server, 32));
    need_ok(doca_comch_server_set_recv_queue_size(end.server, MAX_CLIENTS));
    need_ok(doca_ctx_start(end.ctx));
    say(peer, 'r');
    progress_until_within(&end, 50000, end.connects == MAX_CLIENTS);
    progress_until(&end, end.disconnects == 1);
    hear(peer, '1');
    say(peer, '1');
    progress_until(&end, has_said(peer));
    hear(peer, 's');
    need(end.connects == MAX_CLIENTS + 1 && end.received == MAX_CLIENTS + 1);
    close_end(&end);
    need(end.disconnects == MAX_CLIENTS + 1 && end.dirty_disconnects == 0);
    need(end.sent == MAX_CLIENTS + 1 && end.failed == 0);
}

static void clients_up_to_the_limit_of_the_device(void **state)
{
    struct rlimit limit;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_max < 4 * MAX_CLIENTS)
        skip(); /* too few descriptors */
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    run_pair(serves_a_crowd, crowd_of_clients);
}

/* ---- clients that come and go leave nothing behind ---- */

#define ROUNDS 50u

static void sees_them_come_and_go(int peer)
{
    struct comch_end end;
    unsigned int before = 0;

    start_server(&end);
    for (unsigned int i = 1; i <= ROUNDS; i++) {
        progress_until(&end, end.disconnects == i);
        if (i == 2)
            before = count_fds();
        if (i == ROUNDS)
            need(count_fds() == before);
        say(peer, 'n');
    }
    close_end(&end);
}

static void comes_and_goes(int peer)
{
    unsigned int before = 0;
    struct comch_end end;

    for (unsigned int i = 1; i <= ROUNDS; i++) {
        start_client(&end);
        send_text(&end, "here");
        close_end(&end);
        hear(peer, 'n');
        if (i == 2)
            before = count_fds();
    }
    need(count_fds() == before);
}

static void clients_leave_nothing_behind(void **state)
{
    (void)state;
    run_pair(sees_them_come_and_go, comes_and_goes);
}

/* ---- without descriptors ---- */

/* No descriptor can be opened from here on; returns what to restore. */
static struct rlimit take_descriptors(void)
{
    struct rlimit before, none;

    need(getrlimit(RLIMIT_NOFILE, &before) == 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    need(setrlimit(RLIMIT_NOFILE, &none) == 0);
    return before;
}

static void server_without_descriptors(int peer)
{
    struct rlimit before;
    struct comch_end end;
    doca_error_t result;

    open_server(&end);
    before = take_descriptors();
    result = doca_ctx_start(end.ctx);
    need(result == DOCA_ERROR_INITIALIZATION || result == DOCA_ERROR_DRIVER);
    need(end_state(&end) == DOCA_CTX_STATE_IDLE && end.nstates == 0);
    need(setrlimit(RLIMIT_NOFILE, &before) == 0);
    need_ok(doca_ctx_start(end.ctx));
    /* Clients wait as long as the server can take nobody in. */
    before = take_descriptors();
    say(peer, 'n');
    hear(peer, 'w');
    for (int i = 0; i < 1000; i++)
        need(doca_pe_progress(end.pe) == 0);
    need(setrlimit(RLIMIT_NOFILE, &before) == 0);
    progress_until(&end, end.disconnects == 1);
    need(end.received == 1 && last_is(&end, "at last"));
    close_end(&end);
}

static void client_waits_for_descriptors(int peer)
{
    struct comch_end end;

    hear(peer, 'n');
    open_client(&end);
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    for (uint64_t until = now_ms() + 300; now_ms() < until;)
        doca_pe_progress(end.pe);
    need(end_state(&end) == DOCA_CTX_STATE_STARTING);
    say(peer, 'w');
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_RUNNING);
    send_text(&end, "at last");
    close_end(&end);
}

static void lack_of_descriptors_passes(void **state)
{
    (void)state;
    run_pair(server_without_descriptors, client_waits_for_descriptors);
}

/* ---- what a connection is after its end ---- */

static void use_late(struct comch_end *end, struct doca_comch_connection *conn)
{
    struct doca_comch_task_send *task = NULL;

    /* Still readable, also its counters. */
    need(doca_comch_connection_get_user_data(conn).u64 == 5);
    need_ok(doca_comch_connection_update_info(conn));
    need(counter(conn, DOCA_COMCH_COUNTER_RECV_MESSAGES) == 1);
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(end, conn, "x", 1, &task));
}

static void uses_connections_late(int peer)
{
    struct doca_comch_task_send *task = NULL;
    struct doca_comch_connection *conn;
    struct comch_end end;

    open_server(&end);
    end.on_disconnect = use_late;
    need_ok(doca_ctx_start(end.ctx));
    progress_until(&end, end.connects == 1);
    conn = end.conns[0];
    need_ok(doca_comch_connection_set_user_data(conn, (union doca_data){.u64 = 5}));
    say(peer, 'l');
    progress_until(&end, end.disconnects == 1);
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(&end, conn, "x", 1, &task));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_server_disconnect(end.server, conn));
    need(task == NULL);
    close_end(&end);
}

static void comes_and_leaves(int peer)
{
    struct comch_end end;

    start_client(&end);
    send_text(&end, "hello");
    hear(peer, 'l');
    close_end(&end);
}

static void late_uses_are_refused(void **state)
{
    (void)state;
    run_pair(uses_connections_late, comes_and_leaves);
}

/* ---- sizes: the smaller one holds both ways ---- */

static void has_large_messages(int peer)
{
    static char message[51];
    struct doca_comch_task_send *task = NULL;
    struct comch_end end;

    start_server(&end);
    progress_until(&end, end.connects == 1);
    need_code(DOCA_ERROR_INVALID_VALUE, end_alloc(&end, end.conns[0], message, 51, &task));
    send_to(&end, end.conns[0], message, 50);
    progress_until(&end, end.disconnects == 1);
    need(end.sent == 1);
    close_end(&end);
    (void)peer;
}

static void has_small_messages(int peer)
{
    struct comch_end end;

    open_client(&end);
    need_ok(doca_comch_client_set_max_msg_size(end.client, 50));
    need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
    progress_until(&end, end.received == 1);
    need(end.last_len == 50);
    close_end(&end);
    (void)peer;
}

static void the_smaller_size_holds_both_ways(void **state)
{
    (void)state;
    run_pair(has_large_messages, has_small_messages);
}

/* ---- one name on two functions ---- */

static const char two_functions[] =
    "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"representors\": [\"b1:00.0\", "
    "\"b1:00.1\"]}, {\"role\": \"host\", \"pci\": \"b1:00.0\", \"caps\": {" PATIENCE "}},"
    "{\"role\": \"host\", \"pci\": \"b1:00.1\", \"caps\": {" PATIENCE "}}]}";

static struct doca_dev_rep *open_rep(struct doca_dev *dev, const char *pci)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep = NULL;
    uint8_t is_it;
    uint32_t num;

    need_ok(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
    for (uint32_t i = 0; i < num; i++) {
        need_ok(doca_devinfo_rep_is_equal_pci_addr(list[i], pci, &is_it));
        if (is_it)
            need_ok(doca_dev_rep_open(list[i], &rep));
    }
    need_ok(doca_devinfo_rep_destroy_list(list));
    need(rep != NULL);
    return rep;
}

static struct doca_dev *open_dev(const char *pci)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint8_t is_it;
    uint32_t num;

    need_ok(doca_devinfo_create_list(&list, &num));
    for (uint32_t i = 0; i < num; i++) {
        need_ok(doca_devinfo_is_equal_pci_addr(list[i], pci, &is_it));
        if (is_it)
            need_ok(doca_dev_open(list[i], &dev));
    }
    need_ok(doca_devinfo_destroy_list(list));
    need(dev != NULL);
    return dev;
}

static const char *const functions[] = {"b1:00.0", "b1:00.1"};

static void serves_two_functions(int peer)
{
    struct comch_end ends[2];

    use_devices(two_functions);
    for (int i = 0; i < 2; i++) {
        memset(&ends[i], 0, sizeof(ends[i]));
        end_open_device(&ends[i]);
        ends[i].rep = open_rep(ends[i].dev, functions[i]);
        end_create_server(&ends[i], SERVICE);
        need_ok(doca_ctx_start(ends[i].ctx));
    }
    for (int i = 0; i < 2; i++) {
        progress_until(&ends[i], ends[i].connects == 1);
        send_text(&ends[i], functions[i]);
        progress_until(&ends[i], ends[i].disconnects == 1);
        need(ends[i].connects == 1);
        close_end(&ends[i]);
    }
    (void)peer;
}

static void client_of_each_function(int peer)
{
    use_devices(two_functions);
    for (int i = 0; i < 2; i++) {
        struct comch_end end;

        memset(&end, 0, sizeof(end));
        end.dev = open_dev(functions[i]);
        need_ok(doca_pe_create(&end.pe));
        end_create_client(&end, SERVICE);
        need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end.ctx));
        progress_until(&end, end.received == 1);
        need(last_is(&end, functions[i]));
        close_end(&end);
    }
    (void)peer;
}

static void servers_of_two_functions_are_two(void **state)
{
    (void)state;
    run_pair(serves_two_functions, client_of_each_function);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_client_does_not_disturb_others),
        cmocka_unit_test(clients_up_to_the_limit_of_the_device),
        cmocka_unit_test(clients_leave_nothing_behind),
        cmocka_unit_test(lack_of_descriptors_passes),
        cmocka_unit_test(late_uses_are_refused),
        cmocka_unit_test(the_smaller_size_holds_both_ways),
        cmocka_unit_test(servers_of_two_functions_are_two),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
