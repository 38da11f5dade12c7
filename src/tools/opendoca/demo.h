/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TOOLS_OPENDOCA_DEMO_H_
#define OD_TOOLS_OPENDOCA_DEMO_H_

/* The demo: three programs of this one binary. The parent makes a file; the host program has it in
 * its private memory and exports that; the DPU program copies it over and back with DMA. Host and
 * DPU talk over a socket that is each one's standard input. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>

#define DEMO_DESC_MAX 512

/* Host to DPU: what may be reached. */
struct demo_offer {
    uint64_t size;
    uint64_t input;    /* address of the file's bytes */
    uint64_t returned; /* address of the area that the DPU writes back to */
    uint32_t input_desc_len;
    uint32_t returned_desc_len;
    char input_desc[DEMO_DESC_MAX];
    char returned_desc[DEMO_DESC_MAX];
};

/* DPU to host: both ways are done. */
struct demo_report {
    uint64_t checksum; /* of what arrived at the DPU */
};

double demo_now(void);
uint64_t demo_checksum(const void *data, size_t size);

/* Memory in large pages where the kernel has some, private or of a memfd; NULL after a message. */
void *demo_memory(size_t size, bool shareable);
void demo_memory_free(void *memory, size_t size);

/* All return -1 after a message that names the path, what is needed there and what is free. */
int demo_check_room(const char *folder, uint64_t needed);
int demo_check_memory(uint64_t needed);
int demo_write(int fd, const char *path, const void *data, size_t size);

/* First device of the process's role. */
doca_error_t demo_open_device(struct doca_dev **dev);
doca_error_t demo_map(struct doca_dev *dev, void *memory, size_t size, uint32_t access,
                      struct doca_mmap **map);

/* Prints why a step failed. Returns true when it did. */
bool demo_failed(doca_error_t result, const char *step);

#endif /* OD_TOOLS_OPENDOCA_DEMO_H_ */
