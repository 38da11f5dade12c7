/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_GPU_GPU_H_
#define OD_SOFT_GPU_GPU_H_

/* GPUs: their memory, and how the CPU gets at it.
 *
 * An engine is a folder with one complete table of operations. `simt` is the CPU itself: kernels
 * run in this process, memory of the GPU is memory of the process. An engine for true GPUs has
 * memory that the CPU does not reach (`cpu` NULL), which it copies.
 *
 * All memory that an engine gave is known by address, by either of its two, so that whoever is
 * handed one can find the other. Any thread. */

#include "soft/soft.h"
#include "util/list.h"

#define SOFT_GPU_ID_SIZE 16u /* "0000:3b:00.0", domains up to 8 digits */

struct soft_gpu;

/* Numbered as the memory types of the API. */
enum soft_gpu_place {
    SOFT_GPU_ON_GPU,        /* the CPU need not reach it */
    SOFT_GPU_ON_GPU_SHARED, /* the CPU reaches it */
    SOFT_GPU_ON_CPU,        /* the GPU reaches it */
    SOFT_GPU_PLACES
};

struct soft_gpu_memory {
    struct od_list link; /* of all memory */
    struct soft_gpu *gpu;
    size_t len;
    enum soft_gpu_place place;
    char *at;         /* for kernels */
    char *cpu;        /* for this library; NULL: only by copies */
    void *handle;     /* the engine's */
    uint32_t holders; /* under the lock of all memory */
    bool is_freed;    /* by the program: others hold it still */
    bool is_program;  /* not the library's own */
};

struct soft_gpu_copier;

struct soft_gpu_ops {
    const char *name;
    bool is_cpu; /* kernels run in the process, if they were built so */

    /* 0: can serve here; -ENOTSUP, -EIO with a reason. */
    int (*probe)(void);
    /* `id` is normalised. -ENOENT, -ENOMEM, -EIO with a reason. */
    int (*open)(const char *id, struct soft_gpu **gpu);
    void (*close)(struct soft_gpu *gpu);

    /* Fills `at`, `cpu` and `handle` for `len` and `place`; on the CPU and shared: zeros. -ENOMEM.
     */
    int (*alloc)(struct soft_gpu *gpu, size_t align, struct soft_gpu_memory *memory);
    void (*free)(struct soft_gpu_memory *memory);

    /* Copies of memory without a CPU address, in order, while kernels run. One thread a copier.
     * NULL for engines that have no such memory. */
    int (*copier_open)(struct soft_gpu *gpu, struct soft_gpu_copier **copier);
    void (*copier_close)(struct soft_gpu_copier *copier);
    /* Not done when they return, perhaps not begun before the next mark: neighbours may travel as
     * one. `cpu` must lie in memory on the CPU and stay. -EIO, -ENOMEM with a reason: from then on
     * all of the copier's calls fail so. */
    int (*copy_in)(struct soft_gpu_copier *copier, char *at, const char *cpu, size_t len);
    int (*copy_out)(struct soft_gpu_copier *copier, char *cpu, const char *at, size_t len);
    /* A mark behind all copies so far (from 1, ascending), and whether all before it is done: 1, 0,
     * or the failure. Copies behind a mark begin when those before it are done. */
    int (*mark)(struct soft_gpu_copier *copier, uint64_t *mark);
    int (*is_done)(struct soft_gpu_copier *copier, uint64_t mark);
};

/* First member of every engine's GPU. */
struct soft_gpu {
    const struct soft_gpu_ops *ops;
    uint32_t holders; /* under the lock of all memory: who opened it, and its memory */
    char id[SOFT_GPU_ID_SIZE];
};

struct soft_gpu_copier {
    const struct soft_gpu_ops *ops;
};

/* Opens the GPU of that PCI address with the engine that OPENDOCA_GPU names, else with the one that
 * the program was built for. -EINVAL: not an address; -ENOENT: no such GPU; -ENOTSUP: no engine
 * serves here; -ENOMEM, -EIO; all with a reason. */
SOFT_API int soft_gpu_open(const char *address, struct soft_gpu **gpu);
/* Frees what the program left, as far as nobody holds it; returns the number of pieces. */
SOFT_API uint32_t soft_gpu_close(struct soft_gpu *gpu);
/* Whether soft_gpu_open() could find anything. 0 or a negative errno with a reason. */
SOFT_API int soft_gpu_probe(void);

/* Waits until all copies of the copier so far are done, for 5 seconds at most. 0, or -EIO with a
 * reason: then they may still be under way. */
SOFT_API int soft_gpu_await_copies(const struct soft_gpu *gpu, struct soft_gpu_copier *copier);

/* Has the hook called whenever a kernel has ended, before anybody is told so; one for the process.
 * Only of kernels on the CPU, in programs that have their run-time library. */
SOFT_API void soft_gpu_on_retire(void (*hook)(void));

/* What wakes kernels that sleep as nothing came: to be called when something did. NULL: none run
 * here. */
typedef void (*soft_gpu_caller_fn)(void);
soft_gpu_caller_fn soft_gpu_caller(void);

/* `align` is a power of two; 0: of a page. -ENOMEM with a reason. */
SOFT_API int soft_gpu_alloc(struct soft_gpu *gpu, size_t len, size_t align,
                            enum soft_gpu_place place, struct soft_gpu_memory **memory);
/* NULL is fine. The last holder frees it. */
SOFT_API void soft_gpu_put(struct soft_gpu_memory *memory);

/* What a program allocates and frees, by the address for kernels. -EINVAL: not (any more) its. */
SOFT_API int soft_gpu_program_alloc(struct soft_gpu *gpu, size_t len, size_t align,
                                    enum soft_gpu_place place, struct soft_gpu_memory **memory);
SOFT_API int soft_gpu_program_free(struct soft_gpu *gpu, const void *at);

/* The memory that has all of the range, by either address, held for the caller; NULL: it is not
 * memory of a GPU. */
SOFT_API struct soft_gpu_memory *soft_gpu_find(const void *addr, size_t len);

/* The other address of a place in `memory`, for kernels or for the library; NULL: there is none. */
static inline char *soft_gpu_at(const struct soft_gpu_memory *memory, const void *addr)
{
    const char *place = addr;

    if (place >= memory->at && place < memory->at + memory->len)
        return (char *)(uintptr_t)place;
    return memory->at + (place - memory->cpu);
}

static inline char *soft_gpu_cpu(const struct soft_gpu_memory *memory, const void *addr)
{
    const char *place = addr;

    if (memory->cpu == NULL)
        return NULL;
    if (place >= memory->cpu && place < memory->cpu + memory->len)
        return (char *)(uintptr_t)place;
    return memory->cpu + (place - memory->at);
}

/* Generated by the build from the list of folders; NULL-terminated. */
extern const struct soft_gpu_ops soft_gpu_cuda_ops;
extern const struct soft_gpu_ops soft_gpu_simt_ops;
extern const struct soft_gpu_ops *const soft_gpu_engine_table[];

#endif /* OD_SOFT_GPU_GPU_H_ */
