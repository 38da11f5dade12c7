/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_SYSTEM_UROM_HANDLERS_HANDLERS_H_
#define OD_TESTS_SYSTEM_UROM_HANDLERS_HANDLERS_H_

#include <doca_urom_am_handler.h>

enum {
    HANDLER_TELL = UROM_AM_HANDLER_FIRST,
    HANDLER_REFUSE,
    HANDLER_PASS_ON,
};

struct handler_told {
    uint64_t source;
    uint64_t len;
};

#endif /* OD_TESTS_SYSTEM_UROM_HANDLERS_HANDLERS_H_ */
