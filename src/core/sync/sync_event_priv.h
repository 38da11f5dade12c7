/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_CORE_SYNC_SYNC_EVENT_PRIV_H_
#define OD_CORE_SYNC_SYNC_EVENT_PRIV_H_

/* Sync events: sync_event.c has the object, sync_event_value.c its value and the plain calls,
 * sync_event_task.c the context and its tasks, sync_event_export.c what leaves and enters the
 * process, sync_event_watch.c the thread that looks at values for sleeping engines. */

#include <stdatomic.h>

#include <doca_sync_event.h>

#include "core/core_priv.h"

/* Where publishers and subscribers are. Locations describe the set-up; they are no access control:
 * whoever may use the event may read and write it. */
enum sync_location {
    SYNC_LOCATION_CPU = 1,
    SYNC_LOCATION_REMOTE_PCI = 2,
    SYNC_LOCATION_REMOTE_NET = 4,
    SYNC_LOCATION_DPA = 8,
    SYNC_LOCATION_GPU = 16,
};

/* Who starts and stops the event. */
enum sync_drive {
    SYNC_DRIVE_UNDECIDED,
    SYNC_DRIVE_PLAIN,
    SYNC_DRIVE_CTX,
};

enum sync_task_kind {
    SYNC_TASK_GET,
    SYNC_TASK_NOTIFY_SET,
    SYNC_TASK_NOTIFY_ADD,
    SYNC_TASK_WAIT_EQ,
    SYNC_TASK_WAIT_NEQ,
    SYNC_TASK_NUM
};

struct sync_export;

struct doca_sync_event {
    struct doca_ctx ctx; /* first */
    enum sync_drive drive;
    atomic_bool running; /* plain calls of any thread look at it */

    unsigned int publishers; /* sync_location bits */
    unsigned int subscribers;
    uint32_t ndevs; /* CPU locations' devices, each held once */
    struct doca_dev **devs;

    /* The value: in this process (here, a page of its own, the user's memory or buffer), or behind
     * an import. */
    uint64_t *value;
    uint64_t own_value;
    void *own_page;
    int own_fd; /* of own_page: what importers are handed */
    const struct doca_buf *buf;
    struct soft_peer_map *map; /* imports */
    uint64_t map_addr;
    struct sync_export *exports;

    struct core_task_pool pools[SYNC_TASK_NUM];
    struct {
        doca_sync_event_task_get_completion_cb_t done, error;
    } get_cb;
    struct {
        doca_sync_event_task_notify_set_completion_cb_t done, error;
    } notify_set_cb;
    struct {
        doca_sync_event_task_notify_add_completion_cb_t done, error;
    } notify_add_cb;
    struct {
        doca_sync_event_task_wait_eq_completion_cb_t done, error;
    } wait_eq_cb;
    struct {
        doca_sync_event_task_wait_neq_completion_cb_t done, error;
    } wait_neq_cb;
    struct core_task_queue held;  /* submitted without FLUSH */
    struct core_task_queue done;  /* executed, to be reported */
    struct core_task_queue waits; /* not satisfied when last looked at */
    bool waits_first;             /* the next progress call begins with the waits */
    atomic_uint nwaits;           /* updates of other threads look at it */

    struct od_list watch_link; /* in the watcher's list, under its lock */
    bool is_enlisted;          /* owner */
    uint64_t watch_round;      /* owner: last value given to `watched` */
    _Atomic uint64_t watched;  /* 0 = nobody sleeps; else unique for each time of falling asleep */
    _Atomic uint64_t watch_value; /* what the sleeper saw last */
};

extern const struct core_ctx_ops core_sync_event_ctx_ops;

/* sync_event.c */

/* SUCCESS when the event was neither started nor imported. */
doca_error_t core_sync_event_check_config(const struct doca_sync_event *event, const char *func);
/* What both ways of starting share: everything that the value needs. */
doca_error_t core_sync_event_open(struct doca_sync_event *event, const char *func);
/* The value's memory exists after this. NO_MEMORY is the only failure. */
doca_error_t core_sync_event_need_value(struct doca_sync_event *event, const char *func);
doca_error_t core_sync_event_new(const char *func, struct doca_sync_event **event);
void core_sync_event_free(struct doca_sync_event *event);
/* The event depends on the device from here on. NO_MEMORY, logged. */
doca_error_t core_sync_event_hold_dev(struct doca_sync_event *event, struct doca_dev *dev,
                                      const char *func);

/* sync_event_value.c: 0 or the negative errno of an import whose exporter is gone. */

int core_sync_event_load(const struct doca_sync_event *event, uint64_t *value);
int core_sync_event_store(struct doca_sync_event *event, uint64_t value);
int core_sync_event_fetch_add(struct doca_sync_event *event, uint64_t value, uint64_t *before);

/* sync_event_task.c */

void core_sync_event_init_tasks(struct doca_sync_event *event);

/* sync_event_export.c */

void core_sync_event_free_exports(struct doca_sync_event *event);

/* sync_event_watch.c */

/* The engine's sleeper saw `value` and sleeps now: wake it when that changes. False when there is
 * nobody who could. */
bool core_sync_event_watch(struct doca_sync_event *event, uint64_t value);
/* The watcher does not touch the event any more when this returns. */
void core_sync_event_unwatch(struct doca_sync_event *event);

#endif /* OD_CORE_SYNC_SYNC_EVENT_PRIV_H_ */
