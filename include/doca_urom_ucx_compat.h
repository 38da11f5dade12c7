/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of UCX 1.14 and later for sources that are built with UCX 1.13: include it before all else,
 * "-include doca_urom_ucx_compat.h". With a later UCX it does nothing.
 *
 * UCX 1.13 cannot hand memory to another process: packing a handle for export answers
 * UCS_ERR_UNSUPPORTED with no handle of 0 bytes, and importing one answers UCS_ERR_UNREACHABLE.
 * Programs that can do without handles then go on. Pools of memory are made as before, with what
 * UCX 1.13 knows of their parameters.
 */
#ifndef DOCA_UROM_UCX_COMPAT_H_
#define DOCA_UROM_UCX_COMPAT_H_

#include <ucp/api/ucp.h>
#include <ucs/datastruct/mpool.h>

#if UCP_API_VERSION < UCP_VERSION(1, 14)

#include <limits.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bit of ucp_params_t.features that UCX 1.13 accepts and ignores. */
#define UCP_FEATURE_EXPORTED_MEMH UCS_BIT(7)

/** Bit of ucp_mem_map_params_t.field_mask: there is a handle to import. */
#define UCP_MEM_MAP_PARAM_FIELD_EXPORTED_MEMH_BUFFER UCS_BIT(5)

/** The structure has no such field; the one that stands in for it is not looked at then. */
#define exported_memh_buffer address

/** Bit of ucp_memh_pack_params_t.field_mask. */
#define UCP_MEMH_PACK_PARAM_FIELD_FLAGS UCS_BIT(0)

/** Bit of ucp_memh_pack_params_t.flags: for another process. */
#define UCP_MEMH_PACK_FLAG_EXPORT UCS_BIT(0)

/** How to pack a memory handle. */
typedef struct ucp_memh_pack_params {
    uint64_t field_mask; /**< which fields are set */
    uint64_t flags;      /**< UCP_MEMH_PACK_FLAG_EXPORT or 0 */
} ucp_memh_pack_params_t;

/** How to release a packed memory handle. */
typedef struct ucp_memh_buffer_release_params {
    uint64_t field_mask; /**< 0 */
} ucp_memh_buffer_release_params_t;

/**
 * Pack a memory handle.
 *
 * @buffer_p: receives NULL
 * @buffer_size_p: receives 0
 *
 * Returns UCS_ERR_UNSUPPORTED.
 */
static inline ucs_status_t ucp_memh_pack(ucp_mem_h memh, const ucp_memh_pack_params_t *params,
                                         void **buffer_p, size_t *buffer_size_p)
{
    (void)memh;
    (void)params;
    *buffer_p = NULL;
    *buffer_size_p = 0;
    return UCS_ERR_UNSUPPORTED;
}

/** Release what ucp_memh_pack() gave: nothing. */
static inline void ucp_memh_buffer_release(void *buffer,
                                           const ucp_memh_buffer_release_params_t *params)
{
    (void)buffer;
    (void)params;
}

/** ucp_mem_map(), which answers UCS_ERR_UNREACHABLE when there is a handle to import. */
static inline ucs_status_t doca_urom_ucx_compat_mem_map(ucp_context_h context,
                                                        const ucp_mem_map_params_t *params,
                                                        ucp_mem_h *memh_p)
{
    if ((params->field_mask & UCP_MEM_MAP_PARAM_FIELD_EXPORTED_MEMH_BUFFER) != 0)
        return UCS_ERR_UNREACHABLE;
    return ucp_mem_map(context, params, memh_p);
}

/** Parameters of a pool of memory. */
typedef struct ucs_mpool_params {
    size_t priv_size;         /**< bytes of the caller's own beside the pool */
    size_t elem_size;         /**< bytes of an element */
    size_t align_offset;      /**< offset in an element that is to be aligned */
    size_t alignment;         /**< to so many bytes */
    int malloc_safe;          /**< not used */
    unsigned elems_per_chunk; /**< elements that are made at once */
    size_t max_chunk_size;    /**< not used */
    unsigned max_elems;       /**< at most, UINT_MAX for any number */
    double grow_factor;       /**< not used */
    ucs_mpool_ops_t *ops;     /**< where the memory comes from */
    const char *name;         /**< for messages */
} ucs_mpool_params_t;

/** Set parameters to what suits most. */
static inline void ucs_mpool_params_reset(ucs_mpool_params_t *params)
{
    memset(params, 0, sizeof(*params));
    params->alignment = 64; /* a cache line */
    params->elems_per_chunk = 128;
    params->max_chunk_size = SIZE_MAX;
    params->max_elems = UINT_MAX;
    params->grow_factor = 1.0;
    params->name = "";
}

/** ucs_mpool_init() with parameters in a structure. */
static inline ucs_status_t doca_urom_ucx_compat_mpool_init(const ucs_mpool_params_t *params,
                                                           ucs_mpool_t *mp)
{
    return ucs_mpool_init(mp, params->priv_size, params->elem_size, params->align_offset,
                          params->alignment, params->elems_per_chunk, params->max_elems,
                          params->ops, params->name);
}

#define ucp_mem_map(context, params, memh_p) doca_urom_ucx_compat_mem_map(context, params, memh_p)
#define ucs_mpool_init(params, mp)           doca_urom_ucx_compat_mpool_init(params, mp)

#ifdef __cplusplus
}
#endif

#endif /* UCX before 1.14 */

#endif /* DOCA_UROM_UCX_COMPAT_H_ */
