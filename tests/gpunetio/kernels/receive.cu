/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel sends numbered frames, another one receives and counts them, in each scope: 100,000, and
 * ten that are half a second apart. The sender stays less than a ring ahead. (GR-3, GR-5, GR-6) */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#define SLOTS  256u
#define STRIDE 512u
#define LENGTH 100u

enum word { BEGUN, RECEIVED, WRONG, WORDS };

__global__ void send(doca_gpu_eth_txq *txq, char *frames, uint32_t key, uint64_t total,
                     uint64_t ahead, uint64_t apart, uint64_t *words)
{
    uint64_t next = doca_gpu_dev_eth_query_globaltimer();

    for (uint64_t n = 0; n < total; n++, next += apart) {
        char *at = frames + n % SLOTS * STRIDE;
        doca_gpu_dev_eth_ticket_t ticket;

        while (doca_gpu_dev_eth_query_globaltimer() < next) {
        }
        while (n - DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) >= ahead) {
        }
        *(uint32_t *)(at + 16) = (uint32_t)n;
        doca_gpu_dev_eth_txq_send(txq, (uint64_t)at, key, LENGTH, DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
                                  &ticket);
        if (ticket != n)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
    }
}

template <doca_gpu_dev_eth_exec_scope scope>
__global__ void receive(doca_gpu_eth_rxq *rxq, uint64_t wanted, uint64_t *words)
{
    __shared__ doca_gpu_dev_eth_rxq_attr attrs[SLOTS];
    __shared__ uint64_t first, before;
    __shared__ uint32_t num;
    uint64_t total = 0;

    if (threadIdx.x == 0)
        before = words[BEGUN];
    while (total < wanted) {
        doca_error_t result = DOCA_SUCCESS;

        if (scope != DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD || threadIdx.x == 0)
            result = doca_gpu_dev_eth_rxq_recv<scope, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                               DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                               DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(rxq, 64, 500000,
                                                                              &first, &num, attrs);
        if (result != DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < num; i += blockDim.x) {
            char *at = (char *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);

            if (at != (char *)rxq->pkt_addr + (first + i) % SLOTS * STRIDE)
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 3;
            if (*(uint32_t *)(at + 16) != (uint32_t)(total + i))
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 4;
            if (attrs[i].bytes != LENGTH ||
                attrs[i].timestamp_ns < (i == 0 ? before : attrs[i - 1].timestamp_ns) ||
                attrs[i].timestamp_ns > doca_gpu_dev_eth_query_globaltimer())
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 5;
        }
        total += num;
        __syncthreads();
        if (threadIdx.x == 0 && num)
            before = attrs[num - 1].timestamp_ns;
        if (threadIdx.x == 0)
            DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) = total;
    }
}

/* `ahead`: how many frames may be under way; `apart`: ns between them. */
template <doca_gpu_dev_eth_exec_scope scope>
static void run(ends &e, const char *name, uint64_t total, uint64_t ahead, uint64_t apart = 0)
{
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 64);
    memory frames(e, 0, SLOTS * STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);
    streams s;

    for (uint32_t i = 0; i < SLOTS; i++)
        make_frame(frames.cpu + i * STRIDE, LENGTH, i);
    words.cpu[BEGUN] = now_ns();
    receive<scope><<<1, 32, 0, s.at[0]>>>(rx.handle, total, words.gpu);
    send<<<1, 1, 0, s.at[1]>>>(tx.handle, frames.gpu, frames.key_be, total, ahead, apart,
                                words.gpu);
    s.wait();
    printf("%s: %llu received, wrong: %llu\n", name, (unsigned long long)words.cpu[RECEIVED],
           (unsigned long long)words.cpu[WRONG]);
    CHECK(words.cpu[RECEIVED] == total && words.cpu[WRONG] == 0);
}

static void run_all(uint64_t total, uint64_t ahead)
{
    ends e;

    run<DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>(e, "thread", total, ahead);
    run<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(e, "warp", total, ahead);
    run<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(e, "block", total, ahead);
}

static void many()
{
    run_all(100000, SLOTS / 2);
}

template <doca_gpu_dev_eth_exec_scope scope> static void few()
{
    ends e;

    run<scope>(e, "half a second apart", 10, 1, 500000000);
}

/* The scopes beside each other: all of them wait most of the time. */
static int few_in_all_scopes()
{
    void (*const tests[])() = {few<DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>,
                               few<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>,
                               few<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>};
    int rc = 0, status;

    fflush(nullptr);
    for (void (*test)() : tests) {
        const pid_t pid = fork();

        CHECK(pid >= 0);
        if (pid == 0)
            _exit(ends_on({"loop"}, test));
    }
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        CHECK(wait(&status) > 0);
        rc = status == 0 ? rc : 1;
    }
    return rc;
}

static void some()
{
    run_all(3000, SLOTS / 2);
}

int main()
{
    const char *engine = getenv("OPENDOCA_GPU");
    int rc = 0;

    if (!ENDS_SANITIZED && (engine == nullptr || strcmp(engine, "cuda") != 0)) {
        rc = few_in_all_scopes();
        rc = rc != 0 ? rc : ends_on({"loop"}, many);
    }
    return rc != 0 ? rc : ends_on({"loop", "af_packet", "af_xdp", "tap"}, some);
}
