/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface under a kernel that sends and one that receives goes down, gets another name, is
 * deleted: sends fail or are lost, what comes back goes on, and kernels end when they are told to.
 */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "ends.h"

#define SLOTS  256u
#define STRIDE 256u
#define LENGTH 64u

enum word { SENT, FAILED, RECEIVED, WRONG, EXIT, WORDS };

/* One frame after the other; what could not be sent is only counted. */
__global__ void send(doca_gpu_eth_txq *txq, char *frame, uint32_t key, uint64_t *words)
{
    while (!DOCA_GPUNETIO_VOLATILE(words[EXIT])) {
        doca_gpu_dev_eth_ticket_t ticket;
        uint32_t done;

        doca_gpu_dev_eth_txq_send(txq, (uint64_t)frame, key, LENGTH,
                                  DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY, &ticket);
        if (doca_gpu_dev_eth_txq_poll_completion(txq, 1, DOCA_GPUNETIO_ETH_WAIT_FLAG_B, &done) ==
            DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[SENT]) = words[SENT] + 1;
        else
            DOCA_GPUNETIO_VOLATILE(words[FAILED]) = words[FAILED] + 1;
    }
}

/* The sender does not wait for it. More than a ring of frames may come while it looks at those of a
 * call, whose slots were given back: they are written again then, with the same bytes. A race to
 * ThreadSanitizer. */
__global__ void receive(doca_gpu_eth_rxq *rxq, uint64_t *words)
{
    while (!DOCA_GPUNETIO_VOLATILE(words[EXIT])) {
        uint64_t first = 0;
        uint32_t num = 0;

        if (doca_gpu_dev_eth_rxq_recv(rxq, 32, 200000, &first, &num,
                                      (doca_gpu_dev_eth_rxq_attr *)nullptr) != DOCA_SUCCESS)
            DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 1;
        for (uint32_t i = 0; i < num; i++) {
            const char *at = (const char *)doca_gpu_dev_eth_rxq_get_pkt_addr(rxq, first + i);

            if (at[12] != (char)0x88 || at[13] != (char)0xb5)
                DOCA_GPUNETIO_VOLATILE(words[WRONG]) = 2;
        }
        DOCA_GPUNETIO_VOLATILE(words[RECEIVED]) = words[RECEIVED] + num;
    }
}

static void await_more(const shared_words<uint64_t> &words, word word)
{
    const uint64_t before = DOCA_GPUNETIO_VOLATILE(words.cpu[word]);

    await([&] { return DOCA_GPUNETIO_VOLATILE(words.cpu[word]) > before + 10; });
}

static void test()
{
    ends e;
    receiver rx(e, 1, SLOTS, STRIDE);
    sender tx(e, 0, 64);
    memory frame(e, 0, STRIDE, DOCA_GPU_MEM_TYPE_CPU_GPU);
    shared_words<uint64_t> words(e, WORDS);
    streams s;

    make_frame(frame.cpu, LENGTH, 1);
    receive<<<1, 1, 0, s.at[0]>>>(rx.handle, words.gpu);
    send<<<1, 1, 0, s.at[1]>>>(tx.handle, frame.gpu, frame.key_be, words.gpu);
    await_more(words, RECEIVED);
    CHECK(system("ip link set odva down") == 0);
    await_more(words, FAILED);
    CHECK(system("ip link set odva up") == 0);
    await_more(words, RECEIVED);
    /* Newer kernels rename what is up; older ones want it down. */
    CHECK(system("ip link set odva name odvz 2>/dev/null || (ip link set odva down &&"
                 " ip link set odva name odvz && ip link set odvz up)") == 0);
    await_more(words, RECEIVED);
    CHECK(system("ip link del odvz") == 0);
    await_more(words, FAILED);
    DOCA_GPUNETIO_VOLATILE(words.cpu[EXIT]) = 1;
    s.wait();
    printf("%llu sent, %llu failed, %llu received\n", (unsigned long long)words.cpu[SENT],
           (unsigned long long)words.cpu[FAILED], (unsigned long long)words.cpu[RECEIVED]);
    CHECK(words.cpu[WRONG] == 0);
}

int main()
{
    return ends_on({"af_packet", "af_xdp"}, test);
}
