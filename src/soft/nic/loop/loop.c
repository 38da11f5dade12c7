/* SPDX-License-Identifier: BSD-3-Clause */
/* Wires inside the process: what one end sends, the other one receives. "loop" alone leads back to
 * itself, "loop:NAME" has two ends. A wire that is full holds its sender up while the other end is
 * looked at now and then; frames for an end that is not there, or that nobody looks at, are lost.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "soft/nic/nic_priv.h"

#define SLOTS         1024u
#define PATIENCE_MS   1000u /* since the receiver looked for frames */
#define ETHERNET_ROOM 18u

struct slot {
    uint32_t len;
    uint64_t time;
    uint8_t data[];
};

/* One end: what was sent to it. */
struct loop_end {
    struct soft_nic_backend base;
    struct loop_wire *wire; /* NULL: leads back */
    const struct soft_device *device;
    uint32_t slot_size;
    char *slots;
    uint32_t given;        /* by the last rx */
    uint32_t first;        /* rx */
    _Atomic uint32_t head; /* senders, under the lock */
    _Atomic uint32_t tail; /* rx */
    _Atomic uint64_t lost;
    _Atomic uint64_t looked; /* when rx looked, or was to begin with it, in ms; 0: never */
    pthread_mutex_t lock;    /* of senders */
    struct od_waker waker;
};

struct loop_wire {
    struct od_list link;
    char name[64];
    struct loop_end *ends[2];
};

/* Guards the wires and their ends. Senders take it for reading. */
static pthread_rwlock_t wires_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct od_list wires = {&wires, &wires};

static struct loop_end *from_base(struct soft_nic_backend *backend)
{
    return OD_CONTAINER_OF(backend, struct loop_end, base);
}

static struct slot *slot_at(struct loop_end *end, uint32_t index)
{
    return (struct slot *)(end->slots + (size_t)(index % SLOTS) * end->slot_size);
}

/* ------------------------------------------------------------------------------------------------
 * Wires
 */

static struct loop_wire *find_wire(const char *name)
{
    OD_LIST_FOR_EACH(link, &wires)
    {
        struct loop_wire *wire = OD_LIST_ENTRY(link, struct loop_wire, link);

        if (strcmp(wire->name, name) == 0)
            return wire;
    }
    return NULL;
}

static int plug_in(struct loop_end *end, const char *name)
{
    struct loop_wire *wire = find_wire(name);
    int place;

    if (wire == NULL) {
        wire = calloc(1, sizeof(*wire));
        if (wire == NULL)
            return soft_fail(-ENOMEM, "no memory for a wire");
        snprintf(wire->name, sizeof(wire->name), "%s", name);
        od_list_append(&wires, &wire->link);
    }
    place = wire->ends[0] == NULL ? 0 : 1;
    if (wire->ends[place] != NULL)
        return soft_fail(-EBUSY, "wire '%s' has two ends already", name);
    wire->ends[place] = end;
    end->wire = wire;
    return 0;
}

static void plug_out(struct loop_end *end)
{
    struct loop_wire *wire = end->wire;

    wire->ends[wire->ends[0] == end ? 0 : 1] = NULL;
    if (wire->ends[0] != NULL || wire->ends[1] != NULL)
        return;
    od_list_remove(&wire->link);
    free(wire);
}

/* ------------------------------------------------------------------------------------------------
 * Life
 */

static int loop_check_text(const struct soft_nic_spec *spec, const struct soft_device *device)
{
    static const char *const keys[] = {NULL};
    int err = soft_nic_spec_check(spec, keys);

    (void)device;
    if (err == 0 && strlen(spec->where) >= sizeof(((struct loop_wire *)0)->name))
        err = soft_fail(-EINVAL, "the name of wire '%.80s' is too long, allowed: %zu bytes",
                        spec->where, sizeof(((struct loop_wire *)0)->name) - 1);
    return err;
}

static int loop_open(const struct soft_nic_spec *spec, const struct soft_device *device,
                     struct soft_nic_backend **backend)
{
    struct loop_end *end;
    int err = loop_check_text(spec, device);

    if (err != 0)
        return err;
    end = calloc(1, sizeof(*end));
    if (end == NULL)
        return soft_fail(-ENOMEM, "no memory for a wire");
    end->base.ops = &soft_nic_loop_ops;
    end->device = device;
    end->slot_size = (uint32_t)sizeof(struct slot) + (device->mtu + ETHERNET_ROOM + 63u) / 64 * 64;
    end->slots = mmap(NULL, (size_t)SLOTS * end->slot_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (end->slots == MAP_FAILED) {
        err = soft_fail(-ENOMEM, "no memory for a wire");
        goto err_free;
    }
    err = od_waker_open(&end->waker);
    if (err != 0) {
        soft_fail(err, "no wake-up for a wire: %s", strerror(-err));
        goto err_unmap;
    }
    pthread_mutex_init(&end->lock, NULL);
    if (spec->where[0] != '\0') {
        pthread_rwlock_wrlock(&wires_lock);
        err = plug_in(end, spec->where);
        pthread_rwlock_unlock(&wires_lock);
    }
    if (err != 0)
        goto err_close_waker;
    *backend = &end->base;
    return 0;

err_close_waker:
    pthread_mutex_destroy(&end->lock);
    od_waker_close(&end->waker);
err_unmap:
    munmap(end->slots, (size_t)SLOTS * end->slot_size);
err_free:
    free(end);
    return err;
}

static void loop_close(struct soft_nic_backend *backend)
{
    struct loop_end *end = from_base(backend);

    pthread_rwlock_wrlock(&wires_lock);
    if (end->wire != NULL)
        plug_out(end);
    pthread_rwlock_unlock(&wires_lock);
    pthread_mutex_destroy(&end->lock);
    od_waker_close(&end->waker);
    munmap(end->slots, (size_t)SLOTS * end->slot_size);
    free(end);
}

static void loop_info(const struct soft_nic_backend *backend, struct soft_nic_port_info *info)
{
    const struct loop_end *end = OD_CONTAINER_OF(backend, const struct loop_end, base);

    *info = (struct soft_nic_port_info){.kind = "loop",
                                        .where = end->wire != NULL ? end->wire->name : "itself",
                                        .mode = "",
                                        .mtu = end->device->mtu,
                                        .link_up = true};
    memcpy(info->mac, end->device->mac, sizeof(info->mac));
}

static void loop_outside(struct soft_nic_backend *backend, struct soft_nic_outside *sum)
{
    sum->lost = atomic_load_explicit(&from_base(backend)->lost, memory_order_relaxed);
}

/* ------------------------------------------------------------------------------------------------
 * Receiving
 */

static uint64_t coarse_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The engine's thread may have its first turn much later. */
static void loop_expect_looks(struct soft_nic_backend *backend)
{
    atomic_store_explicit(&from_base(backend)->looked, coarse_ms(), memory_order_relaxed);
}

static uint32_t loop_rx(struct soft_nic_backend *backend, struct soft_nic_frame *frames,
                        uint32_t max)
{
    struct loop_end *end = from_base(backend);
    uint32_t tail = atomic_load_explicit(&end->tail, memory_order_relaxed);
    uint32_t n = atomic_load_explicit(&end->head, memory_order_acquire) - tail;

    atomic_store_explicit(&end->looked, coarse_ms(), memory_order_relaxed);
    n = OD_MIN(n, max);
    for (uint32_t i = 0; i < n; i++) {
        struct slot *slot = slot_at(end, tail + i);

        frames[i] =
            (struct soft_nic_frame){.data = slot->data, .len = slot->len, .time = slot->time};
    }
    end->given = n;
    return n;
}

static void loop_rx_release(struct soft_nic_backend *backend)
{
    struct loop_end *end = from_base(backend);
    uint32_t tail = atomic_load_explicit(&end->tail, memory_order_relaxed);

    atomic_store_explicit(&end->tail, tail + end->given, memory_order_release);
}

static int loop_sleep_fd(struct soft_nic_backend *backend)
{
    struct loop_end *end = from_base(backend);

    od_waker_clear(&end->waker);
    od_waker_arm(&end->waker);
    return end->waker.fd;
}

/* ------------------------------------------------------------------------------------------------
 * Sending
 */

struct loop_tx {
    struct soft_nic_backend_tx base;
    struct loop_end *end; /* of the sender */
};

static int loop_tx_open(struct soft_nic_backend *backend, struct soft_nic_backend_tx **out)
{
    struct loop_tx *tx = calloc(1, sizeof(*tx));

    if (tx == NULL)
        return soft_fail(-ENOMEM, "no memory for a send queue");
    tx->base.ops = &soft_nic_loop_ops;
    tx->end = from_base(backend);
    *out = &tx->base;
    return 0;
}

static void loop_tx_close(struct soft_nic_backend_tx *base)
{
    free(OD_CONTAINER_OF(base, struct loop_tx, base));
}

static bool is_full(const struct loop_end *end)
{
    return atomic_load_explicit(&end->head, memory_order_relaxed) -
               atomic_load_explicit(&end->tail, memory_order_acquire) ==
           SLOTS;
}

static bool is_looked_at(const struct loop_end *end)
{
    return atomic_load_explicit(&end->looked, memory_order_relaxed) + PATIENCE_MS > coarse_ms();
}

/* Under the receiving end's lock. The devices of a wire may differ in their MTU. */
static bool put(struct loop_end *to, const struct soft_nic_tx_frame *frame)
{
    uint32_t head = atomic_load_explicit(&to->head, memory_order_relaxed);
    struct slot *slot = slot_at(to, head);
    uint32_t done = 0;

    if (is_full(to) || frame->len > to->slot_size - sizeof(*slot))
        return false;
    for (uint32_t i = 0; i < frame->npieces; i++) {
        memcpy(slot->data + done, frame->pieces[i].addr, frame->pieces[i].len);
        done += frame->pieces[i].len;
    }
    slot->len = frame->len;
    slot->time = soft_nic_now();
    atomic_store_explicit(&to->head, head + 1, memory_order_release);
    return true;
}

/* How many are over. */
static uint32_t carry(struct loop_end *to, struct soft_nic_tx_frame *frames, uint32_t n)
{
    uint64_t lost = 0;
    uint32_t i;

    pthread_mutex_lock(&to->lock);
    for (i = 0; i < n && !(is_full(to) && is_looked_at(to)); i++)
        lost += put(to, &frames[i]) ? 0 : 1;
    pthread_mutex_unlock(&to->lock);
    if (lost > 0)
        atomic_fetch_add_explicit(&to->lost, lost, memory_order_relaxed);
    od_waker_wake(&to->waker);
    return i;
}

static uint32_t loop_send(struct soft_nic_backend_tx *base, struct soft_nic_tx_frame *frames,
                          uint32_t n)
{
    struct loop_end *from = OD_CONTAINER_OF(base, struct loop_tx, base)->end;
    const struct loop_wire *wire = from->wire;
    struct loop_end *to = from;

    pthread_rwlock_rdlock(&wires_lock);
    if (wire != NULL)
        to = wire->ends[wire->ends[0] == from ? 1 : 0];
    if (to != NULL)
        n = carry(to, frames, n);
    pthread_rwlock_unlock(&wires_lock);
    for (uint32_t i = 0; i < n; i++)
        frames[i].status = 0;
    return n;
}

const struct soft_nic_ops soft_nic_loop_ops = {
    .name = "loop",
    .is_patient = soft_nic_never_patient,
    .check_text = loop_check_text,
    .open = loop_open,
    .close = loop_close,
    .rx = loop_rx,
    .rx_release = loop_rx_release,
    .expect_looks = loop_expect_looks,
    .sleep_fd = loop_sleep_fd,
    .tx_open = loop_tx_open,
    .tx_close = loop_tx_close,
    .tx = loop_send,
    .info = loop_info,
    .outside = loop_outside,
    .claim = soft_nic_claims_all,
    .to_stack = soft_nic_no_stack,
};
