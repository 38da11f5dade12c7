/* SPDX-License-Identifier: BSD-3-Clause */
/* What a kernel on the CPU pays for receiving, per packet and per call, beside a CPU loop over the same
 * records. No packets move: the ring is filled before. */
#include <stdio.h>

extern "C" {
#include "lib/bench.h"
}
#include "nic.h"

enum { RING = 16384, MOST = 32, CALLS = 1000 };

#define THREAD DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD
#define WARP   DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP
#define BLOCK  DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK

template <enum doca_gpu_dev_eth_exec_scope scope>
__global__ void receive(doca_gpu_eth_rxq *q, uint32_t calls, uint32_t most, uint64_t timeout_ns, uint64_t *ns)
{
    uint64_t first = 0, start = doca_gpu_dev_eth_query_globaltimer();
    uint32_t num = 0;

    for (uint32_t i = 0; i < calls; i++)
        doca_gpu_dev_eth_rxq_recv<scope>(q, most, timeout_ns, &first, &num, NULL);
    if (threadIdx.x == 0)
        *ns = doca_gpu_dev_eth_query_globaltimer() - start;
}

struct side {
    rx_end *nic;
    unsigned int threads;
    uint64_t *ns;
};

template <enum doca_gpu_dev_eth_exec_scope scope>
static double kernel(const side *s, uint32_t calls, uint32_t most, uint64_t timeout_ns)
{
    receive<scope><<<1, s->threads>>>(s->nic->q, calls, most, timeout_ns, s->ns);
    if (cudaDeviceSynchronize() != cudaSuccess)
        bench_die("receive", "the kernel fails");
    return (double)*s->ns;
}

static void fill(rx_end *nic)
{
    while (nic->store(8))
        ;
}

template <enum doca_gpu_dev_eth_exec_scope scope> static double packets(void *arg)
{
    const side *s = (const side *)arg;

    fill(s->nic);
    return kernel<scope>(s, RING / MOST, MOST, 0) / RING;
}

template <enum doca_gpu_dev_eth_exec_scope scope> static double idle(void *arg)
{
    const side *s = (const side *)arg;

    return kernel<scope>(s, CALLS, MOST, 1) / CALLS;
}

/* The same records, in the same batches, without any scope. */
static double loop(void *arg)
{
    rx_end *nic = ((const side *)arg)->nic;
    doca_gpu_eth_rxq *q = nic->q;
    double start;

    fill(nic);
    start = bench_now();
    for (uint32_t done = 0; done < RING; done += MOST) {
        for (uint32_t i = 0; i < MOST; i++) {
            uint64_t at = q->cqe_ci + i;

            while (!opendoca_gpu_cqe_is_there(
                opendoca_gpu_observe(&nic->cqes[at & q->cqe_mask].tail), at, q->cqe_num))
                ;
        }
        q->cqe_ci += MOST;
        q->wqe_pi += MOST;
        opendoca_gpu_publish(&nic->words->posted, q->wqe_pi);
    }
    return (bench_now() - start) * 1e9 / RING;
}

/* What any call with a timeout needs: the time, at its begin and its end. */
static double clocks(void *)
{
    double start = bench_now();

    for (int i = 0; i < CALLS; i++) {
        (void)bench_now();
        (void)bench_now();
    }
    return (bench_now() - start) * 1e9 / CALLS;
}

template <enum doca_gpu_dev_eth_exec_scope scope> static void measure(const char *name, unsigned int threads)
{
    rx_end nic(RING, 64);
    side s = {&nic, threads, gpu_array<uint64_t>(1)};
    const struct bench_side peer = {"CPU loop", loop, &s};
    char text[64];

    snprintf(text, sizeof(text), "packet in batches of 32, %s", name);
    const struct bench_case per_packet = {"gpunetio", text, "ns", 0, 11};
    const struct bench_side ours = {"kernel", packets<scope>, &s};
    bench_compare(&per_packet, &ours, &peer, 1);

    char more[64];
    snprintf(more, sizeof(more), "call without packets, %s", name);
    const struct bench_case per_call = {"gpunetio", more, "ns", 0, 11};
    const struct bench_side none = {"kernel", idle<scope>, &s};
    const struct bench_side two = {"two clocks", clocks, NULL};
    bench_compare(&per_call, &none, &two, 1);
    OK(cudaFree(s.ns));
}

int main()
{
    measure<THREAD>("thread", 1);
    measure<WARP>("warp", 32);
    measure<BLOCK>("block of 32", 32);
    measure<BLOCK>("block of 512", 512);
    return 0;
}
