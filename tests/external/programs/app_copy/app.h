/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_APP_COPY_H_
#define EXTERNAL_APP_COPY_H_

/* A file goes from the host to the DPU or back, whichever side has it; the DPU moves the bytes. The
 * two sides agree over Comch, numbers are big-endian.
 *
 *     DPU first:   app_copy -f FILE -p PCI_ADDRESS -r HOST_PCI_ADDRESS
 *     then host:   app_copy -f FILE -p PCI_ADDRESS
 */

#include "../common/channel.h"

#define APP_PATH_SIZE      1024
#define APP_MAX_DESCRIPTOR 512
#define APP_MAX_MESSAGE    (24 + APP_MAX_DESCRIPTOR)
#define APP_PACKETS        8 /* a side says less */

struct app_options {
    char path[APP_PATH_SIZE];
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    bool has_file;
    uint64_t file_size;
};

enum app_kind {
    APP_DIRECTION = 1, /* has the file, size */
    APP_DESCRIPTOR,    /* address, length of the descriptor, descriptor */
    APP_STATUS,        /* 1 = well */
};

struct app_message {
    enum app_kind kind;
    uint64_t first;
    uint64_t second;
    uint8_t descriptor[APP_MAX_DESCRIPTOR];
};

enum app_phase {
    APP_NEGOTIATING,
    APP_AGREED, /* DPU: the host's descriptor is there */
    APP_DONE,   /* host: the DPU has said so */
    APP_FAILED,
};

struct app {
    const struct app_options *options;
    void *side; /* what app_handle() works on */
    struct channel channel;
    struct doca_comch_connection *connection; /* DPU: NULL again when the host has left */
    enum app_phase phase;
    bool is_idle;
    uint8_t packets[APP_PACKETS][APP_MAX_MESSAGE];
    unsigned int npackets;
};

doca_error_t app_open(struct app *app, const struct app_options *options, void *side);
doca_error_t app_close(struct app *app);
doca_error_t app_send(struct app *app, const struct app_message *message);
void app_send_status(struct app *app, doca_error_t result);
/* BAD_STATE when it fails or the channel ends before. */
doca_error_t app_await(struct app *app, enum app_phase phase);
/* The host's next move must be to leave. */
doca_error_t app_await_leave(struct app *app);

/* Of each side: a message that has come, inside of its callback; and the side from its begin to its
 * end. */
doca_error_t app_handle(struct app *app, const struct app_message *message);
doca_error_t app_run_side(const struct app_options *options);

#endif /* EXTERNAL_APP_COPY_H_ */
