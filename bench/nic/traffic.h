/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_NIC_TRAFFIC_H_
#define BENCH_NIC_TRAFFIC_H_

/* Two veth pairs in a network namespace of their own, and who sends on them:
 *
 *   traffic -> gen0 = rx0 [ who is measured ] tx0 = sink0
 *
 * Who is measured has core 0, the traffic is made on core 1, where the kernel also does what it
 * takes to receive. */

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#define TRAFFIC_RX   "rx0"
#define TRAFFIC_TX   "tx0"
#define TRAFFIC_CORE 1
#define MEASURE_CORE 0

/* 0, or why not: nothing can be measured then. */
const char *traffic_make_interfaces(void);

enum traffic_kind {
    TRAFFIC_FAST,     /* frames that the kernel makes and redirects, as a driver would give them */
    TRAFFIC_ORDINARY, /* a packet socket */
};

struct traffic {
    enum traffic_kind kind;
    uint32_t size;  /* of frames, without checksum */
    uint32_t flows; /* UDP source ports that are used, from 0; a power of two; fast only */
};

struct traffic_result {
    double seconds;
    double frames; /* that were sent */
    double cpu; /* seconds that the sender's core spent on it, and on what receiving takes there */
};

/* Sends from another process for some time. */
void traffic_start(const struct traffic *traffic, double seconds);
bool traffic_is_over(void);
void traffic_wait(struct traffic_result *result);

/* Frames that have come to the sink. */
double traffic_sunk(void);

/* A UDP datagram over IPv4. */
void traffic_frame(uint8_t *frame, uint32_t size);

/* The file descriptor of a program, or a negative errno. */
int traffic_load_program(const struct bpf_insn *insns, uint32_t n);
int traffic_bpf(int command, union bpf_attr *attr);
int traffic_ifindex(const char *name);

#endif /* BENCH_NIC_TRAFFIC_H_ */
