/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_ETH_KIT_H_
#define EXTERNAL_ETH_KIT_H_

/* What the Ethernet programs of this folder share: a device by the name of its ibdev, memory with a
 * map, an engine, Flow with one port and one pipe for everything. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_flow.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#define EK_METADATA 1234

typedef doca_error_t (*ek_capable)(struct doca_devinfo *devinfo);

struct ek {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    char *mem;
    size_t size;
    struct doca_flow_port *port;
    struct doca_flow_pipe *pipe;
    bool has_flow;
};

struct ek_options {
    char device[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE]; /* -m: destination */
    bool timestamp, rx_hash, metadata;       /* -ts, -rh, -md */
    int headroom, tailroom;                  /* -hr, -tr */
    int count;                               /* -n: packets to receive */
};

/* Log and command line; then ek_exit() whatever came. */
doca_error_t ek_begin(struct ek_options *options, int argc, char **argv);
int ek_exit(const char *program, doca_error_t result);

/* Opens the first device of that name that `capable` accepts. */
doca_error_t ek_open_device(const char *name, ek_capable capable, struct doca_dev **dev);

/* Device, engine, `size` bytes with a started map, an inventory of `bufs` buffers. */
doca_error_t ek_create(struct ek *ek, const char *name, ek_capable capable, size_t size,
                       size_t bufs);
doca_error_t ek_destroy(struct ek *ek);

doca_error_t ek_init_flow(void);
doca_error_t ek_start_port(struct doca_dev *dev, uint16_t id, struct doca_flow_port **port);
/* A root pipe that leads everything to a queue, and sets metadata on the way. */
doca_error_t ek_create_pipe(struct doca_flow_port *port, uint16_t queue, bool metadata,
                            struct doca_flow_pipe **pipe);
/* All three, into `ek`. */
doca_error_t ek_start_flow(struct ek *ek, uint16_t queue, bool metadata);
/* Pipe, port, library. */
void ek_stop_flow(struct ek *ek);

/* Progresses until it is idle. */
doca_error_t ek_stop_ctx(struct doca_pe *pe, struct doca_ctx *ctx);
/* Progresses until the counter has that value; TIME_OUT after a minute. */
doca_error_t ek_await(struct doca_pe *pe, const int *counter, int wanted);

#endif /* EXTERNAL_ETH_KIT_H_ */
