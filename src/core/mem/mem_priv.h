/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_CORE_MEM_MEM_PRIV_H_
#define OD_CORE_MEM_MEM_PRIV_H_

/* What the files of mem/ share. */

#include "core/core_priv.h"

/* ------------------------------------------------------------------------------------------------
 * Memory maps
 */

enum core_mmap_export { CORE_MMAP_EXPORT_PCI, CORE_MMAP_EXPORT_RDMA, CORE_MMAP_EXPORT_NUM };

/* What a map keeps for each of its devices; parallel to doca_mmap.devs. */
struct core_mmap_dev {
    uint32_t mkey;
    uint8_t *token; /* secret for descriptors; NULL = random */
    size_t token_len;
    struct soft_peer_export *exports[CORE_MMAP_EXPORT_NUM];
};

/* Every struct doca_mmap that the public calls hand out is the head of one of these. */
struct core_mmap {
    struct doca_mmap pub;
    bool was_started;
    bool was_exported;
    bool free_cb_due; /* started since the callback was set */
    uint32_t max_devs;
    uint32_t devs_cap;
    struct core_mmap_dev *dev_state;
    struct soft_gpu_memory *gpu_memory; /* held while started; NULL = not of a GPU */
    void *dmabuf_map;                   /* mapping made by set_dmabuf_memrange; NULL = none */
    size_t dmabuf_map_len;
    doca_mmap_memrange_free_cb_t *free_cb;
    void *free_cookie;
    union doca_data user_data;
};

static inline struct core_mmap *core_mmap_of(const struct doca_mmap *mmap)
{
    return OD_CONTAINER_OF(mmap, struct core_mmap, pub);
}

/* A map without range and devices. NULL when out of memory. */
struct core_mmap *core_mmap_new(void);

/* Takes a device in and holds it. NO_MEMORY is the only failure, not logged. */
doca_error_t core_mmap_attach_dev(struct core_mmap *map, struct doca_dev *dev);

/* Lets go of everything that belongs to the map, but not of the user's memory. */
void core_mmap_free(struct core_mmap *map);

/* The only place that changes the state. */
void core_mmap_enter(struct core_mmap *map, enum core_mmap_state state);

/* Guard of configuration calls: imported maps, then started ones (`if_started`), then those that
 * were ever exported are refused. */
doca_error_t core_mmap_check_config(const struct core_mmap *map, doca_error_t if_started,
                                    const char *func);

/* Place of a device in the map; ndevs when it was not added. */
uint32_t core_mmap_find_dev(const struct core_mmap *map, const struct doca_dev *dev);

/* NOT_FOUND, logged, when the device was not added. */
doca_error_t core_mmap_check_dev(const struct core_mmap *map, const struct doca_dev *dev,
                                 const char *func, uint32_t *place);

/* Ends what was exported for one device, or for all: importers are cut off when it returns. */
void core_mmap_revoke_dev(struct core_mmap_dev *dev);
void core_mmap_revoke(struct core_mmap *map);

/* ------------------------------------------------------------------------------------------------
 * Buffers
 */

struct core_buf_chunk {
    struct core_buf_chunk *next;
    uint32_t num;
    struct doca_buf bufs[];
};

/* The stock of buffer objects inside an inventory or a pool. Everything but creation and growth is
 * free of allocation. */
struct core_buf_source {
    struct doca_buf *free; /* free ones have refcount 0 and are heads */
    uint32_t num_free;
    uint32_t num;
    bool is_pool;
    bool is_queue; /* packets: never in two hands */
    bool is_task;  /* of tasks: neither references nor lists */
    struct core_buf_chunk *chunks;
    struct od_list known; /* checked flavour: list of all sources */
    char name[32];        /* "inventory#3" */
};

/* An empty stock; `kind` is part of its name. */
void core_buf_source_init(struct core_buf_source *source, const char *kind);

/* Adds `num` free buffers. NO_MEMORY is the only failure, not logged. */
doca_error_t core_buf_source_grow(struct core_buf_source *source, uint32_t num);

void core_buf_source_fini(struct core_buf_source *source);

/* IN_USE, logged, while buffers are held. */
doca_error_t core_buf_source_check_idle(const struct core_buf_source *source, const char *func);

/* BAD_STATE, logged, unless buffers of the map may be taken. */
doca_error_t core_buf_source_fail_map(const struct core_buf_source *source,
                                      const struct doca_mmap *mmap, const char *func);

static inline doca_error_t core_buf_source_check_map(const struct core_buf_source *source,
                                                     const struct doca_mmap *mmap, const char *func)
{
    if (OD_CHECKED && !core_is_live(CORE_LIVE_MMAP, mmap))
        return CORE_FAIL_DEAD(CORE_LOG_BUF, func, "mmap", mmap);
    return od_likely(mmap->state == CORE_MMAP_STARTED)
               ? DOCA_SUCCESS
               : core_buf_source_fail_map(source, mmap, func);
}

/* Takes a free buffer, there must be one, as a single one of this map. The caller sets its
 * geometry. */
static inline struct doca_buf *core_buf_take(struct core_buf_source *source, struct doca_mmap *mmap)
{
    struct doca_buf *buf = source->free;

    source->free = buf->next;
    source->num_free--;
    buf->mmap = mmap;
    buf->next = NULL;
    buf->tail = buf;
    buf->list_len = 1;
    buf->refcount = 1;
    buf->is_counted = !mmap->thread_safe;
    if (buf->is_counted)
        atomic_fetch_add_explicit(&mmap->nbufs, 1, memory_order_relaxed);
    return buf;
}

/* Gives one buffer back, whatever its list. */
static inline void core_buf_put(struct doca_buf *buf)
{
    struct core_buf_source *source = buf->source;

    if (buf->is_counted)
        atomic_fetch_sub_explicit(&buf->mmap->nbufs, 1, memory_order_relaxed);
    buf->refcount = 0;
    buf->is_head = true;
    buf->next = source->free;
    source->free = buf;
    source->num_free++;
}

/* Appends a whole list to another one. */
static inline void core_buf_join(struct doca_buf *head, struct doca_buf *list)
{
    head->tail->next = list;
    head->tail = list->tail;
    head->list_len += list->list_len;
    list->is_head = false;
}

/* Guards of calls that get a buffer, in the order in which errors are told: a pointer to one
 * (INVALID_VALUE; all but NULL is seen in the checked flavour only), not released (BAD_STATE), not
 * a later element of a list (NOT_PERMITTED). They log. */
doca_error_t core_buf_check_pointer(const struct doca_buf *buf, const char *func);
doca_error_t core_buf_check_held(const struct doca_buf *buf, const char *func);
doca_error_t core_buf_check_head(const struct doca_buf *buf, const char *func);
/* NOT_SUPPORTED for buffers of tasks. */
doca_error_t core_buf_check_free(const struct doca_buf *buf, const char *func);

/* Does [addr, addr + len) lie inside the map? */
static inline bool core_mmap_covers(const struct doca_mmap *mmap, const void *addr, size_t len)
{
    uintptr_t offset = (uintptr_t)addr - (uintptr_t)mmap->addr;

    return offset <= mmap->len && len <= mmap->len - offset;
}

#endif /* OD_CORE_MEM_MEM_PRIV_H_ */
