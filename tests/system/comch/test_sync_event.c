/* SPDX-License-Identifier: BSD-3-Clause */
/* A sync event whose export travels as a message: the other side signals, this side waits. Both
 * look after their channel a few times a second only, as the published pair does. */
#include <doca_sync_event.h>

#include "lib/comch_fixture.h"

#define ROUNDS 50u

/* Few calls, far apart. */
#define slowly_until(end, condition)                                                               \
    for (uint64_t until_ = now_ms() + 2 * DEFAULT_MS; !(condition); poll(NULL, 0, 100)) {          \
        need(now_ms() < until_ || !"in time: " #condition);                                        \
        for (int calls_ = 0; calls_ < 2; calls_++)                                                 \
            doca_pe_progress((end)->pe);                                                           \
    }

/* As that pair configures its ends. */
static void open_end(struct comch_end *end, bool is_server)
{
    if (is_server) {
        open_server(end);
        need_ok(doca_comch_server_set_max_msg_size(end->server, 1024));
        need_ok(doca_comch_server_set_recv_queue_size(end->server, 8));
        need_ok(doca_comch_server_task_send_set_conf(end->server, end_on_sent, end_on_failed, 8));
        need_ok(doca_ctx_start(end->ctx));
        slowly_until(end, end->connects == 1);
    } else {
        open_client(end);
        need_ok(doca_comch_client_set_max_msg_size(end->client, 1024));
        need_ok(doca_comch_client_set_recv_queue_size(end->client, 8));
        need_ok(doca_comch_client_task_send_set_conf(end->client, end_on_sent, end_on_failed, 8));
        need_code(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(end->ctx));
        slowly_until(end, end_state(end) == DOCA_CTX_STATE_RUNNING);
    }
}

/* Owns the event: waits for odd values, answers with even ones. */
static void own_event(struct comch_end *end)
{
    struct doca_sync_event *event;
    const uint8_t *export;
    size_t len;

    need_ok(doca_sync_event_create(&event));
    need_ok(doca_sync_event_add_publisher_location_remote_pci(event));
    need_ok(doca_sync_event_add_subscriber_location_cpu(event, end->dev));
    need_ok(doca_sync_event_start(event));
    need_ok(doca_sync_event_export_to_remote_pci(event, end->dev, &export, &len));
    need(len > 0 && len <= 1024);
    send_to(end, end_conn(end), export, (uint32_t)len);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        need_ok(doca_sync_event_wait_eq_yield(event, 2 * i + 1, UINT64_MAX));
        need_ok(doca_sync_event_update_set(event, 2 * i + 2));
    }
    slowly_until(end, end->sent == 1 && end->received == 1);
    need(last_is(end, "seen"));
    need_ok(doca_sync_event_stop(event));
    need_ok(doca_sync_event_destroy(event));
}

static void use_event(struct comch_end *end)
{
    struct doca_sync_event *event;

    slowly_until(end, end->received == 1);
    /* A single changed byte is no export any more. */
    end->last[end->last_len / 2] ^= 1;
    need(doca_sync_event_create_from_export(end->dev, (uint8_t *)end->last, end->last_len,
                                            &event) != DOCA_SUCCESS);
    end->last[end->last_len / 2] ^= 1;
    need_ok(
        doca_sync_event_create_from_export(end->dev, (uint8_t *)end->last, end->last_len, &event));
    need_ok(doca_sync_event_start(event));
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t before = 77, now = 0;

        need_ok(doca_sync_event_update_add(event, 1, &before));
        need(before == 2 * i);
        for (uint64_t until = now_ms() + DEFAULT_MS; now != 2 * i + 2;) {
            need_ok(doca_sync_event_get(event, &now));
            need(now_ms() < until);
        }
    }
    need_ok(doca_sync_event_stop(event));
    need_ok(doca_sync_event_destroy(event));
    send_text(end, "seen");
    slowly_until(end, end->sent == 1);
}

static void server_owns(int peer)
{
    struct comch_end end;

    open_end(&end, true);
    own_event(&end);
    close_end(&end);
    (void)peer;
}

static void client_uses(int peer)
{
    struct comch_end end;

    open_end(&end, false);
    use_event(&end);
    slowly_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
    (void)peer;
}

static void client_owns(int peer)
{
    struct comch_end end;

    open_end(&end, false);
    own_event(&end);
    close_end(&end);
    (void)peer;
}

static void server_uses(int peer)
{
    struct comch_end end;

    open_end(&end, true);
    use_event(&end);
    slowly_until(&end, end.disconnects == 1);
    close_end(&end);
    (void)peer;
}

static void events_travel_to_the_host(void **state)
{
    (void)state;
    run_pair(server_owns, client_uses);
}

static void events_travel_to_the_dpu(void **state)
{
    (void)state;
    run_pair(server_uses, client_owns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_travel_to_the_host),
        cmocka_unit_test(events_travel_to_the_dpu),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
