/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_COMCH_DATA_H_
#define EXTERNAL_COMCH_DATA_H_

/* Bulk data one way, then the other, between a "start" of the host and a "stop" of the DPU. Each
 * end of the fast path has an engine of its own, and is destroyed before it. */

#include "../common/channel.h"

#define DATA_TEXT_SIZE 4081
#define DATA_ROOM      (1024 * 1024)

struct data {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    char text[DATA_TEXT_SIZE];
    bool fails; /* the DPU gives up after the first half */
    struct channel channel;
    struct doca_comch_connection *connection;
    uint32_t consumer_id; /* of the other side; 0xFFFF = none */
    bool is_started;      /* the "start" was heard */
    bool is_stopped;      /* the "stop" was heard */
    bool is_over;         /* idle again */
    doca_error_t outcome;
};

#define DATA_NO_CONSUMER 0xFFFF

/* Takes one text; the control channel is progressed as well. */
doca_error_t data_consume(struct data *data);
/* Sends the text to the consumer of the other side. */
doca_error_t data_produce(struct data *data);

#endif /* EXTERNAL_COMCH_DATA_H_ */
