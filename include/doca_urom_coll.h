/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DOCA_UROM_COLL_H_
#define DOCA_UROM_COLL_H_

/**
 * @file doca_urom_coll.h
 *
 * Collective operations, executed by workers with the plugin worker_coll: one call at each member,
 * then its processor is free until the callback. See doca_urom_ops.h for objects, order, threads
 * and the codes of all operations.
 *
 * A team is made of workers of a running domain, which name each other by their domain ids; a
 * member's rank is its place in the list. All members issue the same operations of a team in the
 * same order; up to eight are under way at once, several teams are independent. Whoever is part of
 * an operation hears of all others, so it ends after all have begun it.
 *
 * Data are in regions, or inline: then region pointers are NULL, addresses are pointers of this
 * process, and no block (or vector) has more than 8192 bytes. Inline data are copied by the call;
 * results are written before the callback. They must fit the service's messages. Members may choose
 * differently.
 *
 * Status of an operation:
 *   DOCA_SUCCESS: done; the memory of this member is not touched any more
 *   DOCA_ERROR_INVALID_VALUE: the members do not mean the same operation, length, type or root, or
 *     the regions of one do not hold the data: told to all
 *   DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NOT_FOUND: a region of this or another member, as in
 *     doca_urom_rma.h
 *   DOCA_ERROR_IO_FAILED: a member or its worker is gone, the team is of no more use; or a page is
 *     not accessible
 */

#include <doca_urom_ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Workers that operate together. */
struct doca_urom_coll_team;

/** Type of the elements of an all-reduce. */
enum doca_urom_coll_type {
    DOCA_UROM_COLL_INT8 = 0,
    DOCA_UROM_COLL_UINT8 = 1,
    DOCA_UROM_COLL_INT16 = 2,
    DOCA_UROM_COLL_UINT16 = 3,
    DOCA_UROM_COLL_INT32 = 4,
    DOCA_UROM_COLL_UINT32 = 5,
    DOCA_UROM_COLL_INT64 = 6,
    DOCA_UROM_COLL_UINT64 = 7,
    DOCA_UROM_COLL_FLOAT32 = 8,
    DOCA_UROM_COLL_FLOAT64 = 9,
};

/** How an all-reduce combines elements. Whole numbers wrap around; the last three are not for
 * floating point. All members get the same bits. */
enum doca_urom_coll_reduction {
    DOCA_UROM_COLL_SUM = 0,
    DOCA_UROM_COLL_PROD = 1,
    DOCA_UROM_COLL_MIN = 2,
    DOCA_UROM_COLL_MAX = 3,
    DOCA_UROM_COLL_AND = 4, /**< bitwise */
    DOCA_UROM_COLL_OR = 5,  /**< bitwise */
    DOCA_UROM_COLL_XOR = 6, /**< bitwise */
};

/** A place in memory. */
struct doca_urom_coll_place {
    const struct doca_urom_ops_region *region; /**< NULL: inline */
    uint64_t addr; /**< address of the region's owner; inline: a pointer of this process */
};

/**
 * The end of making a team. DOCA_ERROR_INVALID_VALUE: the list has an id twice or lacks this
 * member's, or members have different lists, DOCA_ERROR_NOT_FOUND: no worker of a running domain
 * has one of the ids, DOCA_ERROR_ALREADY_EXIST: this member is in a team of that id,
 * DOCA_ERROR_IO_FAILED: a member is gone. After a failure the team is gone when the callback
 * returns.
 */
typedef void (*doca_urom_coll_team_cb_t)(struct doca_urom_coll_team *team, doca_error_t status,
                                         void *user_data);

/**
 * Make a team; ends when all members have called this.
 *
 * @team_id: the application's name of the team, the same at all members
 * @own: domain id of this worker
 * @ids: domain ids of all members, by rank; copied
 * @size: their number, 1 to 1024, limited by the service's messages (504 by default)
 * @cb: runs when the team is there or cannot be; must not be NULL
 * @user_data: for cb
 * @team: receives the team; usable after cb, ended with doca_urom_coll_team_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or size is out of range; or one of the codes of
 * all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_coll_team_create(struct doca_urom_ops *ops, uint64_t team_id, uint64_t own,
                                        const uint64_t *ids, uint32_t size,
                                        doca_urom_coll_team_cb_t cb, void *user_data,
                                        struct doca_urom_coll_team **team);

/**
 * Leave a team. What is under way at this member fails; the others can finish what they do not need
 * it for any more.
 *
 * @cb: runs when it is done; the team is gone when it returns, whatever the status. May be NULL
 * @user_data: for cb
 *
 * Returns DOCA_SUCCESS, or, and the team stays until doca_urom_ops_destroy() at the latest,
 *   DOCA_ERROR_INVALID_VALUE: team is NULL
 *   DOCA_ERROR_BAD_STATE: its callback has not run yet; or one of the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_coll_team_destroy(struct doca_urom_coll_team *team, doca_urom_ops_cb_t cb,
                                         void *user_data);

/**
 * Learn that all members have come here.
 *
 * @cb: runs then; may be NULL
 * @user_data: for cb
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: team is NULL
 *   DOCA_ERROR_BAD_STATE: the team is not there yet; or one of the codes of all operations
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_coll_barrier(struct doca_urom_coll_team *team, doca_urom_ops_cb_t cb,
                                    void *user_data);

/**
 * Give all members what one has.
 *
 * @root: rank of that one, which only reads `place`; the others write there
 * @len: number of bytes
 * @cb, user_data: as above
 *
 * Returns the codes of doca_urom_coll_barrier(), and INVALID_VALUE for inline data that are too
 * long or NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_coll_bcast(struct doca_urom_coll_team *team, uint32_t root,
                                  struct doca_urom_coll_place place, uint64_t len,
                                  doca_urom_ops_cb_t cb, void *user_data);

/**
 * Give all members the blocks of all, by rank.
 *
 * @src: this member's block of `len` bytes; may be its place in dst
 * @dst: as many blocks as there are members
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_coll_allgather(struct doca_urom_coll_team *team,
                                      struct doca_urom_coll_place src,
                                      struct doca_urom_coll_place dst, uint64_t len,
                                      doca_urom_ops_cb_t cb, void *user_data);

/**
 * Combine the vectors of all members, element by element, and give the result to all.
 *
 * @src: `count` elements; may be the same as dst
 * @dst: the result
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_coll_allreduce(struct doca_urom_coll_team *team,
                                      struct doca_urom_coll_place src,
                                      struct doca_urom_coll_place dst, uint64_t count,
                                      enum doca_urom_coll_type type,
                                      enum doca_urom_coll_reduction reduction,
                                      doca_urom_ops_cb_t cb, void *user_data);

/**
 * Give each member the blocks that are for it: block i of src goes to member i, where it becomes
 * the block of this member's rank.
 *
 * @src: as many blocks of `len` bytes as there are members; must not overlap dst
 * @dst: likewise
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_coll_alltoall(struct doca_urom_coll_team *team,
                                     struct doca_urom_coll_place src,
                                     struct doca_urom_coll_place dst, uint64_t len,
                                     doca_urom_ops_cb_t cb, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_COLL_H_ */
