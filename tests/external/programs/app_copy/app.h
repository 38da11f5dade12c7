/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_APP_COPY_H_
#define EXTERNAL_APP_COPY_H_

/* A file goes from the host to the DPU or back, whichever side has it; the DPU moves the bytes. The
 * two sides talk over a local socket, one message a packet, numbers big-endian.
 *
 *     DPU first:   app_copy -f FILE -p PCI_ADDRESS -r HOST_PCI_ADDRESS -s SOCKET
 *     then host:   app_copy -f FILE -p PCI_ADDRESS -s SOCKET
 */

#include "../common/kit.h"

#define APP_PATH_SIZE      1024
#define APP_MAX_DESCRIPTOR 512
#define APP_MAX_MESSAGE    (24 + APP_MAX_DESCRIPTOR)

struct app_options {
    char path[APP_PATH_SIZE];
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    char socket[APP_PATH_SIZE];
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

/* The DPU listens, the host connects. */
doca_error_t app_listen(const char *path, int *peer);
doca_error_t app_connect(const char *path, int *peer);
doca_error_t app_send(int peer, const struct app_message *message);
/* BAD_STATE when the peer has left, or sent a failure. */
doca_error_t app_receive(int peer, struct app_message *message);
void app_send_status(int peer, doca_error_t result);
/* The peer's next move must be to leave. */
doca_error_t app_await_leave(int peer);

/* One side, from its first message to its last. */
doca_error_t app_run_side(const struct app_options *options, int peer);

#endif /* EXTERNAL_APP_COPY_H_ */
