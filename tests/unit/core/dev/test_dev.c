/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/core_priv.h"
#include "dev_config.h"

#define DEVICE(pci, more) "{\"role\": \"host\", \"pci\": \"" pci "\"" more "}"

static const char two[] = "{\"devices\": [" DEVICE("b1:00.0", "") "," DEVICE("b2:00.0", "") "]}";

static bool counts_opens(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev, *again;
    uint32_t num;
    uint8_t equal = 0;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_open(list[1], &dev) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_open(list[1], &again) == DOCA_SUCCESS && again == dev);
    CHILD_CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);

    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    CHILD_CHECK(core_dev_is_valid(dev));
    CHILD_CHECK(doca_devinfo_is_equal_pci_addr(doca_dev_as_devinfo(dev), "b2:00.0", &equal) ==
                DOCA_SUCCESS);
    CHILD_CHECK(equal == 1);
    CHILD_CHECK(doca_dev_open(doca_dev_as_devinfo(dev), &again) == DOCA_SUCCESS && again == dev);
    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);

    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    CHILD_CHECK(!core_dev_is_valid(dev));
    CHILD_CHECK(!core_devinfo_is_valid(doca_dev_as_devinfo(dev)));
    CHILD_CHECK(doca_dev_close(dev) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_dev_close(NULL) == DOCA_SUCCESS);
    return true;
}

static void opens_are_counted(void **state)
{
    (void)state;
    assert_int_equal(with_config(two, NULL, counts_opens), 0);
}

static bool is_kept_by_users(void)
{
    static const char *const kinds[CORE_DEV_USER_NUM] = {
        "contexts: 1", "memory maps: 1", "sync events: 1", "clocks: 1", "representors: 1"};
    struct doca_dev *dev = open_device(0), *again;

    CHILD_CHECK(dev != NULL);
    for (int i = 0; i < CORE_DEV_USER_NUM; i++) {
        core_dev_hold(dev, (enum core_dev_user)i);
        CHILD_CHECK(doca_dev_close(dev) == DOCA_ERROR_IN_USE);
        CHILD_CHECK(last_error_has("doca_dev_close(0000:b1:00.0): "));
        CHILD_CHECK(last_error_has(kinds[i]));
        CHILD_CHECK(core_dev_is_valid(dev));
        /* Another reference can go. */
        CHILD_CHECK(doca_dev_open(doca_dev_as_devinfo(dev), &again) == DOCA_SUCCESS);
        CHILD_CHECK(doca_dev_close(again) == DOCA_SUCCESS);
        core_dev_release(dev, (enum core_dev_user)i);
    }
    core_dev_hold(dev, CORE_DEV_USER_CTX);
    core_dev_hold(dev, CORE_DEV_USER_CTX);
    core_dev_hold(dev, CORE_DEV_USER_MMAP);
    CHILD_CHECK(doca_dev_close(dev) == DOCA_ERROR_IN_USE);
    CHILD_CHECK(last_error_has("used by contexts: 2, memory maps: 1"));
    core_dev_release(dev, CORE_DEV_USER_CTX);
    core_dev_release(dev, CORE_DEV_USER_CTX);
    core_dev_release(dev, CORE_DEV_USER_MMAP);
    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    return true;
}

static void a_used_device_stays_open(void **state)
{
    (void)state;
    assert_int_equal(with_config(two, NULL, is_kept_by_users), 0);
}

static bool cannot_be_opened(void)
{
    struct doca_dev *dev = NULL;
    struct doca_devinfo **list;
    uint32_t num;

    CHILD_CHECK(doca_devinfo_create_list(&list, &num) == DOCA_SUCCESS && num == 4);
    CHILD_CHECK(doca_dev_open(list[0], &dev) == DOCA_ERROR_NOT_CONNECTED);
    CHILD_CHECK(last_error_has("doca_dev_open(0000:b1:00.0): "));
    CHILD_CHECK(doca_dev_open(list[1], &dev) == DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(dev == NULL);
    CHILD_CHECK(doca_dev_open(list[2], &dev) == DOCA_SUCCESS);
    dev = NULL;
    CHILD_CHECK(doca_dev_open(list[3], &dev) == DOCA_ERROR_INITIALIZATION);
    CHILD_CHECK(last_error_has("number of open devices is 1, limit 1"));
    CHILD_CHECK(dev == NULL);
    /* One more reference is no more device. */
    CHILD_CHECK(doca_dev_open(list[2], &dev) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_open(list[3], &dev) == DOCA_SUCCESS);
    return true;
}

static void some_devices_refuse(void **state)
{
    (void)state;
    assert_int_equal(
        with_config("{\"devices\": [" DEVICE("b1:00.0", ", \"access\": \"unreachable\"") "," /* */
                    DEVICE("b2:00.0", ", \"access\": \"bridge\"") ","                        /* */
                    DEVICE("b3:00.0", ", \"caps\": {\"max_opens\": 1}") ","                  /* */
                    DEVICE("b4:00.0", ", \"caps\": {\"max_opens\": 1}") "]}",
                    NULL, cannot_be_opened),
        0);
}

static bool has_nothing_to_reclaim(void)
{
    struct doca_dev *dev = open_device(0);

    CHILD_CHECK(doca_dev_accelerate_resource_reclaim(NULL) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_dev_accelerate_resource_reclaim(dev) == DOCA_ERROR_NOT_SUPPORTED);
    CHILD_CHECK(doca_dev_close(dev) == DOCA_SUCCESS);
    CHILD_CHECK(doca_dev_accelerate_resource_reclaim(dev) == DOCA_ERROR_INVALID_VALUE);
    CHILD_CHECK(doca_dev_as_devinfo(NULL) == NULL);
    return true;
}

static void small_questions(void **state)
{
    (void)state;
    assert_int_equal(with_config(two, NULL, has_nothing_to_reclaim), 0);
}

static void *open_and_close(void *arg)
{
    for (int i = 0; i < 500; i++) {
        struct doca_dev *dev = open_device(0);
        char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];

        if (dev == NULL ||
            doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(dev), pci) != DOCA_SUCCESS ||
            doca_dev_close(dev) != DOCA_SUCCESS)
            return arg;
    }
    return NULL;
}

static bool serves_many_threads(void)
{
    pthread_t threads[4];
    void *failed = NULL;

    for (int i = 0; i < 4; i++)
        CHILD_CHECK(pthread_create(&threads[i], NULL, open_and_close, threads) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &failed);
        CHILD_CHECK(failed == NULL);
    }
    return true;
}

static void any_thread_may_call(void **state)
{
    (void)state;
    assert_int_equal(with_config(two, NULL, serves_many_threads), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_are_counted),   cmocka_unit_test(a_used_device_stays_open),
        cmocka_unit_test(some_devices_refuse), cmocka_unit_test(small_questions),
        cmocka_unit_test(any_thread_may_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
