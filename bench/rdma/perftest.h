/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_RDMA_PERFTEST_H_
#define BENCH_RDMA_PERFTEST_H_

/* ucx_perftest of ucx-utils over shared memory: client on core 0, server on core 1. */

#include <stddef.h>

struct perftest {
    const char *test; /* "ucp_am_lat", ... */
    size_t size;
    unsigned int count, warm_up;
    unsigned int window; /* 0: its own choice */
    double median_us;    /* one way */
    double mib_per_s;
};

/* Runs it and fills in the results. Dies when there are none. */
void perftest_run(struct perftest *test);

#endif /* BENCH_RDMA_PERFTEST_H_ */
