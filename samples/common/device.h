/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_COMMON_DEVICE_H_
#define SAMPLES_COMMON_DEVICE_H_

/* The first steps of every sample: its log, and its device. */

#include <stdbool.h>

#include <doca_dev.h>
#include <doca_error.h>

/* Lines of the program, and of the library warnings and what is worse. Before the command line is
 * read, which may ask for more of them (--sdk-log-level). A second call does nothing. */
void device_open_log(void);

/* What the sample needs can be done with the device. */
typedef bool device_fits(const struct doca_devinfo *info);

/* Opens the device that is called so (PCI address, interface, or name of its RDMA device); NULL:
 * the first one of this role that fits. `what` it has to have is for the message. */
doca_error_t device_open(const char *name, device_fits *fits, const char *what,
                         struct doca_dev **dev);

#endif /* SAMPLES_COMMON_DEVICE_H_ */
