/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports: opened once a device and process, shared by their holders. */

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/nic/flow_priv.h"
#include "soft/nic/nic_priv.h"
#include "util/text.h"

static pthread_mutex_t ports_lock = PTHREAD_MUTEX_INITIALIZER;
static struct od_list ports = {&ports, &ports};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t closed; /* one of them was, and is not in the list any more */

#define CLOSING_S 30 /* at most; it is a matter of milliseconds */

const struct soft_nic_ops *soft_nic_find(const char *kind)
{
    char buf[128];
    struct od_text known;

    od_text_init(&known, buf, sizeof(buf));
    for (const struct soft_nic_ops *const *ops = soft_nic_engine_table; *ops != NULL; ops++) {
        if (strcmp((*ops)->name, kind) == 0)
            return *ops;
        od_text_printf(&known, " %s", (*ops)->name);
    }
    soft_fail(-EINVAL, "there is no kind '%.40s'; there are:%s", kind, buf);
    return NULL;
}

bool soft_nic_never_patient(const struct soft_nic_backend *backend)
{
    (void)backend;
    return false;
}

int soft_nic_claims_all(struct soft_nic_backend *backend, const struct soft_nic_claim *claim,
                        bool on)
{
    (void)backend;
    (void)claim;
    (void)on;
    return 0;
}

bool soft_nic_no_stack(struct soft_nic_backend *backend, const struct soft_nic_frame *frame)
{
    (void)backend;
    (void)frame;
    return true;
}

/* What the devices file says, else the interface, else a wire that leads back. */
static int parse_spec(const struct soft_device *device, struct soft_nic_spec *spec)
{
    char text[SOFT_NIC_SPEC_SIZE];

    if (device->port[0] != '\0')
        return soft_nic_spec_parse(device->port, spec);
    if (device->iface[0] == '\0')
        return soft_nic_spec_parse("loop", spec);
    snprintf(text, sizeof(text), "af_packet:%s", device->iface);
    return soft_nic_spec_parse(text, spec);
}

int soft_nic_check_spec(const struct soft_nic_spec *spec, const struct soft_device *device)
{
    const struct soft_nic_ops *ops = soft_nic_find(spec->kind);

    return ops != NULL ? ops->check_text(spec, device) : -EINVAL;
}

int soft_device_check_port(const struct soft_device *device)
{
    struct soft_nic_spec spec;
    int err = parse_spec(device, &spec);

    return err != 0 ? err : soft_nic_check_spec(&spec, device);
}

static int check_kind(const struct soft_nic_spec *spec)
{
    const struct soft_nic_ops *ops = soft_nic_find(spec->kind);
    struct soft_nic_spec below;

    if (ops != NULL && ops->check != NULL)
        return ops->check();
    return spec->base != NULL && soft_nic_spec_parse(spec->base, &below) == 0 ? check_kind(&below)
                                                                              : 0;
}

int soft_nic_port_check(const struct soft_device *device)
{
    struct soft_nic_spec spec;

    return parse_spec(device, &spec) == 0 ? check_kind(&spec) : 0;
}

static int open_backend(struct soft_nic_port *port)
{
    const struct soft_nic_ops *ops;
    int err = parse_spec(port->device, &port->spec);

    if (err != 0)
        return err;
    ops = soft_nic_find(port->spec.kind);
    if (ops == NULL)
        return -EINVAL;
    err = ops->open(&port->spec, port->device, &port->backend);
    if (err != 0)
        return err;
    port->backend->ops->info(port->backend, &port->info);
    port->link_up = port->info.link_up;
    return 0;
}

static struct soft_nic_port *find(const struct soft_device *device)
{
    OD_LIST_FOR_EACH(link, &ports)
    {
        struct soft_nic_port *port = OD_LIST_ENTRY(link, struct soft_nic_port, link);

        if (port->device == device)
            return port;
    }
    return NULL;
}

static int open_port(const struct soft_device *device, struct soft_nic_port **out)
{
    struct soft_nic_port *port = calloc(1, sizeof(*port));
    int err = -ENOMEM;

    if (port == NULL)
        return soft_fail(-ENOMEM, "no memory for a port");
    port->device = device;
    port->holders = 1;
    port->by_id = calloc(UINT16_MAX + 1, sizeof(struct soft_nic_rxq *));
    if (port->by_id == NULL) {
        soft_fail(err, "no memory for a port");
        goto err_free;
    }
    err = soft_nic_flow_open(port);
    if (err != 0)
        goto err_free;
    err = open_backend(port);
    if (err != 0)
        goto err_close_flow;
    port->page = soft_nic_page_create(device, &port->info, &port->page_lock);
    if (port->page == NULL) {
        err = soft_fail(-ENOMEM, "no memory for the counters of a port");
        goto err_close_backend;
    }
    soft_nic_interest_update(port);
    pthread_mutex_init(&port->taps.lock, NULL);
    pthread_mutex_init(&port->link_lock, NULL);
    err = soft_nic_thread_start(port);
    if (err != 0)
        goto err_destroy_page;
    od_list_append(&ports, &port->link);
    *out = port;
    return 0;

err_destroy_page:
    pthread_mutex_destroy(&port->link_lock);
    soft_nic_taps_close(port);
    soft_nic_page_destroy(port->page, &port->page_lock);
err_close_backend:
    port->backend->ops->close(port->backend);
err_close_flow:
    soft_nic_flow_close(port);
err_free:
    free(port->by_id);
    free(port);
    return err;
}

static void make_condition(void)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&closed, &attr);
    pthread_condattr_destroy(&attr);
}

/* Under the lock: the device's port; NULL: it has none. One that is being closed has its interface
 * and its name until that is over. */
static int find_open(const struct soft_device *device, struct soft_nic_port **port)
{
    struct timespec end;
    int err = 0;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += CLOSING_S;
    while ((*port = find(device)) != NULL && (*port)->holders == 0 && err == 0)
        err = pthread_cond_timedwait(&closed, &ports_lock, &end);
    if (*port != NULL && (*port)->holders == 0)
        return soft_fail(-EBUSY, "the port is still being closed after %u s", CLOSING_S);
    return 0;
}

int soft_nic_port_hold(const struct soft_device *device, struct soft_nic_port **port)
{
    struct soft_nic_port *found;
    int err;

    pthread_once(&once, make_condition);
    pthread_mutex_lock(&ports_lock);
    err = find_open(device, &found);
    if (err == 0 && found != NULL)
        found->holders++;
    else if (err == 0)
        err = open_port(device, &found);
    pthread_mutex_unlock(&ports_lock);
    if (err == 0)
        *port = found;
    return err;
}

void soft_nic_port_release(struct soft_nic_port *port)
{
    bool is_last;

    if (port == NULL)
        return;
    pthread_mutex_lock(&ports_lock);
    is_last = --port->holders == 0;
    pthread_mutex_unlock(&ports_lock);
    if (!is_last)
        return;
    soft_nic_thread_stop(port);
    soft_nic_flow_close(port); /* may release other ports */
    soft_nic_taps_close(port);
    pthread_mutex_destroy(&port->link_lock);
    port->backend->ops->close(port->backend);
    soft_nic_page_destroy(port->page, &port->page_lock);
    pthread_mutex_lock(&ports_lock);
    od_list_remove(&port->link);
    pthread_cond_broadcast(&closed);
    pthread_mutex_unlock(&ports_lock);
    free(port->by_id);
    free(port);
}

void soft_nic_port_info(struct soft_nic_port *port, struct soft_nic_port_info *info)
{
    pthread_mutex_lock(&port->link_lock);
    port->backend->ops->info(port->backend, info);
    if (port->link_up && !info->link_up)
        soft_nic_add(&port->page->counters, SOFT_NIC_LINK_DOWN, 1);
    port->link_up = info->link_up;
    pthread_mutex_unlock(&port->link_lock);
}

const struct soft_nic_counters *soft_nic_port_counters(const struct soft_nic_port *port)
{
    return &port->page->counters;
}

/* ------------------------------------------------------------------------------------------------
 * Who drives
 */

static bool try_lock(struct soft_nic_port *port)
{
    return !atomic_load_explicit(&port->driving, memory_order_relaxed) &&
           !atomic_exchange(&port->driving, true);
}

void soft_nic_port_lock(struct soft_nic_port *port)
{
    atomic_fetch_add(&port->wanted, 1);
    while (!try_lock(port))
        sched_yield();
    atomic_fetch_sub(&port->wanted, 1);
}

void soft_nic_port_unlock(struct soft_nic_port *port)
{
    /* Who sees this number sees all that was read in this turn as read: see quiesce(). */
    atomic_fetch_add_explicit(&port->turns, 1, memory_order_release);
    atomic_store_explicit(&port->driving, false, memory_order_release);
}

/* Asked now and then only: it is a system call. */
void soft_nic_port_note(struct soft_nic_port *port)
{
    struct soft_nic_counters *counters = &port->page->counters;
    struct soft_nic_outside now = {0}, *old = &port->outside;

    port->backend->ops->outside(port->backend, &now);
    soft_nic_add(counters, SOFT_NIC_RX_SEEN,
                 now.kernel - old->kernel + now.oversize - old->oversize);
    soft_nic_add(counters, SOFT_NIC_RX_BYTES, now.oversize_bytes - old->oversize_bytes);
    soft_nic_add(counters, SOFT_NIC_RX_BYTES, now.kernel_bytes - old->kernel_bytes);
    if (port->placed != NULL)
        soft_nic_count_placed(port, &(struct soft_nic_outside){
                                        .lost = now.lost - old->lost,
                                        .oversize = now.oversize - old->oversize,
                                        .oversize_bytes = now.oversize_bytes - old->oversize_bytes,
                                    });
    else
        soft_nic_add(counters, SOFT_NIC_RX_PORT_DROP, now.lost - old->lost);
    soft_nic_add(counters, SOFT_NIC_RX_KERNEL, now.kernel - old->kernel);
    soft_nic_add(counters, SOFT_NIC_RX_OVERSIZE, now.oversize - old->oversize);
    if (soft_nic_interest_is_root_only(port)) {
        atomic_fetch_add(&port->flow->missed_packets, now.kernel - old->kernel);
        atomic_fetch_add(&port->flow->missed_bytes, now.kernel_bytes - old->kernel_bytes);
    }
    *old = now;
}

void soft_nic_port_refresh(struct soft_nic_port *port)
{
    if (!try_lock(port))
        return;
    soft_nic_port_note(port);
    soft_nic_port_unlock(port);
}

/* So many frames fit, whichever queue each of them is for. */
static uint32_t count_room(struct soft_nic_port *port)
{
    uint64_t room = port->nrxqs > 0 ? SOFT_NIC_BATCH : 0;

    for (uint32_t i = 0; i < port->nrxqs; i++) {
        const struct soft_nic_rxq *rxq = port->rxqs[i];
        uint64_t posted = atomic_load_explicit(&rxq->posted, memory_order_acquire);
        uint64_t filled = atomic_load_explicit(&rxq->filled, memory_order_relaxed);

        room = OD_MIN(room, rxq->ring.num != 0 ? soft_nic_ring_room(rxq) : posted - filled);
    }
    return (uint32_t)room;
}

/* Frames on their way into memory of GPUs. */
static uint32_t step_stages(struct soft_nic_port *port)
{
    uint32_t under_way = 0;

    for (uint32_t i = 0; i < port->nrxqs; i++) {
        if (port->rxqs[i]->stage != NULL)
            under_way += soft_nic_stage_step(port->rxqs[i]);
    }
    return under_way;
}

/* Once for each time that comes earlier: whoever drives meanwhile does so often. */
static void wake_thread_by(struct soft_nic_port *port, uint64_t due)
{
    if (due >= port->told)
        return;
    port->told = due;
    od_waker_wake(&port->bell);
}

uint32_t soft_nic_port_drive(struct soft_nic_port *port)
{
    const struct soft_nic_ops *ops = port->backend->ops;
    uint32_t n;

    if (atomic_load_explicit(&port->wanted, memory_order_relaxed) != 0 || !try_lock(port))
        return 0;
    if (port->placed != NULL)
        soft_nic_grant(port);
    n = ops->rx(port->backend, port->batch,
                ops->is_patient(port->backend) ? count_room(port) : SOFT_NIC_BATCH);
    if (n > 0) {
        soft_nic_steer(port, port->batch, n);
        ops->rx_release(port->backend);
        if (od_unlikely((soft_nic_count(&port->page->counters, SOFT_NIC_RX_SEEN) & 0xffff) < n))
            soft_nic_port_note(port);
    }
    if (od_unlikely(port->nstages > 0))
        n += step_stages(port);
    if (od_unlikely(port->nmoderated > 0))
        wake_thread_by(port, soft_nic_port_tell(port));
    soft_nic_port_unlock(port);
    return n;
}
