/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/core_priv.h"
#include "dev_config.h"

static const char card[] =
    "{\"devices\": [\n"
    "{\"role\": \"dpu\", \"pci\": \"03:00.0\"},\n"
    "{\"role\": \"dpu\", \"pci\": \"03:00.1\", \"profile\": \"unlimited\"},\n"
    "{\"role\": \"dpu\", \"pci\": \"03:00.2\", \"profile\": \"cx7\"},\n"
    "{\"role\": \"host\", \"pci\": \"b1:00.1\", \"vuid\": \"PF-1\", \"rep_iface\": \"pf1hpf\",\n"
    " \"rep_iface_index\": 4, \"rep_ib_port\": 2, \"vhca_id\": 9, \"hotplug\": true,\n"
    " \"total_vfs\": 8, \"host_index\": 1, \"pf_index\": 1, \"data_direct\": true,\n"
    " \"data_direct_pci\": \"05:00.0\", \"uplink\": true},\n"
    "{\"role\": \"host\", \"pci\": \"b1:00.4\", \"func_type\": \"VF\", \"vuid\": \"VF-1-3\",\n"
    " \"host_index\": 1, \"pf_index\": 1, \"vf_index\": 3},\n"
    "{\"role\": \"host\", \"pci\": \"b1:00.1\", \"func_type\": \"SF\", \"sf_index\": 6}]}";

enum { PLAIN, UNLIMITED, CX7 };

/* The representors of a device that is opened and stays so. */
static struct doca_devinfo_rep **list_of(uint32_t place, int filter, uint32_t *num)
{
    struct doca_devinfo_rep **list = NULL;
    struct doca_dev *dev = open_device(place);

    if (dev == NULL || doca_devinfo_rep_create_list(dev, filter, &list, num) != DOCA_SUCCESS)
        return NULL;
    return list;
}

static bool host_has_none(void)
{
    struct doca_devinfo_rep **list = NULL;
    struct doca_dev *dev = open_device(0);
    uint32_t num = 7;

    CHILD_CHECK(dev != NULL);
    CHILD_CHECK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num) ==
                DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(last_error_has("role is host, limit dpu"));
    CHILD_CHECK(list == NULL && num == 7);
    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    return true;
}

static void only_the_dpu_has_representors(void **state)
{
    (void)state;
    assert_int_equal(with_config(card, "host", host_has_none), 0);
}

static bool caps_are(uint32_t place, uint8_t all, uint8_t net, uint8_t emulated)
{
    struct doca_dev *dev = open_device(place);
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    uint8_t flag = 7;

    CHILD_CHECK(doca_devinfo_rep_cap_is_filter_all_supported(info, &flag) == DOCA_SUCCESS);
    CHILD_CHECK(flag == all);
    CHILD_CHECK(doca_devinfo_rep_cap_is_filter_net_supported(info, &flag) == DOCA_SUCCESS);
    CHILD_CHECK(flag == net);
    CHILD_CHECK(doca_devinfo_rep_cap_is_filter_emulated_supported(info, &flag) == DOCA_SUCCESS);
    CHILD_CHECK(flag == emulated);
    return doca_dev_close(dev) == DOCA_SUCCESS;
}

static bool filter_gives(uint32_t place, int filter, doca_error_t wanted, uint32_t wanted_num)
{
    struct doca_devinfo_rep **list = NULL;
    struct doca_dev *dev = open_device(place);
    uint32_t num = 0;

    CHILD_CHECK(dev != NULL);
    CHILD_CHECK(doca_devinfo_rep_create_list(dev, filter, &list, &num) == wanted);
    if (wanted == DOCA_SUCCESS) {
        CHILD_CHECK(num == wanted_num && list[num] == NULL);
        CHILD_CHECK(doca_devinfo_rep_destroy_list(list) == DOCA_SUCCESS);
        CHILD_CHECK(doca_devinfo_rep_destroy_list(list) == DOCA_ERROR_INVALID_VALUE);
    }
    return doca_dev_close(dev) == DOCA_SUCCESS;
}

static bool filters_follow_the_caps(void)
{
    const int all = DOCA_DEVINFO_REP_FILTER_ALL, net = DOCA_DEVINFO_REP_FILTER_NET,
              emulated = DOCA_DEVINFO_REP_FILTER_EMULATED;

    CHILD_CHECK(caps_are(PLAIN, 1, 1, 0));
    CHILD_CHECK(filter_gives(PLAIN, all, DOCA_SUCCESS, 3));
    CHILD_CHECK(filter_gives(PLAIN, net, DOCA_SUCCESS, 3));
    CHILD_CHECK(filter_gives(PLAIN, emulated, DOCA_ERROR_NOT_SUPPORTED, 0));
    CHILD_CHECK(last_error_has("filter is EMULATED, not offered by profile default"));
    CHILD_CHECK(caps_are(UNLIMITED, 1, 1, 1));
    CHILD_CHECK(filter_gives(UNLIMITED, emulated, DOCA_SUCCESS, 0));
    CHILD_CHECK(filter_gives(UNLIMITED, emulated | net, DOCA_SUCCESS, 3));
    CHILD_CHECK(caps_are(CX7, 0, 0, 0));
    CHILD_CHECK(filter_gives(CX7, all, DOCA_ERROR_NOT_SUPPORTED, 0));
    CHILD_CHECK(filter_gives(CX7, net, DOCA_ERROR_NOT_SUPPORTED, 0));
    CHILD_CHECK(filter_gives(PLAIN, 1, DOCA_ERROR_INVALID_VALUE, 0));
    CHILD_CHECK(filter_gives(PLAIN, 8 | net, DOCA_ERROR_INVALID_VALUE, 0));
    CHILD_CHECK(filter_gives(PLAIN, -1, DOCA_ERROR_INVALID_VALUE, 0));
    return true;
}

static void filters_are_capabilities(void **state)
{
    (void)state;
    assert_int_equal(with_config(card, "dpu", filters_follow_the_caps), 0);
}

static bool pf_is_described(void)
{
    uint32_t num, u32;
    struct doca_devinfo_rep **list = list_of(PLAIN, DOCA_DEVINFO_REP_FILTER_NET, &num);
    enum doca_pci_func_type type;
    char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
    uint16_t u16;
    uint8_t flag;

    CHILD_CHECK(list != NULL && num == 3);
    CHILD_CHECK(doca_devinfo_rep_get_pci_addr_str(list[0], text) == DOCA_SUCCESS);
    CHILD_CHECK(strcmp(text, "0000:b1:00.1") == 0);
    CHILD_CHECK(doca_devinfo_rep_get_vuid(list[0], text, 5) == DOCA_SUCCESS);
    CHILD_CHECK(strcmp(text, "PF-1") == 0);
    CHILD_CHECK(doca_devinfo_rep_get_pci_func_type(list[0], &type) == DOCA_SUCCESS);
    CHILD_CHECK(type == DOCA_PCI_FUNC_TYPE_PF);
    CHILD_CHECK(doca_devinfo_rep_get_is_hotplug(list[0], &flag) == DOCA_SUCCESS && flag == 1);
    CHILD_CHECK(doca_devinfo_rep_get_iface_name(list[0], text, sizeof(text)) == DOCA_SUCCESS);
    CHILD_CHECK(strcmp(text, "pf1hpf") == 0);
    CHILD_CHECK(doca_devinfo_rep_get_iface_index(list[0], &u32) == DOCA_SUCCESS && u32 == 4);
    CHILD_CHECK(doca_devinfo_rep_get_ib_port(list[0], &u16) == DOCA_SUCCESS && u16 == 2);
    CHILD_CHECK(doca_devinfo_rep_get_vhca_id(list[0], &u16) == DOCA_SUCCESS && u16 == 9);
    CHILD_CHECK(doca_devinfo_rep_get_host_index(list[0], &u32) == DOCA_SUCCESS && u32 == 1);
    CHILD_CHECK(doca_devinfo_rep_get_pf_index(list[0], &u32) == DOCA_SUCCESS && u32 == 1);
    CHILD_CHECK(doca_devinfo_rep_get_total_vfs(list[0], &u32) == DOCA_SUCCESS && u32 == 8);
    CHILD_CHECK(doca_devinfo_rep_get_pf_vuid(list[0], text, sizeof(text)) == DOCA_SUCCESS);
    CHILD_CHECK(strcmp(text, "PF-1") == 0);
    CHILD_CHECK(doca_devinfo_rep_get_data_direct_pci_dev(list[0], text) == DOCA_SUCCESS);
    CHILD_CHECK(strcmp(text, "0000:05:00.0") == 0);
    CHILD_CHECK(doca_devinfo_rep_get_is_uplink_representor(list[0], &flag) == DOCA_SUCCESS);
    CHILD_CHECK(flag == 1);
    CHILD_CHECK(doca_devinfo_rep_is_equal_pci_addr(list[0], "B1:00.1", &flag) == DOCA_SUCCESS);
    CHILD_CHECK(flag == 1);
    CHILD_CHECK(doca_devinfo_rep_is_equal_pci_addr(list[0], "03:00.0", &flag) == DOCA_SUCCESS);
    CHILD_CHECK(flag == 0);
    CHILD_CHECK(doca_devinfo_rep_is_equal_pci_addr(list[0], "b1:0.1", &flag) ==
                DOCA_ERROR_INVALID_VALUE);
    return true;
}

static bool vf_and_sf_are_described(void)
{
    uint32_t num, u32;
    struct doca_devinfo_rep **list = list_of(PLAIN, DOCA_DEVINFO_REP_FILTER_ALL, &num);
    char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
    uint8_t flag = 7;

    CHILD_CHECK(list != NULL && num == 3);
    CHILD_CHECK(doca_devinfo_rep_get_vf_index(list[1], &u32) == DOCA_SUCCESS && u32 == 3);
    CHILD_CHECK(doca_devinfo_rep_get_pf_vuid(list[1], text, sizeof(text)) == DOCA_SUCCESS);
    CHILD_CHECK(strcmp(text, "PF-1") == 0);
    CHILD_CHECK(doca_devinfo_rep_get_sf_index(list[2], &u32) == DOCA_SUCCESS && u32 == 6);
    CHILD_CHECK(doca_devinfo_rep_get_is_hotplug(list[2], &flag) == DOCA_SUCCESS && flag == 0);
    /* What a function has not got. */
    CHILD_CHECK(doca_devinfo_rep_get_vf_index(list[0], &u32) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_rep_get_sf_index(list[0], &u32) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_rep_get_total_vfs(list[1], &u32) == DOCA_ERROR_NOT_PERMITTED);
    CHILD_CHECK(doca_devinfo_rep_get_iface_name(list[1], text, sizeof(text)) ==
                DOCA_ERROR_OPERATING_SYSTEM);
    CHILD_CHECK(doca_devinfo_rep_get_iface_index(list[1], &u32) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_rep_get_data_direct_pci_dev(list[1], text) ==
                DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(doca_devinfo_rep_get_vuid(list[0], text, 4) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_rep_get_pf_vuid(list[0], text, 4) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(last_error_has("size is 4, limit at least 5"));
    CHILD_CHECK(doca_devinfo_rep_get_iface_name(list[0], text, 255) == DOCA_ERROR_INVALID_VALUE);
    return true;
}

static void functions_are_described(void **state)
{
    (void)state;
    assert_int_equal(with_config(card, "dpu", pf_is_described), 0);
    assert_int_equal(with_config(card, "dpu", vf_and_sf_are_described), 0);
}

/* Each getter with an info that it must refuse, and with its output or without. */
static bool getters_refuse(struct doca_devinfo_rep *info, bool null_out)
{
    const doca_error_t bad = DOCA_ERROR_INVALID_VALUE;
    char text[256], *t = null_out ? NULL : text;
    uint32_t u32_out, *u32 = null_out ? NULL : &u32_out;
    uint16_t u16_out, *u16 = null_out ? NULL : &u16_out;
    uint8_t u8_out, *u8 = null_out ? NULL : &u8_out;
    enum doca_pci_func_type type_out, *type = null_out ? NULL : &type_out;
    struct doca_dev_rep *rep_out, **rep = null_out ? NULL : &rep_out;

    CHILD_CHECK(doca_devinfo_rep_get_vuid(info, t, 256) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_pci_addr_str(info, t) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_pci_func_type(info, type) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_is_hotplug(info, u8) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_iface_name(info, t, 256) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_iface_index(info, u32) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_ib_port(info, u16) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_host_index(info, u32) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_pf_index(info, u32) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_vf_index(info, u32) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_sf_index(info, u32) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_vhca_id(info, u16) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_total_vfs(info, u32) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_pf_vuid(info, t, 256) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_data_direct_pci_dev(info, t) == bad);
    CHILD_CHECK(doca_devinfo_rep_get_is_uplink_representor(info, u8) == bad);
    CHILD_CHECK(doca_devinfo_rep_is_equal_pci_addr(info, "b1:00.1", u8) == bad);
    CHILD_CHECK(doca_devinfo_rep_is_equal_pci_addr(info, NULL, u8) == bad);
    CHILD_CHECK(doca_dev_rep_open(info, rep) == bad);
    return true;
}

static bool refuses_misuse(void)
{
    struct doca_devinfo_rep **list, *kept;
    struct doca_dev *dev = open_device(PLAIN);
    uint32_t num;

    CHILD_CHECK(doca_devinfo_rep_create_list(NULL, 0, &list, &num) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_rep_create_list(dev, 0, NULL, &num) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_rep_create_list(dev, 0, &list, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_rep_destroy_list(NULL) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_dev_rep_close(NULL) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_dev_rep_as_devinfo(NULL) == NULL);
    CHILD_CHECK(doca_devinfo_rep_create_list(dev, 0, &list, &num) == DOCA_SUCCESS);
    kept = list[0];
    CHILD_CHECK(getters_refuse(NULL, false));
    CHILD_CHECK(getters_refuse(kept, true));
    CHILD_CHECK(doca_devinfo_rep_destroy_list(list) == DOCA_SUCCESS);
    CHILD_CHECK(getters_refuse(kept, false));
    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    CHILD_CHECK(doca_devinfo_rep_create_list(dev, 0, &list, &num) == DOCA_ERROR_INVALID_VALUE);
    return true;
}

static void misuse_is_refused(void **state)
{
    (void)state;
    assert_int_equal(with_config(card, "dpu", refuses_misuse), 0);
}

static bool opens_and_closes(void)
{
    struct doca_devinfo_rep **list;
    struct doca_dev *dev = open_device(PLAIN);
    struct doca_dev_rep *rep = NULL;
    uint32_t num;
    uint8_t equal = 0;

    CHILD_CHECK(doca_devinfo_rep_create_list(dev, 0, &list, &num) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_rep_open(list[0], &rep) == DOCA_SUCCESS);
    CHILD_CHECK(doca_devinfo_rep_destroy_list(list) == DOCA_SUCCESS);
    CHILD_CHECK(doca_devinfo_rep_is_equal_pci_addr(doca_dev_rep_as_devinfo(rep), "b1:00.1",
                                                   &equal) == DOCA_SUCCESS);
    CHILD_CHECK(equal == 1 && rep->dev == dev);
    CHILD_CHECK(doca_dev_close(dev) == DOCA_ERROR_IN_USE);
    CHILD_CHECK(last_error_has("representors: 1"));

    atomic_store(&rep->users, 2);
    CHILD_CHECK(doca_dev_rep_close(rep) == DOCA_ERROR_IN_USE);
    CHILD_CHECK(last_error_has("doca_dev_rep_close(0000:b1:00.1): used by servers: 2"));
    atomic_store(&rep->users, 0);
    CHILD_CHECK(doca_dev_rep_close(rep) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_rep_close(rep) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(getters_refuse(doca_dev_rep_as_devinfo(rep), false));
    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    return true;
}

static bool needs_its_device_open(void)
{
    struct doca_devinfo_rep **list;
    struct doca_dev *dev = open_device(PLAIN);
    struct doca_dev_rep *rep = NULL;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_rep_create_list(dev, 0, &list, &num) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_rep_open(list[0], &rep) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(rep == NULL);
    CHILD_CHECK(last_error_has("its device is closed"));
    CHILD_CHECK(doca_devinfo_rep_destroy_list(list) == DOCA_SUCCESS);
    return true;
}

static void representors_keep_their_device(void **state)
{
    (void)state;
    assert_int_equal(with_config(card, "dpu", opens_and_closes), 0);
    assert_int_equal(with_config(card, "dpu", needs_its_device_open), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_dpu_has_representors),
        cmocka_unit_test(filters_are_capabilities),
        cmocka_unit_test(functions_are_described),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(representors_keep_their_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
