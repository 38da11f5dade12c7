/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for CUDA's driver where there is no GPU: what our engine calls, over plain memory. Any
 * thread may call; each has contexts of its own. */
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fake_cuda.h"

#define API __attribute__((visibility("default")))

enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    NOT_READY = 600,
    ALREADY_REGISTERED = 712,
    GPUS = 2,
    MOST = 512,
    STREAMS = 8
};

static const char *const addresses[GPUS] = {"0000:3b:00.0", "0000:AF:00.0"};
static bool started, resident;
static int retained[GPUS], contexts[GPUS]; /* the address of contexts[i] is a context */
static __thread void *pushed[16];
static __thread int depth;
static const char *wrong;

/* ------------------------------------------------------------------------------------------------
 * One call at a time
 */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static int take_lock(void)
{
    return pthread_mutex_lock(&lock);
}

static void give_lock(const int *held)
{
    (void)held;
    pthread_mutex_unlock(&lock);
}

#define LOCKED __attribute__((cleanup(give_lock), unused)) const int held = take_lock()

/* ------------------------------------------------------------------------------------------------
 * Counting and failing
 */

static struct count {
    char name[48];
    int calls, fail_in, result;
} counts[64];

static struct count *count_of(const char *name)
{
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        if (counts[i].name[0] == '\0')
            snprintf(counts[i].name, sizeof(counts[i].name), "%s", name);
        if (strcmp(counts[i].name, name) == 0)
            return &counts[i];
    }
    abort();
}

/* The result that the test wants instead of the work, else OK. */
static int enter(const char *name)
{
    struct count *c = count_of(name);

    c->calls++;
    return c->fail_in > 0 && --c->fail_in == 0 ? c->result : OK;
}

/* Likewise of what needs a context. */
static int enter_with_context(const char *name)
{
    int result = enter(name);

    if (depth == 0) {
        wrong = "a call without a context";
        return INVALID_CONTEXT;
    }
    return result;
}

static void control_break_call(const char *name, int nth, int result)
{
    LOCKED;
    count_of(name)->fail_in = nth;
    count_of(name)->result = result;
}

static int control_calls(const char *name)
{
    LOCKED;
    return count_of(name)->calls;
}

static const char *control_wrong(void)
{
    LOCKED;
    const char *was = wrong;

    wrong = NULL;
    return was;
}

static void control_stay(int is_resident)
{
    LOCKED;
    resident = is_resident != 0;
}

static void waits_for_kernels(void)
{
    if (resident)
        wrong = "a call that waits for a kernel that stays";
}

/* ------------------------------------------------------------------------------------------------
 * Devices and contexts
 */

API int cuInit(unsigned int flags)
{
    LOCKED;
    const char *broken = getenv("FAKE_CUDA_INIT");
    int result = enter("cuInit");

    if (broken != NULL)
        return atoi(broken);
    started = result == OK && flags == 0;
    return result;
}

API int cuDeviceGetCount(int *count)
{
    LOCKED;
    *count = GPUS;
    return started ? enter("cuDeviceGetCount") : NOT_INITIALIZED;
}

API int cuDeviceGet(int *device, int ordinal)
{
    LOCKED;
    if (ordinal < 0 || ordinal >= GPUS)
        return INVALID_DEVICE;
    *device = ordinal;
    return OK;
}

API int cuDeviceGetByPCIBusId(int *device, const char *id)
{
    LOCKED;
    for (int i = 0; i < GPUS; i++) {
        if (strcasecmp(addresses[i], id) == 0) {
            *device = i;
            return OK;
        }
    }
    return INVALID_VALUE;
}

API int cuDeviceGetPCIBusId(char *id, int size, int device)
{
    LOCKED;
    snprintf(id, (size_t)size, "%s", addresses[device]);
    return OK;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    LOCKED;
    int result = enter("cuDeviceGetAttribute");

    *value = attribute == 75 ? 9 : attribute == 19;
    return device < GPUS ? result : INVALID_DEVICE;
}

API int cuDevicePrimaryCtxRetain(void **context, int device)
{
    LOCKED;
    int result = enter("cuDevicePrimaryCtxRetain");

    if (result != OK)
        return result;
    retained[device]++;
    *context = &contexts[device];
    return OK;
}

API int cuDevicePrimaryCtxRelease_v2(int device)
{
    LOCKED;
    if (retained[device]-- == 0)
        wrong = "a context is released that was not retained";
    return OK;
}

API int cuCtxPushCurrent_v2(void *context)
{
    LOCKED;
    int result = enter("cuCtxPushCurrent");

    if (result == OK)
        pushed[depth++] = context;
    return result;
}

API int cuCtxPopCurrent_v2(void **context)
{
    LOCKED;
    if (depth == 0) {
        wrong = "a context is popped that was not pushed";
        return INVALID_CONTEXT;
    }
    *context = pushed[--depth];
    return OK;
}

/* ------------------------------------------------------------------------------------------------
 * Memory
 */

static struct block {
    char *at; /* reserved, not readable; NULL: this is a registration of `plain` */
    char *plain;
    size_t len;
} blocks[MOST];

static struct block *new_block(void)
{
    for (int i = 0; i < MOST; i++) {
        if (blocks[i].len == 0)
            return &blocks[i];
    }
    abort();
}

static struct block *find_block(uintptr_t at, size_t len, bool is_host)
{
    for (int i = 0; i < MOST; i++) {
        uintptr_t start = (uintptr_t)(is_host ? blocks[i].plain : blocks[i].at);

        if (blocks[i].len > 0 && (blocks[i].at == NULL) == is_host && at >= start &&
            at - start <= blocks[i].len && len <= blocks[i].len - (at - start))
            return &blocks[i];
    }
    return NULL;
}

static char *plain_of(unsigned long long at, size_t len)
{
    const struct block *b = find_block((uintptr_t)at, len, false);

    return b == NULL ? NULL : b->plain + ((uintptr_t)at - (uintptr_t)b->at);
}

static void *control_behind(unsigned long long at)
{
    LOCKED;
    return plain_of(at, 1);
}

API int cuMemAlloc_v2(unsigned long long *at, size_t len)
{
    LOCKED;
    int result = enter_with_context("cuMemAlloc");
    struct block *b = new_block();
    char *reserved;

    waits_for_kernels();
    if (result != OK)
        return result;
    if (len == 0)
        return INVALID_VALUE;
    reserved =
        mmap(NULL, len + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        return OUT_OF_MEMORY;
    /* As little aligned as the true one. */
    *b = (struct block){.at = reserved + 256, .plain = malloc(len), .len = len};
    if (b->plain == NULL) {
        munmap(reserved, len + 4096);
        b->len = 0;
        return OUT_OF_MEMORY;
    }
    memset(b->plain, 0xee, len);
    *at = (uintptr_t)b->at;
    return OK;
}

API int cuMemFree_v2(unsigned long long at)
{
    LOCKED;
    struct block *b = find_block((uintptr_t)at, 1, false);
    int result = enter_with_context("cuMemFree");

    waits_for_kernels();
    if (b == NULL || (uintptr_t)b->at != (uintptr_t)at) {
        wrong = "memory is freed that was not allocated";
        return INVALID_VALUE;
    }
    munmap(b->at - 256, b->len + 4096);
    free(b->plain);
    b->len = 0;
    return result;
}

API int cuMemHostRegister_v2(void *addr, size_t len, unsigned int flags)
{
    LOCKED;
    int result = enter_with_context("cuMemHostRegister");

    if (result != OK)
        return result;
    if (flags != 3)
        wrong = "memory of the CPU is registered for one context, or not mapped";
    if (find_block((uintptr_t)addr, len, true) != NULL)
        return ALREADY_REGISTERED;
    *new_block() = (struct block){.plain = addr, .len = len};
    return OK;
}

API int cuMemHostUnregister(void *addr)
{
    LOCKED;
    struct block *b = find_block((uintptr_t)addr, 1, true);

    if (b == NULL || b->plain != addr) {
        wrong = "memory is unregistered that was not registered";
        return INVALID_VALUE;
    }
    b->len = 0;
    return enter_with_context("cuMemHostUnregister");
}

API int cuMemHostGetDevicePointer_v2(unsigned long long *at, void *addr, unsigned int flags)
{
    LOCKED;
    int result = enter_with_context("cuMemHostGetDevicePointer");

    if (result != OK || flags != 0 || find_block((uintptr_t)addr, 1, true) == NULL)
        return result != OK ? result : INVALID_VALUE;
    *at = (uintptr_t)addr;
    return OK;
}

/* ------------------------------------------------------------------------------------------------
 * Streams: what is asked for is done one by one, whenever somebody looks
 */

struct work {
    void *to;
    const void *from;
    size_t len;
    struct event *event; /* recorded instead of a copy */
};

static struct stream {
    bool is_used;
    int first, last;
    struct work work[4096];
} streams[STREAMS];

struct event {
    bool is_used;
    int pending; /* records that have not been reached */
    struct stream *stream;
};

static struct event events[MOST];

static void step(struct stream *s)
{
    struct work *w = &s->work[s->first % 4096];

    if (s->first == s->last)
        return;
    s->first++;
    if (w->event != NULL)
        w->event->pending--;
    else
        memcpy(w->to, w->from, w->len);
}

static int append(void *stream, struct work work)
{
    struct stream *s = stream;

    if (s == NULL || !s->is_used) {
        wrong = "the default stream, or one that is no more";
        return INVALID_VALUE;
    }
    s->work[s->last++ % 4096] = work;
    return OK;
}

API int cuMemcpyHtoDAsync_v2(unsigned long long at, const void *cpu, size_t len, void *stream)
{
    LOCKED;
    int result = enter_with_context("cuMemcpyHtoDAsync");
    char *plain = plain_of(at, len);

    if (result != OK)
        return result;
    if (plain == NULL || find_block((uintptr_t)cpu, len, true) == NULL) {
        wrong = "a copy between memory that is not the GPU's and registered";
        return INVALID_VALUE;
    }
    return append(stream, (struct work){.to = plain, .from = cpu, .len = len});
}

API int cuMemcpyDtoHAsync_v2(void *cpu, unsigned long long at, size_t len, void *stream)
{
    LOCKED;
    int result = enter_with_context("cuMemcpyDtoHAsync");
    char *plain = plain_of(at, len);

    if (result != OK)
        return result;
    if (plain == NULL || find_block((uintptr_t)cpu, len, true) == NULL) {
        wrong = "a copy between memory that is not the GPU's and registered";
        return INVALID_VALUE;
    }
    return append(stream, (struct work){.to = cpu, .from = plain, .len = len});
}

API int cuStreamCreate(void **stream, unsigned int flags)
{
    LOCKED;
    int result = enter_with_context("cuStreamCreate");

    if (result != OK)
        return result;
    if (flags != 1)
        wrong = "a stream that waits for the default one";
    for (int i = 0; i < STREAMS; i++) {
        if (!streams[i].is_used) {
            streams[i].is_used = true;
            *stream = &streams[i];
            return OK;
        }
    }
    return OUT_OF_MEMORY;
}

API int cuStreamCreateWithPriority(void **stream, unsigned int flags, int priority)
{
    LOCKED;
    if (priority != -5)
        wrong = "not the greatest priority";
    return cuStreamCreate(stream, flags);
}

API int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    LOCKED;
    *least = 0;
    *greatest = -5;
    return enter_with_context("cuCtxGetStreamPriorityRange");
}

API int cuStreamQuery(void *stream)
{
    LOCKED;
    struct stream *s = stream;
    int result = enter_with_context("cuStreamQuery");

    if (result != OK)
        return result;
    step(s);
    return s->first == s->last ? OK : NOT_READY;
}

API int cuStreamDestroy_v2(void *stream)
{
    LOCKED;
    struct stream *s = stream;

    if (s->first != s->last)
        wrong = "a stream is destroyed that still copies";
    s->is_used = false;
    s->first = s->last = 0;
    return enter_with_context("cuStreamDestroy");
}

API int cuEventCreate(void **event, unsigned int flags)
{
    LOCKED;
    int result = enter_with_context("cuEventCreate");

    if (result != OK)
        return result;
    if (flags != 2)
        wrong = "an event that takes the time";
    for (int i = 0; i < MOST; i++) {
        if (!events[i].is_used) {
            events[i] = (struct event){.is_used = true};
            *event = &events[i];
            return OK;
        }
    }
    return OUT_OF_MEMORY;
}

API int cuEventRecord(void *event, void *stream)
{
    LOCKED;
    struct event *e = event;
    int result = enter_with_context("cuEventRecord");

    if (result != OK)
        return result;
    e->stream = stream;
    e->pending++;
    return append(stream, (struct work){.event = e});
}

API int cuEventQuery(void *event)
{
    LOCKED;
    struct event *e = event;
    int result = enter_with_context("cuEventQuery");

    if (result != OK)
        return result;
    if (e->stream != NULL)
        step(e->stream);
    return e->pending > 0 ? NOT_READY : OK;
}

API int cuEventDestroy_v2(void *event)
{
    LOCKED;
    ((struct event *)event)->is_used = false;
    return enter_with_context("cuEventDestroy");
}

API int cuPointerSetAttribute(const void *value, int attribute, unsigned long long at)
{
    LOCKED;
    int result = enter_with_context("cuPointerSetAttribute");

    if (attribute != 6 || *(const unsigned int *)value != 1 || plain_of(at, 1) == NULL)
        wrong = "an attribute that was not meant";
    return result;
}

API int cuGetErrorString(int result, const char **text)
{
    LOCKED;
    *text = result == OUT_OF_MEMORY ? "out of memory" : "a fault on purpose";
    return OK;
}

/* ------------------------------------------------------------------------------------------------
 * Controls
 */

static int control_left(void)
{
    LOCKED;
    int left = depth;

    for (int i = 0; i < GPUS; i++)
        left += retained[i];
    for (int i = 0; i < MOST; i++)
        left += (blocks[i].len > 0) + events[i].is_used;
    for (int i = 0; i < STREAMS; i++)
        left += streams[i].is_used;
    return left;
}

API extern const struct fake_cuda fake_cuda_controls;
const struct fake_cuda fake_cuda_controls = {
    .break_call = control_break_call,
    .calls = control_calls,
    .behind = control_behind,
    .left = control_left,
    .wrong = control_wrong,
    .stay = control_stay,
};
