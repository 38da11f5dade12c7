/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SYSTEM_DMA_IMPORTER_H_
#define TESTS_SYSTEM_DMA_IMPORTER_H_

/* This side of a test with a peer: imports its memory and copies. */

#include "lib/dma_fixture.h"

#include "peer.h"

/* Must succeed. */
struct doca_mmap *import_memory(struct dma_fixture *fix, const struct peer_memory *memory);
/* The answer of an import that is to fail. */
doca_error_t try_import(struct dma_fixture *fix, const void *desc, size_t len);

/* One copy to its end. The answer of submit when that refuses, else the status of the task; after a
 * failure the context has become idle by itself and was started again. */
doca_error_t copy_once(struct dma_fixture *fix, struct doca_mmap *dst_map, char *dst,
                       struct doca_mmap *src_map, char *src, size_t len);

/* The first `len` bytes of the imported memory into the fixture's, and back. */
doca_error_t read_peer(struct dma_fixture *fix, struct doca_mmap *remote,
                       const struct peer_memory *memory, size_t len);
doca_error_t write_peer(struct dma_fixture *fix, struct doca_mmap *remote,
                        const struct peer_memory *memory, size_t len);

/* Seconds of a clock that does not jump. */
double seconds_now(void);

/* The contract gives a second for noticing that a peer is gone; a machine may be busy with others
 * from one moment to the next, and what its load was tells nothing of that. */
#define SECONDS_TO_NOTICE 60

#endif /* TESTS_SYSTEM_DMA_IMPORTER_H_ */
