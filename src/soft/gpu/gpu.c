/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/gpu/gpu.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/note.h"

#define COPIES_NS 5000000000ull

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct od_list memories = {&memories, &memories};

/* ------------------------------------------------------------------------------------------------
 * Engines
 */

static const struct soft_gpu_ops *find_engine(const char *name)
{
    for (const struct soft_gpu_ops *const *ops = soft_gpu_engine_table; *ops != NULL; ops++) {
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    }
    soft_fail(-ENOTSUP, "OPENDOCA_GPU: there is no engine '%.40s' for GPUs", name);
    return NULL;
}

/* Programs that our nvcc made bring the run-time library of kernels on the CPU with them. */
static bool runs_kernels_on_cpu(void)
{
    return dlsym(RTLD_DEFAULT, "simt_in_kernel") != NULL;
}

void soft_gpu_on_retire(void (*hook)(void))
{
    void *symbol = dlsym(RTLD_DEFAULT, "simt_on_retire");
    void (*on_retire)(void (*hook)(void));

    if (symbol == NULL)
        return;
    /* A pointer to a function, as ISO C would not convert it. */
    *(void **)&on_retire = symbol;
    on_retire(hook);
}

soft_gpu_caller_fn soft_gpu_caller(void)
{
    soft_gpu_caller_fn caller;

    *(void **)&caller = dlsym(RTLD_DEFAULT, "simt_call");
    return caller;
}

/* Kernels that only a GPU can run, and none that can be used. */
static int no_gpu_for_kernels(void)
{
    char why[SOFT_REASON_SIZE];

    snprintf(why, sizeof(why), "%s", soft_reason());
    return soft_fail(
        -ENOTSUP,
        "NVIDIA's nvcc built this program's kernels, and there is no GPU for them "
        "(%.300s): build the program with the nvcc of simt, and kernels run on the CPU",
        why);
}

static int choose_engine(const struct soft_gpu_ops **chosen)
{
    const char *name = getenv("OPENDOCA_GPU");
    int err = soft_fail(-ENOTSUP, "no engine for GPUs was built");

    if (name == NULL || *name == '\0' || strcmp(name, "auto") == 0)
        name = runs_kernels_on_cpu() ? "simt" : NULL;
    if (name != NULL) {
        *chosen = find_engine(name);
        if (*chosen == NULL)
            return -ENOTSUP;
        if ((*chosen)->is_cpu && od_program_note(OD_NOTE_NVCC) != 0 && !runs_kernels_on_cpu()) {
            soft_fail(-ENOTSUP, "OPENDOCA_GPU is %.40s", name);
            return no_gpu_for_kernels();
        }
        return (*chosen)->probe();
    }
    for (const struct soft_gpu_ops *const *ops = soft_gpu_engine_table; *ops != NULL; ops++) {
        if ((*ops)->is_cpu && od_program_note(OD_NOTE_NVCC) != 0)
            return no_gpu_for_kernels();
        *chosen = *ops;
        err = (*ops)->probe();
        if (err == 0)
            return 0;
    }
    return err;
}

int soft_gpu_probe(void)
{
    const struct soft_gpu_ops *ops;

    return choose_engine(&ops);
}

/* ------------------------------------------------------------------------------------------------
 * GPUs
 */

/* Domain, bus, device and function, the domain with 4 or 8 digits or none. */
static bool parse_address(const char *text, char id[SOFT_GPU_ID_SIZE])
{
    unsigned int domain = 0, bus, device, function;
    int used = 0;

    for (const char *c = text; *c != '\0'; c++) {
        if (!isxdigit((unsigned char)*c) && *c != ':' && *c != '.')
            return false;
    }
    if (sscanf(text, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &used) != 4 ||
        text[used] != '\0') {
        domain = 0;
        used = 0;
        if (sscanf(text, "%2x:%2x.%1x%n", &bus, &device, &function, &used) != 3 ||
            text[used] != '\0')
            return false;
    }
    if (device > 0x1f || function > 7)
        return false;
    snprintf(id, SOFT_GPU_ID_SIZE, "%04x:%02x:%02x.%x", domain, bus & 0xffu, device, function);
    return true;
}

int soft_gpu_open(const char *address, struct soft_gpu **gpu)
{
    const struct soft_gpu_ops *ops;
    char id[SOFT_GPU_ID_SIZE];
    int err;

    if (!parse_address(address, id))
        return soft_fail(-EINVAL, "'%.40s' is not a PCI address such as 0000:3b:00.0", address);
    err = choose_engine(&ops);
    if (err == 0)
        err = ops->open(id, gpu);
    if (err != 0)
        return err;
    (*gpu)->ops = ops;
    (*gpu)->holders = 1;
    memcpy((*gpu)->id, id, sizeof(id));
    return 0;
}

int soft_gpu_await_copies(const struct soft_gpu *gpu, struct soft_gpu_copier *copier)
{
    const uint64_t end = od_now_ns() + COPIES_NS;
    uint64_t mark;
    int done = 0, err = gpu->ops->mark(copier, &mark);

    if (err != 0)
        return -EIO;
    while (done == 0) {
        done = gpu->ops->is_done(copier, mark);
        if (done == 0) {
            if (od_now_ns() > end)
                return soft_fail(-EIO, "GPU %s: copies have not ended within %llu s", gpu->id,
                                 COPIES_NS / 1000000000ull);
            sched_yield();
        }
    }
    return done == 1 ? 0 : -EIO;
}

/* ------------------------------------------------------------------------------------------------
 * Memory
 */

int soft_gpu_alloc(struct soft_gpu *gpu, size_t len, size_t align, enum soft_gpu_place place,
                   struct soft_gpu_memory **out)
{
    struct soft_gpu_memory *memory = calloc(1, sizeof(*memory));
    int err;

    if (memory == NULL)
        return soft_fail(-ENOMEM, "no memory for a piece of a GPU's memory");
    memory->gpu = gpu;
    memory->len = len;
    memory->place = place;
    memory->holders = 1;
    err = gpu->ops->alloc(gpu, align, memory);
    if (err != 0) {
        free(memory);
        return err;
    }
    pthread_mutex_lock(&lock);
    gpu->holders++;
    od_list_append(&memories, &memory->link);
    pthread_mutex_unlock(&lock);
    *out = memory;
    return 0;
}

int soft_gpu_program_alloc(struct soft_gpu *gpu, size_t len, size_t align,
                           enum soft_gpu_place place, struct soft_gpu_memory **memory)
{
    int err = soft_gpu_alloc(gpu, len, align, place, memory);

    if (err != 0)
        return err;
    pthread_mutex_lock(&lock);
    (*memory)->is_program = true;
    pthread_mutex_unlock(&lock);
    return 0;
}

/* Under the lock; false: others have it still. */
static bool drop_gpu(struct soft_gpu *gpu)
{
    return --gpu->holders == 0;
}

/* Under the lock. */
static bool drop_memory(struct soft_gpu_memory *memory)
{
    if (--memory->holders > 0)
        return false;
    od_list_remove(&memory->link);
    return true;
}

static void end_memory(struct soft_gpu_memory *memory)
{
    struct soft_gpu *gpu = memory->gpu;
    bool is_last;

    gpu->ops->free(memory);
    free(memory);
    pthread_mutex_lock(&lock);
    is_last = drop_gpu(gpu);
    pthread_mutex_unlock(&lock);
    if (is_last)
        gpu->ops->close(gpu);
}

void soft_gpu_put(struct soft_gpu_memory *memory)
{
    bool is_last;

    if (memory == NULL)
        return;
    pthread_mutex_lock(&lock);
    is_last = drop_memory(memory);
    pthread_mutex_unlock(&lock);
    if (is_last)
        end_memory(memory);
}

/* Under the lock: the program's memory at that address, or any when `at` is NULL. */
static struct soft_gpu_memory *find_program(const struct soft_gpu *gpu, const void *at)
{
    OD_LIST_FOR_EACH(link, &memories)
    {
        struct soft_gpu_memory *memory = OD_LIST_ENTRY(link, struct soft_gpu_memory, link);

        if (memory->gpu == gpu && memory->is_program && !memory->is_freed &&
            (at == NULL || memory->at == at))
            return memory;
    }
    return NULL;
}

int soft_gpu_program_free(struct soft_gpu *gpu, const void *at)
{
    struct soft_gpu_memory *memory;
    bool is_last = false;

    pthread_mutex_lock(&lock);
    memory = find_program(gpu, at);
    if (memory != NULL) {
        memory->is_freed = true;
        is_last = drop_memory(memory);
    }
    pthread_mutex_unlock(&lock);
    if (memory == NULL)
        return soft_fail(-EINVAL, "no memory of this GPU begins there, or it was freed before");
    if (is_last)
        end_memory(memory);
    return 0;
}

uint32_t soft_gpu_close(struct soft_gpu *gpu)
{
    struct soft_gpu_memory *memory;
    uint32_t left = 0;
    bool is_last;

    do {
        is_last = false;
        pthread_mutex_lock(&lock);
        memory = find_program(gpu, NULL);
        if (memory != NULL) {
            memory->is_freed = true;
            is_last = drop_memory(memory);
            left++;
        }
        pthread_mutex_unlock(&lock);
        if (is_last)
            end_memory(memory);
    } while (memory != NULL);
    pthread_mutex_lock(&lock);
    is_last = drop_gpu(gpu);
    pthread_mutex_unlock(&lock);
    if (is_last)
        gpu->ops->close(gpu);
    return left;
}

static bool has(const char *base, size_t size, const char *addr, size_t len)
{
    return base != NULL && addr >= base && (size_t)(addr - base) <= size &&
           len <= size - (size_t)(addr - base);
}

struct soft_gpu_memory *soft_gpu_find(const void *addr, size_t len)
{
    struct soft_gpu_memory *found = NULL;

    pthread_mutex_lock(&lock);
    OD_LIST_FOR_EACH(link, &memories)
    {
        struct soft_gpu_memory *memory = OD_LIST_ENTRY(link, struct soft_gpu_memory, link);

        if (has(memory->at, memory->len, addr, len) || has(memory->cpu, memory->len, addr, len)) {
            found = memory;
            found->holders++;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}
