/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports over AF_XDP where the module is not beside the program: refused with a reason. */

#include <errno.h>

#include "../port_rig.h"

static void assert_refused(const char *text, int err, const char *reason)
{
    struct soft_device device = {.mtu = 1500};
    struct soft_nic_port *port = NULL;

    snprintf(device.port, sizeof(device.port), "%s", text);
    assert_int_equal(soft_nic_port_hold(&device, &port), err);
    assert_null(port);
    if (strstr(soft_reason(), reason) == NULL)
        fail_msg("'%s' does not say '%s'", soft_reason(), reason);
}

static void settings_that_are_none_are_named(void **state)
{
    (void)state;
    assert_refused("af_xdp:lo,mode=fast", -EINVAL, "allowed: auto, native, copy, generic");
    assert_refused("af_xdp:lo,ring=100", -EINVAL, "power of two");
    assert_refused("af_xdp:lo,queues=0", -EINVAL, "queues");
    assert_refused("af_xdp:lo,blocks=3", -EINVAL, "blocks");
    assert_refused("af_xdp", -EINVAL, "no name of an interface");
}

static void a_missing_module_is_told(void **state)
{
    (void)state;
    assert_refused("af_xdp:lo", -ENOTSUP, "libopendoca_nic_af_xdp.so");
}

static void so_it_is_when_only_asked_for(void **state)
{
    static const struct {
        const char *port;
        int err;
    } cases[] = {
        {"loop", 0},
        {"error:drop=2;loop", 0},
        {"", 0},
        {"af_xdp:no-such-iface", -ENOTSUP},
        {"af_packet:none", 0},
        {"error:drop=2;af_xdp:no-such-iface", -ENOTSUP},
        {"nonsense", 0},
    };

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(cases); i++) {
        struct soft_device device = {.mtu = 1500};

        snprintf(device.port, sizeof(device.port), "%s", cases[i].port);
        assert_int_equal(soft_nic_port_check(&device), cases[i].err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_that_are_none_are_named),
        cmocka_unit_test(a_missing_module_is_told),
        cmocka_unit_test(so_it_is_when_only_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
