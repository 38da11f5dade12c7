/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_ETH_COUNT_H_
#define TESTS_LIB_ETH_COUNT_H_

/* What the port of B has counted. Included behind a fixture. */

#include "soft/device/device.h"
#include "soft/nic/nic.h"

static inline uint64_t eth_count_of(enum soft_nic_counter counter)
{
    const struct soft_topology *topology;
    struct soft_nic_port *port;
    uint64_t count;

    assert_int_equal(soft_device_topology(&topology), 0);
    assert_int_equal(soft_nic_port_hold(&topology->devices[1], &port), 0);
    count = soft_nic_count(soft_nic_port_counters(port), counter);
    soft_nic_port_release(port);
    return count;
}

#endif /* TESTS_LIB_ETH_COUNT_H_ */
