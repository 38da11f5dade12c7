/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "soft/device/device.h"

static struct soft_topology *one_device(const char *profile)
{
    struct soft_topology *topology = NULL;
    char text[256];
    int len = snprintf(text, sizeof(text),
                       "{\"devices\": [{\"role\": \"dpu\", \"pci\": \"03:00.0\", "
                       "\"profile\": \"%s\"}]}",
                       profile);

    assert_int_equal(soft_device_parse(text, (size_t)len, "x.json", &topology), 0);
    return topology;
}

static void every_profile_makes_a_usable_device(void **state)
{
    size_t num = 0;

    (void)state;
    for (const char *const *name = soft_device_profiles(); *name != NULL; name++, num++) {
        struct soft_topology *topology = one_device(*name);
        const struct soft_device *device = &topology->devices[0];

        assert_string_equal(device->profile, *name);
        assert_true(device->active_rate > 0);
        assert_true(device->caps.completion_vectors >= 1);
        assert_true(device->caps.max_access_token_size >= 512);
        assert_string_equal(device->copy.engine, "");
        if (device->caps.dma_memcpy) {
            assert_true(device->caps.dma_max_tasks >= 255);
            assert_true(device->caps.dma_max_buf_size >= 2 << 20);
            assert_true(device->caps.dma_max_list_len >= 64);
        }
        if (device->caps.comch) {
            assert_true(device->caps.comch_max_name_len >= 30);
            assert_in_range(device->caps.comch_max_msg_size, 1024, 65536);
            assert_true(device->caps.comch_max_recv_queue >= 10);
            assert_true(device->caps.comch_max_send_tasks >= 1024);
            assert_true(device->caps.comch_max_clients >= 2);
            assert_true(device->caps.comch_fast_path);
            assert_true(device->caps.comch_max_buf_size >= 1 << 20);
        }
        soft_device_topology_free(topology);
    }
    assert_int_equal(num, 5);
}

static void cards_have_their_limits(void **state)
{
    struct soft_topology *bf3 = one_device("bf3"), *cx7 = one_device("cx7"),
                         *unlimited = one_device("unlimited");

    (void)state;
    assert_int_equal(bf3->devices->caps.dma_max_buf_size, 2097152);
    assert_true(bf3->devices->caps.rep_filter_net);
    assert_false(cx7->devices->caps.dma_memcpy);
    assert_false(cx7->devices->caps.mmap_export_pci);
    assert_false(cx7->devices->caps.rep_filter_net);
    assert_false(cx7->devices->caps.comch);
    assert_int_equal(bf3->devices->caps.comch_max_msg_size, 4080);
    assert_true(unlimited->devices->caps.dma_max_buf_size > UINT32_MAX);
    soft_device_topology_free(bf3);
    soft_device_topology_free(cx7);
    soft_device_topology_free(unlimited);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_profile_makes_a_usable_device),
        cmocka_unit_test(cards_have_their_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
