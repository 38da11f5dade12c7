/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/core_priv.h"
#include "dev_config.h"

#define EMPTY "{\"devices\": []}"

static const char many[] =
    "{\"devices\": [\n"
    "{\"role\": \"host\", \"pci\": \"0000:b1:00.0\", \"iface\": \"no-such-if0\", \"iface_index\": "
    "7,\n"
    " \"ipv4\": \"192.0.2.1\", \"ipv6\": \"2001:db8::1\", \"mac\": \"02:00:00:00:00:01\",\n"
    " \"vhca_id\": 5, \"active_rate\": 1000, \"uplink_ib_port\": 3, \"data_direct\": true,\n"
    " \"data_direct_pci\": \"01:02.3\", \"caps\": {\"hotplug_manager\": true,\n"
    " \"notification_moderation\": true}},\n"
    "{\"role\": \"dpu\", \"pci\": \"03:00.0\"},\n"
    "{\"role\": \"host\", \"pci\": \"0001:af:1f.7\", \"link_layer\": \"infiniband\", \"lid\": 9,\n"
    " \"data_direct\": true, \"func_type\": \"VF\"},\n"
    "{\"role\": \"host\", \"pci\": \"b1:00.0\", \"func_type\": \"SF\", \"sf_index\": 4}]}";

/* ------------------------------------------------------------------------------------------------
 * Every getter as one kind of function
 */

typedef doca_error_t (*getter)(const struct doca_devinfo *devinfo, bool null_out);

#define GETTER(name, type)                                                                         \
    static doca_error_t call_##name(const struct doca_devinfo *devinfo, bool null_out)             \
    {                                                                                              \
        type out;                                                                                  \
                                                                                                   \
        return doca_devinfo_##name((struct doca_devinfo *)devinfo, null_out ? NULL : &out);        \
    }

#define ARRAY_GETTER(name, type, size)                                                             \
    static doca_error_t call_##name(const struct doca_devinfo *devinfo, bool null_out)             \
    {                                                                                              \
        type out[size];                                                                            \
                                                                                                   \
        return doca_devinfo_##name((struct doca_devinfo *)devinfo, null_out ? NULL : out);         \
    }

#define SIZED_GETTER(name, type, size)                                                             \
    static doca_error_t call_##name(const struct doca_devinfo *devinfo, bool null_out)             \
    {                                                                                              \
        type out[size];                                                                            \
                                                                                                   \
        return doca_devinfo_##name(devinfo, null_out ? NULL : out, size);                          \
    }                                                                                              \
                                                                                                   \
    static doca_error_t call_small_##name(const struct doca_devinfo *devinfo, bool null_out)       \
    {                                                                                              \
        type out[size];                                                                            \
                                                                                                   \
        return doca_devinfo_##name(devinfo, null_out ? NULL : out, (size)-1);                      \
    }

ARRAY_GETTER(get_pci_addr_str, char, DOCA_DEVINFO_PCI_ADDR_SIZE)
ARRAY_GETTER(get_data_direct_pci_dev, char, DOCA_DEVINFO_PCI_ADDR_SIZE)
SIZED_GETTER(get_ipv4_addr, uint8_t, DOCA_DEVINFO_IPV4_ADDR_SIZE)
SIZED_GETTER(get_ipv6_addr, uint8_t, DOCA_DEVINFO_IPV6_ADDR_SIZE)
SIZED_GETTER(get_mac_addr, uint8_t, DOCA_DEVINFO_MAC_ADDR_SIZE)
SIZED_GETTER(get_iface_name, char, DOCA_DEVINFO_IFACE_NAME_SIZE)
SIZED_GETTER(get_ibdev_name, char, DOCA_DEVINFO_IBDEV_NAME_SIZE)
GETTER(get_pci_func_type, enum doca_pci_func_type)
GETTER(get_sf_index, uint32_t)
GETTER(get_lid, uint16_t)
GETTER(get_active_rate, uint64_t)
GETTER(get_vhca_id, uint16_t)
GETTER(get_uplink_ib_port, uint16_t)
GETTER(get_iface_index, uint32_t)
GETTER(cap_is_hotplug_manager_supported, uint8_t)
GETTER(cap_is_notification_moderation_supported, uint8_t)
GETTER(cap_is_accelerate_resource_reclaim_supported, uint8_t)
GETTER(rep_cap_is_filter_all_supported, uint8_t)
GETTER(rep_cap_is_filter_net_supported, uint8_t)
GETTER(rep_cap_is_filter_emulated_supported, uint8_t)

static doca_error_t call_is_equal(const struct doca_devinfo *devinfo, bool null_out)
{
    uint8_t out;

    return doca_devinfo_is_equal_pci_addr(devinfo, "03:00.0", null_out ? NULL : &out);
}

static doca_error_t call_open(const struct doca_devinfo *devinfo, bool null_out)
{
    struct doca_dev *out;

    return doca_dev_open((struct doca_devinfo *)devinfo, null_out ? NULL : &out);
}

static const getter getters[] = {
    call_get_pci_addr_str,
    call_get_data_direct_pci_dev,
    call_get_ipv4_addr,
    call_get_ipv6_addr,
    call_get_mac_addr,
    call_get_iface_name,
    call_get_ibdev_name,
    call_get_pci_func_type,
    call_get_sf_index,
    call_get_lid,
    call_get_active_rate,
    call_get_vhca_id,
    call_get_uplink_ib_port,
    call_get_iface_index,
    call_cap_is_hotplug_manager_supported,
    call_cap_is_notification_moderation_supported,
    call_cap_is_accelerate_resource_reclaim_supported,
    call_rep_cap_is_filter_all_supported,
    call_rep_cap_is_filter_net_supported,
    call_rep_cap_is_filter_emulated_supported,
    call_is_equal,
    call_open,
};

static const getter small_getters[] = {
    call_small_get_ipv4_addr,  call_small_get_ipv6_addr,  call_small_get_mac_addr,
    call_small_get_iface_name, call_small_get_ibdev_name,
};

/* ------------------------------------------------------------------------------------------------
 * Lists
 */

static bool has_no_device(void)
{
    struct doca_devinfo **list = NULL;
    uint32_t num = 7;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS);
    CHILD_CHECK(list != NULL && num == 0);
    CHILD_CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
    return true;
}

static void no_device_is_a_success(void **state)
{
    (void)state;
    assert_int_equal(with_config(EMPTY, "host", has_no_device), 0);
    assert_int_equal(with_config(EMPTY, "dpu", has_no_device), 0);
}

static bool lists_only(const char *const *addresses, uint32_t wanted)
{
    struct doca_devinfo **list;
    char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS);
    CHILD_CHECK(num == wanted);
    for (uint32_t i = 0; i < num; i++) {
        CHILD_CHECK(doca_devinfo_get_pci_addr_str(list[i], pci) == DOCA_SUCCESS);
        CHILD_CHECK(strcmp(pci, addresses[i]) == 0);
    }
    CHILD_CHECK(list[num] == NULL);
    CHILD_CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
    return true;
}

static bool lists_the_host(void)
{
    static const char *const addresses[] = {"0000:b1:00.0", "0001:af:1f.7", "0000:b1:00.0"};

    return lists_only(addresses, 3) && lists_only(addresses, 3);
}

static bool lists_the_dpu(void)
{
    static const char *const addresses[] = {"0000:03:00.0"};

    return lists_only(addresses, 1);
}

static bool lists_the_built_in_host(void)
{
    static const char *const addresses[] = {"0000:b1:00.0"};

    return lists_only(addresses, 1);
}

static void a_role_sees_its_devices_in_order(void **state)
{
    (void)state;
    assert_int_equal(with_config(many, "host", lists_the_host), 0);
    assert_int_equal(with_config(many, "dpu", lists_the_dpu), 0);
    if (access("/etc/opendoca/devices.json", F_OK) != 0) {
        assert_int_equal(in_child(NULL, "dpu", lists_the_dpu), 0);
        assert_int_equal(in_child(NULL, NULL, lists_the_built_in_host), 0);
    }
}

static bool refuses_the_file(void)
{
    struct doca_devinfo **list = NULL;
    uint32_t num = 7;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_ERROR_NOT_FOUND);
    CHILD_CHECK(list == NULL && num == 7);
    CHILD_CHECK(last_error_has("doca_devinfo_create_list("));
    CHILD_CHECK(last_error_has(getenv("OPENDOCA_CONFIG")));
    CHILD_CHECK(last_error_has(":2: devices[0].mtu is 7, allowed: a whole number from 68"));
    CHILD_CHECK(last_error_has("DOCA_ERROR_NOT_FOUND"));
    return true;
}

static bool refuses_the_name(void)
{
    struct doca_devinfo **list;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_ERROR_NOT_FOUND);
    CHILD_CHECK(last_error_has("/nonexistent.json"));
    return true;
}

static bool refuses_the_role(void)
{
    struct doca_devinfo **list;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_ERROR_NOT_FOUND);
    CHILD_CHECK(last_error_has("OPENDOCA_ROLE is \"card\", allowed: \"host\", \"dpu\""));
    return true;
}

static void a_bad_configuration_is_said(void **state)
{
    (void)state;
    assert_int_equal(
        with_config("{\"devices\": [{\"role\": \"host\",\n\"mtu\": 7}]}", NULL, refuses_the_file),
        0);
    assert_int_equal(in_child("/nonexistent.json", NULL, refuses_the_name), 0);
    assert_int_equal(with_config(EMPTY, "card", refuses_the_role), 0);
}

/* Of this thread: others on the same processor do not count. */
static uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define PAGES 256u
#define LOOKS 100u

/* What as many new pages and looks at a file take on this machine. */
static uint64_t yardstick_ns(void)
{
    uint64_t begin = cpu_ns();
    char *memory =
        mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char text[64];

    if (memory == MAP_FAILED)
        return 0;
    for (unsigned int i = 0; i < PAGES; i++)
        memory[i * 4096] = 1;
    for (unsigned int i = 0; i < LOOKS; i++) {
        int fd = open(getenv("OPENDOCA_CONFIG"), O_RDONLY);

        if (fd < 0 || read(fd, text, sizeof(text)) <= 0)
            return 0;
        close(fd);
    }
    munmap(memory, PAGES * 4096);
    return cpu_ns() - begin;
}

/* The first call is the dear one: it reads the file. A slow machine has another measure. */
static bool lists_within_a_millisecond(void)
{
    uint64_t begin = cpu_ns(), taken;
    struct doca_devinfo **list;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS);
    taken = cpu_ns() - begin;
    return taken < 1000000 || taken < yardstick_ns();
}

static void listing_is_fast(void **state)
{
    bool fast = false;

    (void)state;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    skip(); /* what is measured then is the sanitizer */
#endif
    /* A loaded machine may hold up one try, not twenty. */
    for (int i = 0; i < 20 && !fast; i++)
        fast = with_config(many, "host", lists_within_a_millisecond) == 0;
    assert_true(fast);
}

/* ------------------------------------------------------------------------------------------------
 * Attributes
 */

static bool has_what_the_file_says(void)
{
    static const uint8_t ipv4[4] = {192, 0, 2, 1}, mac[6] = {2, 0, 0, 0, 0, 1};
    struct doca_devinfo **list;
    char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
    uint8_t bytes[16], flag = 7;
    uint32_t num, u32;
    uint16_t u16;
    uint64_t u64;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS && num == 3);
    CHILD_CHECK(doca_devinfo_get_ipv4_addr(list[0], bytes, 4) == DOCA_SUCCESS);
    CHILD_CHECK(memcmp(bytes, ipv4, 4) == 0);
    CHILD_CHECK(doca_devinfo_get_ipv6_addr(list[0], bytes, 16) == DOCA_SUCCESS);
    CHILD_CHECK(bytes[0] == 0x20 && bytes[15] == 1);
    CHILD_CHECK(doca_devinfo_get_mac_addr(list[0], bytes, 6) == DOCA_SUCCESS);
    CHILD_CHECK(memcmp(bytes, mac, 6) == 0);
    CHILD_CHECK(doca_devinfo_get_iface_name(list[0], text, sizeof(text)) == DOCA_SUCCESS);
    CHILD_CHECK(strcmp(text, "no-such-if0") == 0);
    CHILD_CHECK(doca_devinfo_get_ibdev_name(list[0], text, 64) == DOCA_SUCCESS);
    CHILD_CHECK(strcmp(text, "mlx5_0") == 0);
    CHILD_CHECK(doca_devinfo_get_iface_index(list[0], &u32) == DOCA_SUCCESS && u32 == 7);
    CHILD_CHECK(doca_devinfo_get_active_rate(list[0], &u64) == DOCA_SUCCESS && u64 == 1000);
    CHILD_CHECK(doca_devinfo_get_vhca_id(list[0], &u16) == DOCA_SUCCESS && u16 == 5);
    CHILD_CHECK(doca_devinfo_get_uplink_ib_port(list[0], &u16) == DOCA_SUCCESS && u16 == 3);
    CHILD_CHECK(doca_devinfo_get_data_direct_pci_dev(list[0], text) == DOCA_SUCCESS);
    CHILD_CHECK(strcmp(text, "0000:01:02.3") == 0);
    CHILD_CHECK(doca_devinfo_cap_is_hotplug_manager_supported(list[0], &flag) == DOCA_SUCCESS);
    CHILD_CHECK(flag == 1);
    CHILD_CHECK(doca_devinfo_cap_is_notification_moderation_supported(list[0], &flag) ==
                DOCA_SUCCESS);
    CHILD_CHECK(flag == 1);
    CHILD_CHECK(doca_devinfo_cap_is_accelerate_resource_reclaim_supported(list[0], &flag) ==
                DOCA_SUCCESS);
    CHILD_CHECK(flag == 0);
    CHILD_CHECK(doca_devinfo_get_lid(list[1], &u16) == DOCA_SUCCESS && u16 == 9);
    CHILD_CHECK(doca_devinfo_get_sf_index(list[2], &u32) == DOCA_SUCCESS && u32 == 4);
    return true;
}

static bool types_are_told(void)
{
    static const enum doca_pci_func_type types[] = {DOCA_PCI_FUNC_TYPE_PF, DOCA_PCI_FUNC_TYPE_VF,
                                                    DOCA_PCI_FUNC_TYPE_SF};
    struct doca_devinfo **list;
    enum doca_pci_func_type type;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS && num == 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHILD_CHECK(doca_devinfo_get_pci_func_type(list[i], &type) == DOCA_SUCCESS);
        CHILD_CHECK(type == types[i]);
    }
    return true;
}

/* What a device has not got, and the code that says so. */
static bool lacks_what_the_file_lacks(void)
{
    struct doca_devinfo **list;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS && num == 3);
    CHILD_CHECK(call_get_sf_index(list[0], false) == DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(call_get_lid(list[0], false) == DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(last_error_has("0000:b1:00.0"));
    CHILD_CHECK(call_get_mac_addr(list[1], false) == DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(call_get_data_direct_pci_dev(list[1], false) == DOCA_ERROR_NOT_FOUND);
    CHILD_CHECK(call_get_ipv4_addr(list[2], false) == DOCA_ERROR_NOT_FOUND);
    CHILD_CHECK(call_get_ipv6_addr(list[2], false) == DOCA_ERROR_OPERATING_SYSTEM);
    CHILD_CHECK(call_get_iface_name(list[2], false) == DOCA_ERROR_OPERATING_SYSTEM);
    CHILD_CHECK(call_get_iface_index(list[2], false) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(call_get_data_direct_pci_dev(list[2], false) == DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(last_error_has("0000:b1:00.0/sf4"));
    CHILD_CHECK(call_rep_cap_is_filter_all_supported(list[0], false) == DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(call_rep_cap_is_filter_net_supported(list[0], false) == DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(call_rep_cap_is_filter_emulated_supported(list[0], false) ==
                DOCA_ERROR_NOT_SUPPORTED);
    return true;
}

static void attributes_come_from_the_file(void **state)
{
    (void)state;
    assert_int_equal(with_config(many, "host", has_what_the_file_says), 0);
    assert_int_equal(with_config(many, "host", types_are_told), 0);
    assert_int_equal(with_config(many, "host", lacks_what_the_file_lacks), 0);
}

static bool compares_addresses(void)
{
    static const struct {
        const char *text;
        doca_error_t result;
        uint8_t equal;
    } cases[] = {
        {"0001:af:1f.7", DOCA_SUCCESS, 1},
        {"0001:AF:1F.7", DOCA_SUCCESS, 1},
        {"af:1f.7", DOCA_SUCCESS, 0}, /* domain 0000 */
        {"0001:af:1f.6", DOCA_SUCCESS, 0},
        {"1:af:1f.7", DOCA_ERROR_INVALID_VALUE, 7},
        {"0001:af:1f.7 ", DOCA_ERROR_INVALID_VALUE, 7},
        {"03:0.0", DOCA_ERROR_INVALID_VALUE, 7},
        {"mlx5_0", DOCA_ERROR_INVALID_VALUE, 7},
        {"", DOCA_ERROR_INVALID_VALUE, 7},
        {NULL, DOCA_ERROR_INVALID_VALUE, 7},
    };
    struct doca_devinfo **list;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS && num == 3);
    for (size_t i = 0; i < OD_ARRAY_SIZE(cases); i++) {
        uint8_t equal = 7;

        CHILD_CHECK(doca_devinfo_is_equal_pci_addr(list[1], cases[i].text, &equal) ==
                    cases[i].result);
        CHILD_CHECK(equal == cases[i].equal);
    }
    return true;
}

static bool three_forms_match(void)
{
    static const char *const forms[] = {"03:00.0", "0000:03:00.0", "0000:03:00.0"};
    struct doca_devinfo **list;
    uint32_t num;
    uint8_t equal;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS && num == 1);
    for (size_t i = 0; i < OD_ARRAY_SIZE(forms); i++) {
        equal = 0;
        CHILD_CHECK(doca_devinfo_is_equal_pci_addr(list[0], forms[i], &equal) == DOCA_SUCCESS);
        CHILD_CHECK(equal == 1);
    }
    CHILD_CHECK(doca_devinfo_is_equal_pci_addr(list[0], "03:0.0", &equal) ==
                DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(last_error_has("pci_addr_str is \"03:0.0\""));
    CHILD_CHECK(last_error_has("DDDD:BB:DD.F or BB:DD.F"));
    return true;
}

static void addresses_have_two_forms_in_either_case(void **state)
{
    (void)state;
    assert_int_equal(with_config(many, "host", compares_addresses), 0);
    assert_int_equal(with_config(many, "dpu", three_forms_match), 0);
}

/* ------------------------------------------------------------------------------------------------
 * Misuse
 */

static bool refuses_misuse(void)
{
    struct doca_devinfo **list;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(NULL, &num) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_create_list(&list, NULL) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_destroy_list(NULL) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS);
    CHILD_CHECK(doca_devinfo_destroy_list(list + 1) == DOCA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < OD_ARRAY_SIZE(getters); i++) {
        CHILD_CHECK(getters[i](NULL, false) == DOCA_ERROR_INVALID_VALUE);
        CHILD_CHECK(getters[i](list[0], true) == DOCA_ERROR_INVALID_VALUE);
        CHILD_CHECK(getters[i]((const struct doca_devinfo *)((const char *)list[0] + 1), false) ==
                    DOCA_ERROR_INVALID_VALUE);
    }
    for (size_t i = 0; i < OD_ARRAY_SIZE(small_getters); i++) {
        CHILD_CHECK(small_getters[i](list[0], false) == DOCA_ERROR_INVALID_VALUE);
        CHILD_CHECK(last_error_has("size is "));
        CHILD_CHECK(last_error_has("limit at least "));
    }
    CHILD_CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
    return true;
}

static bool refuses_the_dead(void)
{
    struct doca_devinfo **list, *kept;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS);
    kept = list[0];
    CHILD_CHECK(core_devinfo_is_valid(kept));
    CHILD_CHECK(core_devinfo_caps(kept, "test") == &kept->soft->caps);
    CHILD_CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
    CHILD_CHECK(doca_devinfo_destroy_list(list) == DOCA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < OD_ARRAY_SIZE(getters); i++)
        CHILD_CHECK(getters[i](kept, false) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(last_error_has("of a living list"));
    CHILD_CHECK(!core_devinfo_is_valid(kept));
    CHILD_CHECK(!core_devinfo_is_valid(NULL));
    CHILD_CHECK(core_devinfo_caps(kept, "test") == NULL);
    return true;
}

static void misuse_is_refused(void **state)
{
    (void)state;
    assert_int_equal(with_config(many, "host", refuses_misuse), 0);
    assert_int_equal(with_config(many, "host", refuses_the_dead), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_device_is_a_success),
        cmocka_unit_test(a_role_sees_its_devices_in_order),
        cmocka_unit_test(a_bad_configuration_is_said),
        cmocka_unit_test(listing_is_fast),
        cmocka_unit_test(attributes_come_from_the_file),
        cmocka_unit_test(addresses_have_two_forms_in_either_case),
        cmocka_unit_test(misuse_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
