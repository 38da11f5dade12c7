/* SPDX-License-Identifier: BSD-3-Clause */
#include "sync_fixture.h"

static struct doca_dev *dev;
static struct doca_sync_event *event;

static int set_up(void **state)
{
    (void)state;
    dev = open_device(0);
    event = make_event(dev);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    OK(doca_sync_event_destroy(event));
    OK(doca_dev_close(dev));
    return 0;
}

static void null_arguments(void **state)
{
    uint64_t value = 0;

    (void)state;
    assert_int_equal(doca_sync_event_create(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_publisher_location_cpu(NULL, dev),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_publisher_location_cpu(event, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_publisher_location_dpa(event, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_publisher_location_gpu(event, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_publisher_location_remote_pci(NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_publisher_location_remote_net(NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_subscriber_location_cpu(NULL, dev),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_subscriber_location_cpu(event, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_subscriber_location_dpa(event, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_subscriber_location_gpu(event, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_add_subscriber_location_remote_pci(NULL),
                     DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_set_addr(NULL, &value), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_set_addr(event, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_set_doca_buf(event, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_start(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_sync_event_stop(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_null(doca_sync_event_as_ctx(NULL));
}

static void start_needs_both_locations(void **state)
{
    struct doca_sync_event *bare;

    (void)state;
    OK(doca_sync_event_create(&bare));
    assert_int_equal(doca_sync_event_start(bare), DOCA_ERROR_BAD_STATE);
    OK(doca_sync_event_add_publisher_location_cpu(bare, dev));
    assert_int_equal(doca_sync_event_start(bare), DOCA_ERROR_BAD_STATE);
    OK(doca_sync_event_add_subscriber_location_remote_pci(bare));
    OK(doca_sync_event_start(bare));
    assert_int_equal(doca_sync_event_start(bare), DOCA_ERROR_BAD_STATE);
    OK(doca_sync_event_destroy(bare)); /* stops it */
}

static void other_processors_are_refused_at_start(void **state)
{
    int stand_in;
    struct doca_sync_event *other = make_event(dev);

    (void)state;
    OK(doca_sync_event_add_publisher_location_gpu(event, (struct doca_gpu *)&stand_in));
    assert_int_equal(doca_sync_event_start(event), DOCA_ERROR_NOT_SUPPORTED);
    OK(doca_sync_event_add_subscriber_location_dpa(other, (struct doca_dpa *)&stand_in));
    assert_int_equal(doca_sync_event_start(other), DOCA_ERROR_NOT_SUPPORTED);
    OK(doca_sync_event_destroy(other));
}

static void devices_without_the_capability_are_refused(void **state)
{
    struct doca_dev *deaf = open_device(1);
    struct doca_dev *card = open_device(2);
    struct doca_sync_event *other = make_event(deaf);
    struct doca_sync_event *imported;
    const struct doca_devinfo *info = doca_dev_as_devinfo(deaf);
    const uint8_t *data;
    size_t size;

    (void)state;
    assert_int_equal(doca_sync_event_start(other), DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_sync_event_cap_task_get_is_supported(info), DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_sync_event_cap_is_export_to_remote_pci_supported(info),
                     DOCA_ERROR_NOT_SUPPORTED);
    assert_int_equal(doca_sync_event_cap_is_create_from_export_supported(doca_dev_as_devinfo(card)),
                     DOCA_ERROR_NOT_SUPPORTED);
    OK(doca_sync_event_add_publisher_location_remote_pci(event));
    assert_int_equal(doca_sync_event_export_to_remote_pci(event, card, &data, &size),
                     DOCA_ERROR_NOT_SUPPORTED);
    OK(doca_sync_event_export_to_remote_pci(event, dev, &data, &size));
    assert_int_equal(doca_sync_event_create_from_export(card, data, size, &imported),
                     DOCA_ERROR_NOT_SUPPORTED);
    OK(doca_sync_event_destroy(other));
    OK(doca_dev_close(deaf));
    OK(doca_dev_close(card));
    card = open_device(3); /* another card */
    assert_int_equal(doca_sync_event_create_from_export(card, data, size, &imported),
                     DOCA_ERROR_NOT_PERMITTED);
    OK(doca_dev_close(card));
}

static void configuration_is_closed_by_start(void **state)
{
    uint64_t cell = 0;
    int stand_in;

    (void)state;
    OK(doca_sync_event_start(event));
    assert_int_equal(doca_sync_event_add_publisher_location_cpu(event, dev), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_sync_event_add_subscriber_location_cpu(event, dev), DOCA_ERROR_BAD_STATE);
    assert_int_equal(
        doca_sync_event_add_publisher_location_gpu(event, (struct doca_gpu *)&stand_in),
        DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_sync_event_add_publisher_location_remote_pci(event),
                     DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_sync_event_set_addr(event, &cell), DOCA_ERROR_BAD_STATE);
    OK(doca_sync_event_stop(event));
    OK(doca_sync_event_stop(event));
    OK(doca_sync_event_add_publisher_location_remote_pci(event));
    OK(doca_sync_event_start(event));
}

static void the_value_survives_a_stop(void **state)
{
    (void)state;
    OK(doca_sync_event_start(event));
    assert_int_equal(value_of(event), 0);
    OK(doca_sync_event_update_set(event, 42));
    OK(doca_sync_event_stop(event));
    OK(doca_sync_event_start(event));
    assert_int_equal(value_of(event), 42);
}

static void the_value_may_be_the_users(void **state)
{
    uint64_t cells[2] = {11, 0};

    (void)state;
    assert_int_equal(doca_sync_event_set_addr(event, (uint64_t *)((char *)cells + 4)),
                     DOCA_ERROR_INVALID_VALUE);
    OK(doca_sync_event_set_addr(event, &cells[0]));
    OK(doca_sync_event_start(event));
    assert_int_equal(value_of(event), 11);
    OK(doca_sync_event_update_set(event, 12));
    assert_int_equal(cells[0], 12);
}

static void plain_and_context_do_not_mix(void **state)
{
    struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
    struct doca_sync_event *plain = make_event(dev);
    struct doca_pe *pe;

    (void)state;
    assert_int_equal(doca_sync_event_start(event), DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_sync_event_stop(event), DOCA_ERROR_NOT_PERMITTED);
    assert_int_equal(doca_ctx_start(ctx), DOCA_ERROR_NOT_CONNECTED);
    OK(doca_pe_create(&pe));
    OK(doca_pe_connect_ctx(pe, ctx));
    OK(doca_ctx_start(ctx));
    OK(doca_sync_event_update_set(event, 3)); /* the plain calls work either way */
    assert_int_equal(value_of(event), 3);
    assert_int_equal(doca_sync_event_add_publisher_location_cpu(event, dev), DOCA_ERROR_BAD_STATE);
    assert_int_equal(doca_sync_event_destroy(event), DOCA_ERROR_IN_USE);
    OK(doca_ctx_stop(ctx));

    OK(doca_sync_event_start(plain));
    ctx = doca_sync_event_as_ctx(plain);
    OK(doca_pe_connect_ctx(pe, ctx));
    assert_int_equal(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE);
    OK(doca_sync_event_stop(plain));
    OK(doca_sync_event_destroy(plain));
    OK(doca_sync_event_destroy(event));
    OK(doca_pe_destroy(pe));
    event = make_event(dev);
}

static void the_device_is_held(void **state)
{
    (void)state;
    assert_int_equal(doca_dev_close(dev), DOCA_ERROR_IN_USE);
}

/* ---- In a buffer ---- */

static uint64_t words[4];
static struct doca_mmap *mmap_;
static struct doca_buf_inventory *inventory;

static void map_words(uint32_t permissions)
{
    memset(words, 0, sizeof(words));
    OK(doca_mmap_create(&mmap_));
    OK(doca_mmap_add_dev(mmap_, dev));
    OK(doca_mmap_set_memrange(mmap_, words, sizeof(words)));
    OK(doca_mmap_set_permissions(mmap_, permissions));
    OK(doca_mmap_start(mmap_));
    OK(doca_buf_inventory_create(8, &inventory));
    OK(doca_buf_inventory_start(inventory));
}

static struct doca_buf *buf_of(void *addr, size_t len)
{
    struct doca_buf *buf;

    OK(doca_buf_inventory_buf_get_by_addr(inventory, mmap_, addr, len, &buf));
    return buf;
}

static void unmap_words(struct doca_buf *buf)
{
    OK(doca_buf_dec_refcount(buf, NULL));
    OK(doca_buf_inventory_destroy(inventory));
    OK(doca_mmap_destroy(mmap_));
}

static void the_value_may_be_in_a_buffer(void **state)
{
    struct doca_buf *buf;
    struct doca_buf *bad;

    (void)state;
    map_words(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    bad = buf_of(words, 16);
    assert_int_equal(doca_sync_event_set_doca_buf(event, bad), DOCA_ERROR_INVALID_VALUE);
    OK(doca_buf_dec_refcount(bad, NULL));
    bad = buf_of((char *)words + 4, 8);
    assert_int_equal(doca_sync_event_set_doca_buf(event, bad), DOCA_ERROR_INVALID_VALUE);
    OK(doca_buf_dec_refcount(bad, NULL));

    buf = buf_of(&words[1], 8);
    OK(doca_sync_event_set_doca_buf(event, buf));
    OK(doca_sync_event_start(event));
    assert_int_equal(doca_sync_event_set_doca_buf(event, buf), DOCA_ERROR_BAD_STATE);
    OK(doca_sync_event_update_set(event, 5));
    assert_int_equal(words[1], 5);
    OK(doca_sync_event_stop(event));

    /* A location that needs more comes after the buffer: seen at start. */
    OK(doca_sync_event_add_publisher_location_remote_pci(event));
    assert_int_equal(doca_sync_event_start(event), DOCA_ERROR_NOT_PERMITTED);
    unmap_words(buf);
}

static void the_buffers_map_must_allow_it(void **state)
{
    struct doca_buf *buf;

    (void)state;
    map_words(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
    buf = buf_of(words, 8);
    assert_int_equal(doca_sync_event_set_doca_buf(event, buf), DOCA_ERROR_NOT_PERMITTED);
    unmap_words(buf);

    OK(doca_sync_event_add_subscriber_location_remote_pci(event));
    map_words(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    buf = buf_of(words, 8);
    assert_int_equal(doca_sync_event_set_doca_buf(event, buf), DOCA_ERROR_NOT_PERMITTED);
    unmap_words(buf);
    map_words(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    buf = buf_of(words, 8);
    OK(doca_sync_event_set_doca_buf(event, buf));

    OK(doca_sync_event_add_publisher_location_remote_pci(event));
    assert_int_equal(doca_sync_event_set_doca_buf(event, buf), DOCA_ERROR_NOT_PERMITTED);
    unmap_words(buf);
    map_words(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    buf = buf_of(words, 8);
    OK(doca_sync_event_set_doca_buf(event, buf));
    OK(doca_sync_event_start(event));
    OK(doca_sync_event_stop(event));
    unmap_words(buf);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest cases[] = {
        CASE(null_arguments),
        CASE(start_needs_both_locations),
        CASE(other_processors_are_refused_at_start),
        CASE(devices_without_the_capability_are_refused),
        CASE(configuration_is_closed_by_start),
        CASE(the_value_survives_a_stop),
        CASE(the_value_may_be_the_users),
        CASE(plain_and_context_do_not_mix),
        CASE(the_device_is_held),
        CASE(the_value_may_be_in_a_buffer),
        CASE(the_buffers_map_must_allow_it),
    };

    use_devices("{\"devices\": ["
                "{\"role\": \"host\", \"pci\": \"b1:00.0\"},"
                "{\"role\": \"host\", \"pci\": \"b1:00.1\", \"caps\": {\"sync_event\": false}},"
                "{\"role\": \"host\", \"pci\": \"b1:00.2\", \"profile\": \"cx7\"},"
                "{\"role\": \"host\", \"pci\": \"b2:00.0\", \"card\": \"other\"}]}");
    return cmocka_run_group_tests(cases, NULL, NULL);
}
