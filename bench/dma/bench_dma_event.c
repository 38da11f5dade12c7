/* SPDX-License-Identifier: BSD-3-Clause */
/* Event mode: from the moment another thread makes the work available to the callback, against a
 * raw eventfd with epoll between the same two threads; CPU use of a sleeper; and two costs that
 * have a bar of their own: the device list and the memory of a task. */

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <doca_sync_event.h>

#include "lib/bench.h"
#include "lib/dma_rig.h"

#define ROUNDS 101

/* ---- wake-up ---- */

/* The waker thread waits until the sleeper says that it is about to sleep, gives it time to do so,
 * stamps the clock and wakes it. */
struct wake {
    atomic_int ready; /* 0 idle, 1 sleeper goes to sleep, 2 stop */
    _Atomic double stamp;
    int raw_fd;
    struct doca_sync_event *event;
    int use_event;
};

static void wait_us(long us)
{
    double end = bench_now() + (double)us * 1e-6;

    while (bench_now() < end)
        ;
}

static void *waker_main(void *arg)
{
    struct wake *wake = arg;
    uint64_t one = 1;

    for (;;) {
        int ready;

        while ((ready = atomic_load(&wake->ready)) == 0)
            ;
        if (ready == 2)
            return NULL;
        wait_us(200);
        atomic_store(&wake->ready, 0);
        atomic_store(&wake->stamp, bench_now());
        if (wake->use_event)
            doca_sync_event_update_set(wake->event, 1);
        else if (write(wake->raw_fd, &one, sizeof(one)) != sizeof(one))
            bench_die("eventfd", "write failed");
    }
}

static int completed;

static void wait_done(struct doca_sync_event_task_wait_eq *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    (void)task;
    (void)task_data;
    (void)ctx_data;
    completed = 1;
}

static double raw_wakeup_us(struct wake *wake, int ep)
{
    struct epoll_event event;
    uint64_t count;

    wake->use_event = 0;
    atomic_store(&wake->ready, 1);
    if (epoll_wait(ep, &event, 1, 5000) != 1 || read(wake->raw_fd, &count, sizeof(count)) < 0)
        bench_die("raw eventfd", "no wake-up");
    return (bench_now() - atomic_load(&wake->stamp)) * 1e6;
}

struct sleeper {
    struct doca_pe *pe;
    struct doca_sync_event *event;
    struct doca_sync_event_task_wait_eq *task;
    int ep;
};

static double our_wakeup_us(struct wake *wake, struct sleeper *s)
{
    struct epoll_event event;

    completed = 0;
    doca_sync_event_update_set(s->event, 0);
    if (doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(s->task)) != DOCA_SUCCESS)
        bench_die("wait task", "refused");
    wake->use_event = 1;
    while (doca_pe_progress(s->pe) != 0)
        ;
    doca_pe_request_notification(s->pe);
    atomic_store(&wake->ready, 1);
    while (!completed) {
        if (epoll_wait(s->ep, &event, 1, 5000) != 1)
            bench_die("notification", "no wake-up");
        doca_pe_clear_notification(s->pe, 0);
        while (doca_pe_progress(s->pe) != 0)
            ;
        if (!completed)
            doca_pe_request_notification(s->pe);
    }
    return (bench_now() - atomic_load(&wake->stamp)) * 1e6;
}

static void watch(int ep, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event) != 0)
        bench_die("epoll", "refused");
}

static void open_sleeper(struct sleeper *s, struct doca_dev *dev)
{
    struct doca_ctx *ctx;
    int handle;

    rig_must(doca_pe_create(&s->pe), "engine");
    rig_must(doca_sync_event_create(&s->event), "event");
    rig_must(doca_sync_event_add_publisher_location_cpu(s->event, dev), "publisher");
    rig_must(doca_sync_event_add_subscriber_location_cpu(s->event, dev), "subscriber");
    rig_must(doca_sync_event_task_wait_eq_set_conf(s->event, wait_done, wait_done, 1), "set_conf");
    ctx = doca_sync_event_as_ctx(s->event);
    rig_must(doca_pe_connect_ctx(s->pe, ctx), "connect");
    rig_must(doca_ctx_start(ctx), "start");
    rig_must(doca_sync_event_task_wait_eq_alloc_init(s->event, 1, UINT64_MAX, (union doca_data){0},
                                                     &s->task),
             "task");
    rig_must(doca_pe_get_notification_handle(s->pe, &handle), "handle");
    s->ep = epoll_create1(0);
    watch(s->ep, handle);
}

static void wakeups(struct doca_dev *dev)
{
    static double ours[ROUNDS], raw[ROUNDS];
    struct bench_case c = {"dma/event", "wake-up to callback", "us", 0, ROUNDS};
    struct wake wake = {.raw_fd = eventfd(0, EFD_NONBLOCK)};
    int raw_ep = epoll_create1(0);
    struct sleeper s;
    pthread_t thread;

    open_sleeper(&s, dev);
    wake.event = s.event;
    watch(raw_ep, wake.raw_fd);
    if (pthread_create(&thread, NULL, waker_main, &wake) != 0)
        bench_die("thread", "none");
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = our_wakeup_us(&wake, &s);
        raw[i] = raw_wakeup_us(&wake, raw_ep);
    }
    atomic_store(&wake.ready, 2);
    pthread_join(thread, NULL);
    bench_report(&c, "raw eventfd + epoll", ours, raw);
    doca_task_free(doca_sync_event_task_wait_eq_as_doca_task(s.task));
    rig_must(doca_ctx_stop(doca_sync_event_as_ctx(s.event)), "stop");
    rig_must(doca_sync_event_destroy(s.event), "destroy");
    rig_must(doca_pe_destroy(s.pe), "engine");
}

/* ---- idle ---- */

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* All threads of the process count: engine threads must sleep too. */
static void idle(struct dma_rig *rig)
{
    struct bench_case c = {"dma/event", "CPU of an idle sleeper", "% of a core", 0, 1};
    int handle, ep = epoll_create1(0);
    struct epoll_event event;
    double percent, bar = 1.0, before;

    rig_must(doca_pe_get_notification_handle(rig->pe, &handle), "handle");
    watch(ep, handle);
    rig_round(rig);
    doca_pe_request_notification(rig->pe);
    before = cpu_seconds();
    epoll_wait(ep, &event, 1, 2000);
    percent = (cpu_seconds() - before) / 2 * 100 + 1e-6;
    bench_report(&c, "bar of 1 %", &percent, &bar);
    close(ep);
}

/* ---- small costs ---- */

static void device_list(void)
{
    struct bench_case c = {"dma/core", "doca_devinfo_create_list", "us", 0, ROUNDS};
    static double ours[ROUNDS], bar[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        struct doca_devinfo **list;
        uint32_t n;
        double begin = bench_now();

        rig_must(doca_devinfo_create_list(&list, &n), "list");
        ours[i] = (bench_now() - begin) * 1e6;
        bar[i] = 1000;
        rig_must(doca_devinfo_destroy_list(list), "list");
    }
    bench_report(&c, "bar of 1 ms", ours, bar);
}

static void nothing(struct doca_dma_task_memcpy *task, union doca_data task_data,
                    union doca_data ctx_data)
{
    (void)task;
    (void)task_data;
    (void)ctx_data;
}

static void task_memory(struct doca_dev *dev)
{
    enum { TASKS = 65535 };
    struct bench_case c = {"dma/core", "memory per task", "bytes", 0, 1};
    double per_task, bar = 256;
    struct mallinfo2 before, after;
    struct doca_pe *pe;
    struct doca_dma *dma;

    rig_must(doca_pe_create(&pe), "engine");
    rig_must(doca_dma_create(dev, &dma), "dma");
    rig_must(doca_dma_task_memcpy_set_conf(dma, nothing, nothing, TASKS), "set_conf");
    rig_must(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)), "connect");
    before = mallinfo2();
    rig_must(doca_ctx_start(doca_dma_as_ctx(dma)), "start");
    after = mallinfo2();
    per_task = (double)(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / TASKS;
    bench_report(&c, "bar of 256 bytes", &per_task, &bar);
    rig_must(doca_ctx_stop(doca_dma_as_ctx(dma)), "stop");
    rig_must(doca_dma_destroy(dma), "destroy");
    rig_must(doca_pe_destroy(pe), "engine");
}

int main(void)
{
    static char src[1 << 20], dst[1 << 20];
    struct doca_mmap *src_map, *dst_map;
    struct doca_dev *dev;
    struct dma_rig rig;

    setenv("OPENDOCA_CONFIG", BENCH_DEVICES_FILE, 1);
    memset(src, 1, sizeof(src));
    dev = rig_open_device();
    src_map = rig_map(dev, src, sizeof(src));
    dst_map = rig_map(dev, dst, sizeof(dst));
    rig_open(&rig, dev, src_map, src, dst_map, dst, sizeof(src), sizeof(src), 1, "threads", 0);
    wakeups(dev);
    idle(&rig);
    device_list();
    task_memory(dev);
    rig_close(&rig);
    doca_mmap_destroy(src_map);
    doca_mmap_destroy(dst_map);
    doca_dev_close(dev);
    return 0;
}
