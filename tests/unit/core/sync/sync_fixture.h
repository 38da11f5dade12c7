/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_CORE_SYNC_SYNC_FIXTURE_H_
#define TESTS_UNIT_CORE_SYNC_SYNC_FIXTURE_H_

/* What the tests of this room share: a device, an engine, events. */

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_sync_event.h>

#define OK(call) assert_int_equal(call, DOCA_SUCCESS)

/* Makes this text the devices file. Before the first device call. */
static inline void use_devices(const char *json)
{
    char path[64];
    int fd = memfd_create("devices.json", 0);

    assert_int_equal(write(fd, json, strlen(json)), strlen(json));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    setenv("OPENDOCA_CONFIG", path, 1);
}

static inline struct doca_dev *open_device(uint32_t index)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    uint32_t n;

    OK(doca_devinfo_create_list(&list, &n));
    assert_true(index < n);
    OK(doca_dev_open(list[index], &dev));
    OK(doca_devinfo_destroy_list(list));
    return dev;
}

/* An event that this process publishes and subscribes to, not started. */
static inline struct doca_sync_event *make_event(struct doca_dev *dev)
{
    struct doca_sync_event *event;

    OK(doca_sync_event_create(&event));
    OK(doca_sync_event_add_publisher_location_cpu(event, dev));
    OK(doca_sync_event_add_subscriber_location_cpu(event, dev));
    return event;
}

static inline uint64_t value_of(struct doca_sync_event *event)
{
    uint64_t value;

    OK(doca_sync_event_get(event, &value));
    return value;
}

#endif /* TESTS_UNIT_CORE_SYNC_SYNC_FIXTURE_H_ */
