/* SPDX-License-Identifier: BSD-3-Clause */
/* doca_gpu_dev_eth_rxq_recv() in all scopes: when it returns and what it tells. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "nic.h"

#define THREAD DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD
#define WARP   DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP
#define BLOCK  DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK

static const uint64_t MS = 1000000;

struct result {
    doca_error_t code;
    uint32_t num;
    uint64_t first, took_ns;
};

struct call {
    doca_gpu_eth_rxq *q;
    uint32_t max;
    uint64_t timeout_ns;
    result *results;
    doca_gpu_dev_eth_rxq_attr *attrs;
};

/* Every thread with variables of its own. */
template <enum doca_gpu_dev_eth_exec_scope scope, enum doca_gpu_dev_eth_rxq_attr_type attr>
__global__ void once(call c)
{
    unsigned int thread = threadIdx.x + blockDim.x * threadIdx.y;
    result r = {DOCA_ERROR_UNKNOWN, 77, 77, 0};

    __syncthreads(); /* so that each thread has a stack of its own, for ThreadSanitizer */
    r.took_ns = doca_gpu_dev_eth_query_globaltimer();
    r.code = doca_gpu_dev_eth_rxq_recv<scope, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                       DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, attr>(
        c.q, c.max, c.timeout_ns, &r.first, &r.num, c.attrs);
    r.took_ns = doca_gpu_dev_eth_query_globaltimer() - r.took_ns;
    c.results[thread] = r;
}

template <enum doca_gpu_dev_eth_exec_scope scope,
          enum doca_gpu_dev_eth_rxq_attr_type attr = DOCA_GPUNETIO_ETH_RX_ATTR_NONE>
static result receive(rx_end *nic, dim3 threads, uint32_t max, uint64_t timeout_ns,
                      doca_gpu_dev_eth_rxq_attr *attrs = NULL)
{
    result *all = gpu_array<result>(threads.x * threads.y), r;

    once<scope, attr><<<1, threads>>>({nic->q, max, timeout_ns, all, attrs});
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    for (unsigned int i = 0; i < threads.x * threads.y; i++) {
        CHECK(all[i].code == all[0].code);
        CHECK(all[i].num == all[0].num);
        CHECK(all[i].first == all[0].first);
    }
    r = all[0];
    OK(cudaFree(all));
    return r;
}

static void store(rx_end *nic, int num)
{
    for (int i = 0; i < num; i++)
        CHECK(nic->store());
}

template <enum doca_gpu_dev_eth_exec_scope scope> static void returns(dim3 threads)
{
    rx_end nic(16, 64);

    /* Nothing came. */
    result r = receive<scope>(&nic, threads, 8, 2 * MS);
    CHECK(r.code == DOCA_SUCCESS && r.num == 0 && r.took_ns > 2 * MS);
    CHECK(r.first == (scope == WARP ? DOCA_GPUNETIO_ETH_RX_NO_PKT : 77));
    /* Some came: not before the time is over. */
    store(&nic, 3);
    r = receive<scope>(&nic, threads, 8, 2 * MS);
    CHECK(r.code == DOCA_SUCCESS && r.num == 3 && r.first == 0 && r.took_ns > 2 * MS);
    /* As many as wanted came: at once, and not more; around the end of the ring. */
    CHECK(nic.q->cqe_ci == 3 && nic.q->wqe_pi == 19 && nic.words->posted == 19);
    store(&nic, 16);
    CHECK(!nic.store());
    r = receive<scope>(&nic, threads, 5, 0);
    CHECK(r.code == DOCA_SUCCESS && r.num == 5 && r.first == 3);
    r = receive<scope>(&nic, threads, 11, 0);
    CHECK(r.code == DOCA_SUCCESS && r.num == 11 && r.first == 8);
    CHECK(nic.words->posted == 16 + 19 && nic.words->consumed == 19);
    /* The whole ring is the most there is, wanted or not; it is looked at once at least. */
    store(&nic, 16);
    r = receive<scope>(&nic, threads, 0, 0);
    CHECK(r.code == DOCA_SUCCESS && r.num == 16 && r.first == 3);
    store(&nic, 16);
    r = receive<scope>(&nic, threads, 1000, 1);
    CHECK(r.code == DOCA_SUCCESS && r.num == 16 && r.first == 3);
}

template <enum doca_gpu_dev_eth_exec_scope scope> static void fails(dim3 threads)
{
    rx_end nic(16, 64);

    store(&nic, 2);
    nic.fail();
    store(&nic, 4);
    result r = receive<scope>(&nic, threads, 8, 10000 * MS);
    CHECK(r.code == DOCA_ERROR_DRIVER && r.num == 2 && r.first == 0);
    r = receive<scope>(&nic, threads, 4, 0); /* and on it goes */
    CHECK(r.code == DOCA_SUCCESS && r.num == 4 && r.first == 3);
    CHECK(nic.words->posted == 16 + 7);
    CHECK(receive<scope>({&nic}, threads, 1, 1).code == DOCA_SUCCESS);
    nic.words->state = OPENDOCA_GPU_QUEUE_STOPPED;
    r = receive<scope>(&nic, threads, 8, 0);
    CHECK(r.code == DOCA_ERROR_BAD_STATE && r.num == 0);
    rx_end none(16, 64);
    none.q = NULL;
    CHECK(receive<scope>(&none, threads, 8, 1).code == DOCA_ERROR_INVALID_VALUE);
    none.q = nic.q;
    CHECK((receive<scope, DOCA_GPUNETIO_ETH_RX_ATTR_TS>(&nic, threads, 8, 1).code ==
           DOCA_ERROR_INVALID_VALUE));
    none.q = gpu_array<doca_gpu_eth_rxq>(1);
}

template <enum doca_gpu_dev_eth_exec_scope scope> static void describes(dim3 threads)
{
    rx_end nic(64, 128);
    doca_gpu_dev_eth_rxq_attr *attrs = gpu_array<doca_gpu_dev_eth_rxq_attr>(40);

    for (uint32_t lap = 0; lap < 5; lap++) {
        for (uint32_t i = 0; i < 40; i++)
            CHECK(nic.store(60 + i));
        result r = receive<scope, DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(&nic, threads, 40, 0, attrs);
        CHECK(r.code == DOCA_SUCCESS && r.num == 40 && r.first == lap * 40 % 64);
        for (uint32_t i = 0; i < 40; i++) {
            CHECK(attrs[i].bytes == 60 + i);
            CHECK(attrs[i].timestamp_ns == rx_end::time_of(lap * 40 + i));
        }
    }
    attrs[0].bytes = 5;
    CHECK(nic.store(99));
    receive<scope, DOCA_GPUNETIO_ETH_RX_ATTR_TS>(&nic, threads, 1, 0, attrs);
    CHECK(attrs[0].timestamp_ns == rx_end::time_of(200) && attrs[0].bytes == 5);
    OK(cudaFree(attrs));
}

/* A kernel that stays, while packets come as fast as slots are granted. */
template <enum doca_gpu_dev_eth_exec_scope scope>
__global__ void stays(doca_gpu_eth_rxq *q, uint64_t total, uint32_t max, int *wrong)
{
    __shared__ uint64_t first;
    __shared__ uint32_t num;
    __shared__ doca_gpu_dev_eth_rxq_attr attrs[64];
    uint64_t seen = 0;

    while (seen < total) {
        doca_error_t code = DOCA_SUCCESS;

        if (scope != THREAD || threadIdx.x == 0)
            code = doca_gpu_dev_eth_rxq_recv<scope, DOCA_GPUNETIO_ETH_MCST_DISABLED,
                                             DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                             DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(q, max, 100000, &first,
                                                                            &num, attrs);
        if (scope == THREAD)
            __syncthreads();
        CHECK_IN_KERNEL(code == DOCA_SUCCESS && num <= max, wrong);
        if (num) {
            CHECK_IN_KERNEL(first == seen % q->pkt_num, wrong);
            for (uint32_t i = threadIdx.x; i < num; i += blockDim.x) {
                CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_pkt_addr(q, first + i) ==
                                    q->pkt_addr + (seen + i) % q->pkt_num * q->max_pkt_sz,
                                wrong);
                CHECK_IN_KERNEL(attrs[i].timestamp_ns == rx_end::time_of(seen + i), wrong);
            }
        }
        seen += num;
        __syncthreads();
    }
}

template <enum doca_gpu_dev_eth_exec_scope scope> static void laps(unsigned int threads)
{
    rx_end nic(64, 64);
    int *wrong = gpu_array<int>(1);
    const uint64_t total = 64 * 37 + 5;

    stays<scope><<<1, threads>>>(nic.q, total, 13, wrong);
    OK(cudaGetLastError());
    while (nic.stored < total)
        (void)nic.store();
    OK(cudaDeviceSynchronize());
    CHECK(*wrong == 0 && nic.q->cqe_ci == total && nic.words->posted == total + 64);
    OK(cudaFree(wrong));
}

__global__ void accessors(doca_gpu_eth_rxq *q, int *wrong)
{
    uint64_t first = 0;
    uint32_t num = 0;

    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_recv(q, 3, 0, &first, &num, NULL) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(num == 3 && first == 14, wrong);
    for (uint32_t i = 0; i < num; i++) {
        uint64_t packet;

        memcpy(&packet, (void *)doca_gpu_dev_eth_rxq_get_pkt_addr(q, first + i), sizeof(packet));
        CHECK_IN_KERNEL(packet == 14 + i, wrong);
        CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_pkt_bytes(q, first + i) == 80 + i, wrong);
        CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_pkt_ts(q, first + i) == rx_end::time_of(14 + i), wrong);
        CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_pkt_cqe(q, first + i)->op_own >> 4 == 2, wrong);
    }
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_get_pkt_mkey(q) == q->pkt_mkey, wrong);
    /* An argument that was a bool in some releases. */
    CHECK_IN_KERNEL((doca_gpu_dev_eth_rxq_recv<THREAD, DOCA_GPUNETIO_ETH_MCST_DISABLED,
                                               DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, false>(
                        q, 3, 1, &first, &num, NULL)) == DOCA_SUCCESS && num == 0, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_recv(q, 3, 1, NULL, &num, NULL) == DOCA_ERROR_INVALID_VALUE, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_eth_rxq_recv(q, 3, 1, &first, NULL, NULL) == DOCA_ERROR_INVALID_VALUE, wrong);
}

int main()
{
    int *wrong = gpu_array<int>(1);

    returns<THREAD>(1);
    returns<WARP>(32);
    returns<WARP>(7);
    returns<BLOCK>(128);
    returns<BLOCK>(dim3(9, 5));
    returns<BLOCK>(1);
    fails<THREAD>(1);
    fails<WARP>(32);
    fails<BLOCK>(96);
    describes<THREAD>(1);
    describes<WARP>(32);
    describes<BLOCK>(64);
    laps<THREAD>(64);
    laps<WARP>(32);
    laps<BLOCK>(96);
    {
        rx_end nic(16, 128);
        for (int i = 0; i < 14; i++)
            CHECK(nic.store());
        receive<THREAD>(&nic, 1, 14, 0);
        for (int i = 0; i < 3; i++)
            CHECK(nic.store(80 + i));
        accessors<<<1, 1>>>(nic.q, wrong);
        OK(cudaDeviceSynchronize());
    }
    CHECK(*wrong == 0);
    return 0;
}
