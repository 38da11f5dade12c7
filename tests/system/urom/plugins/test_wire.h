/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_TESTS_SYSTEM_UROM_PLUGINS_TEST_WIRE_H_
#define OD_TESTS_SYSTEM_UROM_PLUGINS_TEST_WIRE_H_

/* Commands of the plugin worker_test: a header, then bytes. */

#include <stdint.h>

enum test_op {
    TEST_ECHO,          /* answers with the bytes */
    TEST_HOLD,          /* answers with TEST_RELEASE */
    TEST_RELEASE,       /* all that is held ends, oldest first, then this one */
    TEST_CRASH,         /* the worker ends by SIGSEGV */
    TEST_EXIT,          /* the worker ends with status arg */
    TEST_HANG,          /* worker_cmd takes arg ms */
    TEST_HANG_FILE,     /* worker_cmd takes as long as the file that the bytes name is there */
    TEST_HEIR,          /* a child has the worker's files as long as that one; answers with its
                           number, as u64 */
    TEST_STATUS,        /* answers with status arg */
    TEST_ERROR,         /* worker_cmd takes it and fails with arg, says nothing */
    TEST_ERROR_SAID,    /* worker_cmd fails with arg, and has said so by a notification */
    TEST_ERROR_REFUSED, /* worker_cmd leaves it in the list and fails with arg */
    TEST_LATER,         /* worker_cmd says AGAIN arg times */
    TEST_BIG,           /* an answer of arg bytes */
    TEST_TWICE,         /* two answers */
    TEST_STRANGER,      /* an answer for a dest that does not exist, then one to here */
    TEST_PACK_FAILS,    /* notif_pack fails with arg */
    TEST_PACK_LIES,     /* notif_pack tells a length that cannot be */
    TEST_WHO,           /* answers with struct test_who */
    TEST_ENV,           /* answers with the variable that the bytes name */
    TEST_COUNT,         /* answers with the number of commands before it, as u64 */
    TEST_CLOSED,        /* answers with the number of closed channels, as u64 */
    TEST_ADDR,          /* looks up: domain id is arg; answers with the address */
    TEST_SEG,           /* bytes: u64 va; answers with the number, as u64 */
    TEST_MEMH,          /* bytes: u64 number; answers with the handle */
    TEST_MKEY,          /* likewise */
};

struct test_cmd {
    uint64_t op;
    uint64_t arg;
};

struct test_who {
    uint64_t dest;
    uint64_t pid;        /* of the worker */
    uint64_t client_pid; /* as conn_info tells */
    uint64_t client_uid;
    uint64_t uid; /* of the worker */
    uint64_t cpus;
};

/* Variables of the worker that the plugin looks at in open: fail, crash, hang. */
#define TEST_OPEN_ENV "UROM_TEST_OPEN"

#endif /* OD_TESTS_SYSTEM_UROM_PLUGINS_TEST_WIRE_H_ */
