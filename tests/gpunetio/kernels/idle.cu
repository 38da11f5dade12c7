/* SPDX-License-Identifier: BSD-3-Clause */
/* Receiving while nothing or little comes: a call lasts as long as it was told, and the kernel ends
 * when SIGINT tells it to (GR-4); it takes a small part of a processor then; a handle that was
 * copied to the CPU (GX-1); kernels of one batch each with outputs of the threads' own and threads
 * that return at once (GX-6). */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#include <chrono>
#include <csignal>
#include <dirent.h>
#include <string>
#include <thread>

#define SLOTS   64u
#define STRIDE  256u
#define LENGTH  64u
#define TIMEOUT 500000u /* ns */
#define MOST    2048u

enum word { CALLS, EARLY, OTHER, TOTAL, SHORTEST, EXIT, WORDS };

template <doca_gpu_dev_eth_exec_scope scope>
__global__ void receive(doca_gpu_eth_rxq *rxq, uint64_t *words)
{
    __shared__ uint64_t first;
    __shared__ uint32_t num;
    uint64_t total = 0;

    while (!DOCA_GPUNETIO_VOLATILE(words[EXIT])) {
        const uint64_t begin = doca_gpu_dev_eth_query_globaltimer();
        doca_error_t result = DOCA_SUCCESS;

        if (scope != DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD || threadIdx.x == 0)
            result = doca_gpu_dev_eth_rxq_recv<scope>(rxq, MOST, TIMEOUT, &first, &num,
                                                      (doca_gpu_dev_eth_rxq_attr *)nullptr);
        __syncthreads();
        if (threadIdx.x == 0) {
            const uint64_t took = doca_gpu_dev_eth_query_globaltimer() - begin;

            if (took < DOCA_GPUNETIO_VOLATILE(words[SHORTEST]))
                DOCA_GPUNETIO_VOLATILE(words[SHORTEST]) = took;
            if (took < TIMEOUT)
                DOCA_GPUNETIO_VOLATILE(words[EARLY]) = words[EARLY] + 1;
            if (result != DOCA_SUCCESS || num != 0)
                DOCA_GPUNETIO_VOLATILE(words[OTHER]) = words[OTHER] + 1;
            DOCA_GPUNETIO_VOLATILE(words[CALLS]) = words[CALLS] + 1;
            total += num;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        words[TOTAL] = total;
        __threadfence_system();
    }
}

/* What the handler of SIGINT sets, and how many calls had ended then. */
static uint64_t *to_end, calls_then;

static void on_interrupt(int)
{
    DOCA_GPUNETIO_VOLATILE(to_end[EXIT]) = 1;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    calls_then = DOCA_GPUNETIO_VOLATILE(to_end[CALLS]);
}

/* What the threads of kernels have had of the processors, and waited for them, in ns. */
struct times {
    double ran, waited;
};

static times kernels_times()
{
    DIR *tasks = opendir("/proc/self/task");
    times total = {};

    CHECK(tasks != nullptr);
    while (const dirent *task = readdir(tasks)) {
        const std::string folder = std::string("/proc/self/task/") + task->d_name;
        char name[32] = "";
        double ran = 0, waited = 0;

        if (FILE *file = fopen((folder + "/comm").c_str(), "r")) {
            CHECK(fscanf(file, "%31s", name) <= 1);
            fclose(file);
        }
        if (FILE *file = fopen((folder + "/schedstat").c_str(), "r")) {
            CHECK(fscanf(file, "%lf %lf", &ran, &waited) <= 2);
            fclose(file);
        }
        if (strcmp(name, "simt-worker") == 0)
            total = {total.ran + ran, total.waited + waited};
    }
    closedir(tasks);
    return total;
}

/* Percent of a processor that kernels take now; of the time in which they could have had one. */
static double kernels_share()
{
    const times had = kernels_times();
    const auto start = std::chrono::steady_clock::now();

    std::this_thread::sleep_for(std::chrono::seconds(1));
    const times have = kernels_times();
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    return 100.0 * (have.ran - had.ran) / ((double)took.count() - (have.waited - had.waited));
}

template <doca_gpu_dev_eth_exec_scope scope> static void wait_in_vain(ends &e, const char *name)
{
    receiver rx(e, 1, SLOTS, STRIDE);
    shared_words<uint64_t> words(e, WORDS);

    to_end = words.cpu;
    words.cpu[TOTAL] = 77;
    words.cpu[SHORTEST] = UINT64_MAX;
    receive<scope><<<1, 32>>>(rx.handle, words.gpu);
    /* Where others have the processor a call takes longer, but not each. */
    await([&] {
        return DOCA_GPUNETIO_VOLATILE(words.cpu[CALLS]) >= 20 &&
               (ENDS_SANITIZED || DOCA_GPUNETIO_VOLATILE(words.cpu[SHORTEST]) < 2 * TIMEOUT);
    });
    const double share = kernels_share();
    CHECK(signal(SIGINT, on_interrupt) != SIG_ERR && kill(getpid(), SIGINT) == 0);
    CUDA(cudaDeviceSynchronize());
    /* The one that ran ended, and no other began. */
    CHECK(words.cpu[EXIT] == 1 && words.cpu[CALLS] <= calls_then + 1);
    printf("%s: %.1f %% of a processor, %llu calls, too short %llu, with something %llu\n", name,
           share, (unsigned long long)words.cpu[CALLS], (unsigned long long)words.cpu[EARLY],
           (unsigned long long)words.cpu[OTHER]);
    CHECK(share < 25);
    CHECK(words.cpu[EARLY] == 0 && words.cpu[OTHER] == 0 && words.cpu[TOTAL] == 0);
}

static void copy_handles(ends &e)
{
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 64);
    static doca_gpu_eth_rxq r;
    static doca_gpu_eth_txq t;

    CUDA(cudaMemcpy(&r, rx.handle, sizeof(r), cudaMemcpyDefault));
    CUDA(cudaMemcpy(&t, tx.handle, sizeof(t), cudaMemcpyDefault));
    CHECK(r.pkt_num == SLOTS && r.max_pkt_sz == STRIDE && r.pkt_addr == (uint64_t)rx.packets.gpu &&
          r.wqe_num * r.wqe_strides_num == SLOTS);
    CHECK(t.wqe_mask + 1 == 64 && t.wqe_pi == 0 && t.cqe_ci == 0);
}

__global__ void send_one(doca_gpu_eth_txq *txq, char *frame, uint32_t key)
{
    doca_gpu_dev_eth_ticket_t ticket;

    doca_gpu_dev_eth_txq_send(txq, (uint64_t)frame, key, LENGTH, DOCA_GPUNETIO_ETH_SEND_FLAG_NONE,
                              &ticket);
}

/* Each thread has its own outputs; the upper half leaves before the next barrier. */
__global__ void receive_batch(doca_gpu_eth_rxq *rxq, uint64_t *words)
{
    uint64_t first = 0;
    uint32_t num = 0;

    if (doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(
            rxq, 1, 0, &first, &num, (doca_gpu_dev_eth_rxq_attr *)nullptr) != DOCA_SUCCESS ||
        num != 1)
        DOCA_GPUNETIO_VOLATILE(words[OTHER]) = 1;
    if (threadIdx.x >= blockDim.x / 2)
        return;
    __syncthreads();
    if (*(const uint32_t *)(doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first) + 16) ==
        (uint32_t)words[CALLS])
        atomicAdd((unsigned long long *)&words[TOTAL], 1ull);
}

/* The frame is written anew without a completion: its packet is there, so it was read. Over
 * interfaces ThreadSanitizer calls that a race, as the packet passes Linux between the two engines'
 * threads, where it sees nothing; a completion that the sender awaits it does see. */
static void one_kernel_a_batch(ends &e)
{
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 64);
    memory frame(e, 0, STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);

    for (uint32_t batch = 0; batch < 2 * SLOTS; batch++) {
        words.cpu[CALLS] = batch;
        make_frame(frame.cpu, LENGTH, batch);
        send_one<<<1, 1>>>(tx.handle, frame.gpu, frame.key_be);
        receive_batch<<<1, 64>>>(rx.handle, words.gpu);
        CUDA(cudaDeviceSynchronize());
    }
    printf("%llu threads saw their packet\n", (unsigned long long)words.cpu[TOTAL]);
    CHECK(words.cpu[TOTAL] == 2 * SLOTS * 32 && words.cpu[OTHER] == 0);
}

static void test()
{
    ends e;

    wait_in_vain<DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>(e, "thread");
    wait_in_vain<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP>(e, "warp");
    wait_in_vain<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK>(e, "block");
    copy_handles(e);
    one_kernel_a_batch(e);
}

int main()
{
    return ends_on({"loop", "af_xdp"}, test);
}
