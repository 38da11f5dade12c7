/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_CORE_CORE_PRIV_H_
#define OD_CORE_CORE_PRIV_H_

/* The single door of libdoca_common for its sister libraries. What is marked CORE_API is exported
 * in a private symbol node, never installed, and free to change.
 *
 * Layout of the rooms: dev/ devices, mem/ memory maps and buffers, progress/ engines, contexts,
 * tasks, graphs, sync/ sync events and cache advice, error.c and log.c. */

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_types.h>

#include "soft/copy/copy.h"
#include "soft/device/device.h"
#include "soft/gpu/gpu.h"
#include "soft/peer/peer.h"
#include "util/base.h"
#include "util/list.h"
#include "util/waker.h"

#define CORE_API __attribute__((visibility("default")))

/* ------------------------------------------------------------------------------------------------
 * Log of the SDK tier
 */

/* One source an object family; the names are in core/log.c ("DOCA_DEV", ...). */
enum core_log_source {
    CORE_LOG_COMMON,
    CORE_LOG_DEV,
    CORE_LOG_CTX,
    CORE_LOG_PE,
    CORE_LOG_TASK,
    CORE_LOG_MMAP,
    CORE_LOG_BUF,
    CORE_LOG_SYNC_EVENT,
    CORE_LOG_GRAPH,
    CORE_LOG_MMAP_ADVISE,
    CORE_LOG_CLOCK,
    CORE_LOG_DMA,
    CORE_LOG_ARGP,
    CORE_LOG_COMCH,
    CORE_LOG_RDMA,
    CORE_LOG_UROM,
    CORE_LOG_ETH,
    CORE_LOG_FLOW,
    CORE_LOG_GPUNETIO,
    CORE_LOG_NUM
};

CORE_API const char *core_log_source_name(enum core_log_source source);

/* Least severe level that some SDK backend prints; lets everything through until the first record
 * or call of the log has read the environment. Read on hot paths; written by the log only. */
CORE_API extern _Atomic int core_log_threshold;

CORE_API void core_log_print(enum doca_log_level level, enum core_log_source source,
                             const char *file, int line, const char *fmt, ...) OD_PRINTF(5, 6);

/* One SDK record. Costs one compare when nobody listens. */
#define CORE_LOG(level, source, ...)                                                               \
    do {                                                                                           \
        if (od_unlikely((int)(level) <=                                                            \
                        atomic_load_explicit(&core_log_threshold, memory_order_relaxed)))          \
            core_log_print(level, source, __FILE__, __LINE__, __VA_ARGS__);                        \
    } while (0)

#define CORE_WARN(source, ...)  CORE_LOG(DOCA_LOG_LEVEL_WARNING, source, __VA_ARGS__)
#define CORE_INFO(source, ...)  CORE_LOG(DOCA_LOG_LEVEL_INFO, source, __VA_ARGS__)
#define CORE_DEBUG(source, ...) CORE_LOG(DOCA_LOG_LEVEL_DEBUG, source, __VA_ARGS__)
#define CORE_TRACE(source, ...) CORE_LOG(DOCA_LOG_LEVEL_TRACE, source, __VA_ARGS__)

enum core_log_tier { CORE_LOG_TIER_APP, CORE_LOG_TIER_SDK, CORE_LOG_TIER_NUM };

/* The name or number of a level, as flags and the environment have it: "60", "Debug". Returns 0 or
 * -EINVAL, and writes the output only on success. */
CORE_API int core_log_parse_level(const char *text, enum doca_log_level *level);

/* What a command line flag asked for. The doca_log_level_set_global_*() calls yield to a more
 * verbose environment; a flag replaces it as well. */
CORE_API void core_log_set_level_by_flag(enum core_log_tier tier, enum doca_log_level level);

/* ------------------------------------------------------------------------------------------------
 * Failing
 *
 * The first function that decides that a call fails says why, once, and returns the code:
 *
 *     return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_DMA, __func__, dma->ctx.name,
 *                      "num_memcpy_tasks", "%u" CORE_LIMIT "1..%u" CORE_REMEDY "ask for fewer
 * tasks", num, cap);
 *
 * which logs  doca_dma_task_memcpy_set_conf(dma#1@0000:03:00.0): num_memcpy_tasks is 70000, limit
 * 1..65535: DOCA_ERROR_INVALID_VALUE; ask for fewer tasks  and keeps the same facts for
 * opendoca_last_error(). `func` is the public function's name, also in helpers. The format has up
 * to three parts: value, limit, remedy; the last two are optional. `object` and `attribute` may be
 * NULL.
 *
 * Codes that are answers rather than failures (AGAIN, IN_PROGRESS, and what CORE_ANSWER returns)
 * are logged at DEBUG, the others at ERROR. A call site that repeats itself fast is rate limited.
 */
#define CORE_LIMIT  "\x1f"
#define CORE_REMEDY "\x1e"

struct core_fail_site {
    const char *file;
    int line;
    enum core_log_source source;
    bool is_answer;
    _Atomic uint64_t window; /* rate limit state, see error.c */
};

CORE_API doca_error_t core_fail(struct core_fail_site *site, doca_error_t error, const char *func,
                                const char *object, const char *attribute, const char *fmt, ...)
    OD_PRINTF(6, 7) OD_COLD;

/* A failure is never DOCA_SUCCESS, which the compiler has to be told: else it warns of outputs that
 * a failing helper leaves unset. */
#define CORE_FAIL_SITE(answer, error, src, func, object, attribute, ...)                           \
    ({                                                                                             \
        static struct core_fail_site core_site_ = {__FILE__, __LINE__, src, answer, 0};            \
        doca_error_t core_failed_ =                                                                \
            core_fail(&core_site_, error, func, object, attribute, __VA_ARGS__);                   \
        if (core_failed_ == DOCA_SUCCESS)                                                          \
            __builtin_unreachable();                                                               \
        core_failed_;                                                                              \
    })

#define CORE_FAIL(error, source, func, object, attribute, ...)                                     \
    CORE_FAIL_SITE(false, error, source, func, object, attribute, __VA_ARGS__)

/* For queries whose status is the answer ("not supported" to a capability question). */
#define CORE_ANSWER(error, source, func, object, attribute, ...)                                   \
    CORE_FAIL_SITE(true, error, source, func, object, attribute, __VA_ARGS__)

/* A NULL argument: INVALID_VALUE. */
#define CORE_FAIL_NULL(source, func, argument)                                                     \
    CORE_FAIL(DOCA_ERROR_INVALID_VALUE, source, func, NULL, argument,                              \
              "NULL" CORE_REMEDY "pass a valid pointer")

/* The code for a negative errno of the soft layer. */
CORE_API doca_error_t core_error_from_errno(int err);

/* The same for what soft/peer reports of exports and imports: told as the few codes that these
 * calls have; the rest is trouble of the device layer, DRIVER. */
CORE_API doca_error_t core_error_from_peer(int err);

/* A failure that the soft layer explained: maps the errno and takes over soft_reason(). */
#define CORE_FAIL_SOFT(err, source, func, object, attribute)                                       \
    CORE_FAIL(core_error_from_errno(err), source, func, object, attribute, "%s", soft_reason())

/* ------------------------------------------------------------------------------------------------
 * Objects that exist
 *
 * The checked flavour knows every object by address and kind, and refuses all other pointers before
 * it reads them. In the release flavour a pointer is only compared with NULL.
 */

enum core_live_kind {
    CORE_LIVE_PE,
    CORE_LIVE_CTX, /* of every library */
    CORE_LIVE_TASK,
    CORE_LIVE_DMA,
    CORE_LIVE_MMAP,
    CORE_LIVE_INVENTORY,
    CORE_LIVE_BUF_POOL,
    CORE_LIVE_BUF_ARR,
    CORE_LIVE_SYNC_EVENT,
    CORE_LIVE_REMOTE_NET_EVENT,
    CORE_LIVE_MMAP_ADVISE,
    CORE_LIVE_CLOCK,
    CORE_LIVE_GRAPH,
    CORE_LIVE_GRAPH_NODE,
    CORE_LIVE_GRAPH_INSTANCE,
    CORE_LIVE_COMCH_SERVER,
    CORE_LIVE_COMCH_CLIENT,
    CORE_LIVE_COMCH_CONNECTION,
    CORE_LIVE_COMCH_CONSUMER,
    CORE_LIVE_COMCH_PRODUCER,
    CORE_LIVE_UROM_SERVICE,
    CORE_LIVE_UROM_WORKER,
    CORE_LIVE_UROM_DOMAIN,
    CORE_LIVE_ETH_RXQ,
    CORE_LIVE_ETH_TXQ,
    CORE_LIVE_GPU,
    CORE_LIVE_GPU_SEMAPHORE,
    CORE_LIVE_RDMA,
    CORE_LIVE_RDMA_CONNECTION,
    CORE_LIVE_RDMA_ADDR,
    CORE_LIVE_FLOW_PORT,
    CORE_LIVE_FLOW_PIPE,
    CORE_LIVE_FLOW_ENTRY,
};

/* Any thread. An address can have several kinds (an instance and the context in it); they end
 * together. Removing what is not there, or NULL, is fine. Release flavour: no effect. Whoever makes
 * tasks without core_task_pool_open() adds and removes them itself. */
CORE_API void core_live_add(enum core_live_kind kind, const void *object);
CORE_API void core_live_remove(const void *object);

/* False for NULL. Call core_is_live(). */
CORE_API bool core_live_is(enum core_live_kind kind, const void *object);

static inline bool core_is_live(enum core_live_kind kind, const void *object)
{
    return OD_CHECKED ? core_live_is(kind, object) : object != NULL;
}

/* An argument that core_is_live() refused: INVALID_VALUE. `object` is evaluated twice. */
#define CORE_FAIL_DEAD(source, func, argument, object)                                             \
    (OD_CHECKED && (object) != NULL                                                                \
         ? CORE_FAIL(DOCA_ERROR_INVALID_VALUE, source, func, NULL, argument,                       \
                     "%p" CORE_LIMIT "an object of this type that exists" CORE_REMEDY              \
                     "it was destroyed, or it is something else",                                  \
                     (const void *)(object))                                                       \
         : CORE_FAIL_NULL(source, func, argument))

/* For calls about a task that cannot return an error and let NULL pass: logs other pointers that
 * are refused. */
static inline bool core_task_is_live(const void *task, const char *func)
{
    if (od_likely(core_is_live(CORE_LIVE_TASK, task)))
        return true;
    if (OD_CHECKED && task != NULL)
        CORE_FAIL_DEAD(CORE_LOG_TASK, func, "task", task);
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Devices
 */

struct doca_devinfo {
    const struct soft_device *soft;
    char name[32]; /* "0000:03:00.0" */
};

/* What can depend on an open device; the failing close counts each kind. */
enum core_dev_user {
    CORE_DEV_USER_CTX,
    CORE_DEV_USER_MMAP,
    CORE_DEV_USER_SYNC_EVENT,
    CORE_DEV_USER_CLOCK,
    CORE_DEV_USER_REP,
    CORE_DEV_USER_NUM
};

/* Devices are shared by several threads and engines: counters are atomic. */
struct doca_dev {
    struct doca_devinfo info; /* first, see core_devinfo_is_valid() */
    uint32_t opens;           /* under the lock of dev.c */
    _Atomic uint32_t users[CORE_DEV_USER_NUM];
};

struct doca_devinfo_rep {
    const struct soft_device *soft; /* the represented host function */
    const struct soft_device *parent;
    char name[32];
};

struct doca_dev_rep {
    struct doca_devinfo_rep info; /* first, as above */
    struct doca_dev *dev;
    _Atomic uint32_t users; /* comch servers */
};

/* True when the pointer is a devinfo of a list that still exists or of an open device; the public
 * calls refuse others with INVALID_VALUE instead of reading freed memory. */
CORE_API bool core_devinfo_is_valid(const struct doca_devinfo *devinfo);
CORE_API bool core_dev_is_valid(const struct doca_dev *dev);
CORE_API bool core_dev_rep_is_valid(const struct doca_dev_rep *rep);

/* What the device can do, by devinfo. NULL, after one log line, when the devinfo is not valid. */
CORE_API const struct soft_caps *core_devinfo_caps(const struct doca_devinfo *devinfo,
                                                   const char *func);

/* An object starts or ends to depend on the device: keeps doca_dev_close() from freeing it. */
CORE_API void core_dev_hold(struct doca_dev *dev, enum core_dev_user user);
CORE_API void core_dev_release(struct doca_dev *dev, enum core_dev_user user);

/* ------------------------------------------------------------------------------------------------
 * GPUs: what libdoca_gpunetio opens
 */

struct doca_gpu {
    struct soft_gpu *soft;
    _Atomic uint32_t users; /* contexts, semaphores and buffer arrays */
    char name[32];          /* "gpu#1@0000:3b:00.0" */
};

static inline void core_gpu_hold(struct doca_gpu *gpu)
{
    __atomic_fetch_add((uint32_t *)&gpu->users, 1, __ATOMIC_RELAXED);
}

/* NULL is fine. */
static inline void core_gpu_release(struct doca_gpu *gpu)
{
    if (gpu != NULL)
        __atomic_fetch_sub((uint32_t *)&gpu->users, 1, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------------------------------------
 * Memory maps and buffers
 */

enum core_mmap_state {
    CORE_MMAP_UNSTARTED,
    CORE_MMAP_STARTED,
    CORE_MMAP_STOPPED,
};

/* The part of a memory map that data paths read. mem/mmap.c has the rest. */
struct doca_mmap {
    enum core_mmap_state state;
    uint32_t access; /* doca_access_flag bits; for imports the exporter's */
    char *addr;      /* exporter's address for imports */
    size_t len;
    struct soft_peer_map *peer; /* NULL unless imported */
    uint32_t ndevs;
    struct doca_dev **devs;
    char name[32];          /* "mmap#3" */
    _Atomic uint32_t nbufs; /* stays 0 when thread_safe */
    bool thread_safe;       /* buffers are not counted */
};

struct core_buf_source;

/* A buffer: one slice of a memory map, possibly an element of a list. */
struct doca_buf {
    struct doca_mmap *mmap;
    char *head;
    size_t len;
    char *data;
    size_t data_len;
    struct doca_buf *next;          /* next element of the list; in the free list: next free one */
    struct doca_buf *tail;          /* list heads: last element (itself when single) */
    struct core_buf_source *source; /* inventory or pool that it returns to */
    uint32_t list_len;              /* list heads: number of elements */
    uint16_t refcount;              /* heads; 0 = free */
    bool is_head;                   /* false: a later element of a list */
    bool is_counted;                /* in mmap->nbufs; else the map may be gone at release */
};

_Static_assert(sizeof(struct doca_buf) <= 96, "an element of an inventory must stay small");

/* Checked flavour: true for a buffer object of some stock, free or not. Does not read the object.
 */
CORE_API bool core_buf_is_known(const struct doca_buf *buf);

/* What a program passes as a buffer may be read. Like core_is_live(): the release flavour only
 * knows NULL. */
static inline bool core_buf_exists(const struct doca_buf *buf)
{
    return buf != NULL && (!OD_CHECKED || core_buf_is_known(buf));
}

/* Buffers over private memory that tasks bring along: in no map that a device may reach, without
 * references and lists. One stock an instance; NULL when there is no memory. */
CORE_API struct core_buf_source *core_task_bufs_create(void);
CORE_API void core_task_bufs_destroy(struct core_buf_source *source);
/* A buffer over `len` bytes at `head`, all of them data. NULL: no memory. */
CORE_API struct doca_buf *core_task_buf_take(struct core_buf_source *source, void *head,
                                             size_t len);
CORE_API void core_task_buf_put(struct doca_buf *buf);

/* Buffers of a queue that hands them out filled: `num` elements of `len` bytes, `stride` apart. The
 * program gives them back as any other. They do not count as users of the map, which may go before
 * them. NULL when there is no memory. */
CORE_API struct core_buf_source *core_pkt_bufs_create(struct doca_mmap *mmap, char *first,
                                                      size_t stride, size_t len, uint32_t num);
CORE_API void core_pkt_bufs_destroy(struct core_buf_source *source);
/* With one reference; the caller sets the data. NULL: all are out. */
CORE_API struct doca_buf *core_pkt_buf_take(struct core_buf_source *source);
CORE_API void core_pkt_buf_put(struct doca_buf *buf);
CORE_API uint32_t core_pkt_bufs_out(const struct core_buf_source *source);
CORE_API struct doca_buf *core_pkt_buf_at(const struct core_buf_source *source, uint32_t index);
CORE_API uint32_t core_pkt_buf_index(const struct core_buf_source *source,
                                     const struct doca_buf *buf);

static inline bool core_mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
    for (uint32_t i = 0; i < mmap->ndevs; i++) {
        if (mmap->devs[i] == dev)
            return true;
    }
    return false;
}

/* Memory of the GPU in which the whole map lies, held for the caller; NULL: it is memory of the
 * process. */
CORE_API struct soft_gpu_memory *core_mmap_gpu_memory(const struct doca_mmap *mmap);
/* The key that stands for the map and one of its devices; 0: the device is none of them. */
CORE_API uint32_t core_mmap_key(const struct doca_mmap *mmap, const struct doca_dev *dev);

/* May the device read (a source) or write (a destination) through this map? */
static inline bool core_mmap_can_read(const struct doca_mmap *mmap)
{
    return mmap->peer == NULL ||
           (mmap->access & (DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE)) != 0;
}

static inline bool core_mmap_can_write(const struct doca_mmap *mmap)
{
    return (mmap->access & (mmap->peer == NULL ? (uint32_t)DOCA_ACCESS_FLAG_LOCAL_READ_WRITE
                                               : (uint32_t)DOCA_ACCESS_FLAG_PCI_READ_WRITE)) != 0;
}

/* ------------------------------------------------------------------------------------------------
 * Sync events
 */

struct doca_sync_event_remote_net;

/* Where the value of a peer's event lies. */
CORE_API struct soft_peer_map *
core_remote_net_event_map(const struct doca_sync_event_remote_net *event, uint64_t *addr);

/* ------------------------------------------------------------------------------------------------
 * Contexts
 */

struct core_ctx_ops {
    const char *kind; /* "dma"; part of the object's name in messages */
    enum core_log_source source;
    bool on_gpu; /* its data path may be on a GPU: ctx->gpu, then also without progress engine */

    /* Checks the configuration and builds what running needs. SUCCESS: running at once.
     * IN_PROGRESS: asynchronous, core_ctx_established() follows from progress. Else: nothing is
     * left behind, and the reason was logged. */
    doca_error_t (*start)(struct doca_ctx *ctx);

    /* Whether a stop from STARTING or RUNNING is taken now: SUCCESS, or why not, logged. NULL: it
     * always is. */
    doca_error_t (*can_stop)(const struct doca_ctx *ctx);

    /* One step that the user can see (a completion, an event, a state change) or, where there is
     * none to be had, nothing. True when the user saw something. Called with the context in any
     * state but IDLE. Must not touch the context after delivering a state change to IDLE. */
    bool (*progress)(struct doca_ctx *ctx);

    /* True when progress would find something now: decides whether arming fires at once. */
    bool (*pending)(const struct doca_ctx *ctx);

    /* Releases tasks that were submitted without FLUSH. */
    void (*flush)(struct doca_ctx *ctx);

    /* STOPPING was entered: take back what has not begun; it completes with IO_FAILED through
     * progress. */
    void (*stopping)(struct doca_ctx *ctx);

    /* The library's own undo (connections, ...) is finished. Asked while STOPPING. */
    bool (*drained)(const struct doca_ctx *ctx);

    /* Last act before IDLE: undo start. No task is allocated any more. */
    void (*stopped)(struct doca_ctx *ctx);
};

/* First member of every library instance that is a context. */
struct doca_ctx {
    const struct core_ctx_ops *ops;
    struct doca_pe *pe;
    enum doca_ctx_states state;
    uint32_t callback_depth; /* > 0 while one of this context's callbacks runs */
    size_t inflight;         /* submitted and not handed back */
    size_t allocated;        /* allocated and not freed, whoever owns them */
    union doca_data user_data;
    doca_ctx_state_changed_callback_t state_cb;
    struct od_list pe_link;
    struct doca_dev *dev;       /* held; may be NULL (sync events get it later) */
    struct doca_gpu *gpu;       /* held; NULL: data path on the CPU */
    bool setters_not_permitted; /* misuse after start: NOT_PERMITTED instead of BAD_STATE */
    char name[48];              /* "dma#1@0000:03:00.0" */
};

CORE_API void core_ctx_init(struct doca_ctx *ctx, const struct core_ctx_ops *ops,
                            struct doca_dev *dev);

/* The destroy half: IN_USE while not IDLE or with unfreed tasks, else detached from its progress
 * engine, the device released. */
CORE_API doca_error_t core_ctx_fini(struct doca_ctx *ctx, const char *func);

/* Guard of configuration setters: SUCCESS while IDLE, else BAD_STATE (NOT_PERMITTED where
 * setters_not_permitted) after one log line. */
CORE_API doca_error_t core_ctx_check_idle(const struct doca_ctx *ctx, const char *func);

/* Asynchronous start is over (progress only): RUNNING; or back to IDLE, by way of STOPPING when
 * something is left to wait for. */
CORE_API void core_ctx_established(struct doca_ctx *ctx, doca_error_t status);

/* Something fatal happened inside: RUNNING/STARTING -> STOPPING, callback included. The caller has
 * logged the reason. No effect in other states. */
CORE_API void core_ctx_fail(struct doca_ctx *ctx);

/* Wakes the progress engine's sleeper; any thread, also for contexts that are not connected. */
CORE_API void core_ctx_wake(struct doca_ctx *ctx);

/* The waker of the context's progress engine, for engines that finish work in other threads. */
CORE_API struct od_waker *core_ctx_waker(struct doca_ctx *ctx);

/* ------------------------------------------------------------------------------------------------
 * Tasks
 */

enum core_task_state {
    CORE_TASK_FREE,      /* in its pool */
    CORE_TASK_OWNED,     /* the user's */
    CORE_TASK_SUBMITTED, /* the library's */
};

struct core_task_pool;

/* First member of every task. */
struct doca_task {
    struct doca_ctx *ctx;
    struct core_task_pool *pool;
    union doca_data user_data;
    struct doca_task *next; /* the current holder's: free list, queue */
    /* Set while a graph instance owns the task: called instead of the user's callbacks. */
    void (*on_complete)(struct doca_task *task, void *arg);
    void *on_complete_arg;
    doca_error_t status;
    uint8_t state; /* enum core_task_state */
};

struct core_task_ops {
    /* Takes the task over. Failing leaves it with the user; the reason was logged. `flush`: this
     * task and all held ones are released in order; else it may be held. */
    doca_error_t (*submit)(struct doca_task *task, bool flush);

    /* What try_submit checks beyond submit: SUCCESS or INVALID_VALUE (NOT_PERMITTED for access). */
    doca_error_t (*validate)(struct doca_task *task);

    /* Calls the typed callback that `task->status` selects. */
    void (*deliver)(struct doca_task *task);
};

/* All tasks of one type of one context. */
struct core_task_pool {
    const struct core_task_ops *ops;
    struct doca_ctx *ctx;
    struct doca_task *free;
    size_t task_size;
    uint32_t num; /* 0 = not configured */
    void *memory;
};

/* Before the context's start. Configuration by set_conf only stores `num`. */
CORE_API void core_task_pool_init(struct core_task_pool *pool, struct doca_ctx *ctx,
                                  const struct core_task_ops *ops, size_t task_size);
/* From the context's start: `num` zeroed tasks. NO_MEMORY is the only failure (not logged). */
CORE_API doca_error_t core_task_pool_open(struct core_task_pool *pool);
CORE_API void core_task_pool_close(struct core_task_pool *pool);

/* BAD_STATE outside RUNNING, NO_MEMORY when the pool is empty; logs. The task is OWNED, its typed
 * part is as the last user left it. */
CORE_API doca_error_t core_task_alloc(struct core_task_pool *pool, union doca_data user_data,
                                      const char *func, struct doca_task **task);

/* From progress only: hands the task back to the user (or to its graph) with a status, running the
 * callback, and takes the context to IDLE when that was all it waited for. The context may be gone
 * when this returns. */
CORE_API void core_task_complete(struct doca_task *task, doca_error_t status);

/* The same for a failure that ends the context: after the callback it is STOPPING. */
CORE_API void core_task_complete_fatal(struct doca_task *task, doca_error_t status);

/* What a library does with its batches. */
struct core_batch_ops {
    /* As for tasks; what is submitted cannot be held back. */
    doca_error_t (*submit)(struct doca_task_batch *batch);
    doca_error_t (*validate)(struct doca_task_batch *batch);
    /* Calls the typed callback that `batch->status` selects. */
    void (*deliver)(struct doca_task_batch *batch);
    /* The program has freed it: back to the library's stock. */
    void (*put)(struct doca_task_batch *batch);
};

/* First member of every batch. A batch is allocated as one and in flight as its tasks. */
struct doca_task_batch {
    const struct core_batch_ops *ops;
    struct doca_ctx *ctx;
    union doca_data user_data;
    doca_error_t status;
    uint16_t tasks_num;
    uint8_t state; /* enum core_task_state */
};

/* The library hands a batch of its stock out. */
CORE_API void core_batch_taken(struct doca_task_batch *batch, uint16_t tasks_num,
                               union doca_data user_data);
/* As core_task_complete(). */
CORE_API void core_batch_complete(struct doca_task_batch *batch, doca_error_t status);

/* FIFO of tasks, for contexts that execute in progress. */
struct core_task_queue {
    struct doca_task *head;
    struct doca_task *tail;
};

static inline void core_task_queue_push(struct core_task_queue *queue, struct doca_task *task)
{
    task->next = NULL;
    if (queue->head == NULL)
        queue->head = task;
    else
        queue->tail->next = task;
    queue->tail = task;
}

static inline struct doca_task *core_task_queue_pop(struct core_task_queue *queue)
{
    struct doca_task *task = queue->head;

    if (task != NULL)
        queue->head = task->next;
    return task;
}

/* Moves everything of `from` behind `to`. */
static inline void core_task_queue_splice(struct core_task_queue *to, struct core_task_queue *from)
{
    if (from->head == NULL)
        return;
    if (to->head == NULL)
        to->head = from->head;
    else
        to->tail->next = from->head;
    to->tail = from->tail;
    from->head = NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Progress engines
 */

/* Deferred work inside the library that belongs to a progress engine (graph nodes, ...). */
struct core_work {
    struct core_work *next;
    /* Runs in doca_pe_progress(); true when the user saw something. */
    bool (*run)(struct core_work *work);
};

/* Owner thread only. */
CORE_API void core_pe_defer(struct doca_pe *pe, struct core_work *work);

/* A graph (or another object that is no context) depends on the engine's existence. */
CORE_API void core_pe_hold(struct doca_pe *pe);
CORE_API void core_pe_release(struct doca_pe *pe);

/* A number for object names, unique in the process. */
CORE_API uint32_t core_next_id(void);

#endif /* OD_CORE_CORE_PRIV_H_ */
