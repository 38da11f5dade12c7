/* SPDX-License-Identifier: BSD-3-Clause */
/* RDMA functions, with the test as worker and peer: positions, what operations hold, who waits for what. */
// WITH: setarch -R
// FLAGS: -DDOCA_ALLOW_EXPERIMENTAL_API
#include "nic.h"

#include <doca_gpunetio_dev_buf.cuh>
#include <doca_gpunetio_dev_rdma.cuh>

#define IMM_W   DOCA_GPU_RDMA_WRITE_FLAG_IMM
#define IMM_S   DOCA_GPU_RDMA_SEND_FLAG_IMM
#define NONE_W  DOCA_GPU_RDMA_WRITE_FLAG_NONE
#define NONE_S  DOCA_GPU_RDMA_SEND_FLAG_NONE
#define INVALID DOCA_ERROR_INVALID_VALUE

static const uint32_t NUM = 8, CONNS = 2, BYTES = 256;

struct end {
    doca_gpu_dev_rdma *q = gpu_array<doca_gpu_dev_rdma>(1);
    doca_gpu_dev_rdma_r *r = gpu_array<doca_gpu_dev_rdma_r>(1);
    opendoca_gpu_rdma_conn *conn = gpu_array<opendoca_gpu_rdma_conn>(CONNS);
    opendoca_gpu_rdma_words *words = gpu_array<opendoca_gpu_rdma_words>(CONNS + 1);
    opendoca_gpu_rdma_op *ops = gpu_array<opendoca_gpu_rdma_op>(CONNS * NUM);
    opendoca_gpu_rdma_recv *recvs = gpu_array<opendoca_gpu_rdma_recv>(NUM);
    opendoca_gpu_rdma_arrival *arrivals = gpu_array<opendoca_gpu_rdma_arrival>(NUM);
    doca_gpu_buf *bufs = gpu_array<doca_gpu_buf>(2); /* local, remote */

    end()
    {
        for (uint32_t i = 0; i <= CONNS; i++)
            words[i].state = OPENDOCA_GPU_QUEUE_RUNS;
        for (uint32_t i = 0; i < CONNS; i++)
            conn[i] = {(uint64_t)&words[i], (uint64_t)&ops[i * NUM], 0, 0};
        *q = {OPENDOCA_GPU_RDMA_MAGIC, OPENDOCA_GPU_VERSION, NUM, CONNS, (uint64_t)conn, (uint64_t)r, 0};
        *r = {OPENDOCA_GPU_RDMR_MAGIC, OPENDOCA_GPU_VERSION, NUM, 0, (uint64_t)&words[CONNS], (uint64_t)recvs,
              (uint64_t)arrivals, 0, 0, 0};
        bufs[0] = {(uint64_t)gpu_array<uint8_t>(BYTES), 11, BYTES};
        bufs[1] = {(uint64_t)gpu_array<uint8_t>(BYTES), 22, BYTES};
    }
    uint8_t *memory(int which)
    {
        return (uint8_t *)bufs[which].addr;
    }
    /* What a write with an immediate value, or a send, does at the peer: here that is the same end. */
    void arrive(uint32_t from, const opendoca_gpu_rdma_op *op, const void *bytes)
    {
        opendoca_gpu_rdma_words *w = &words[CONNS];
        const opendoca_gpu_rdma_recv *recv = &recvs[w->done % NUM];

        while (opendoca_gpu_observe(&w->committed) <= w->done)
            ;
        if (op->opcode == OPENDOCA_GPU_RDMA_SEND) {
            CHECK(op->bytes <= recv->bytes);
            memcpy((void *)recv->addr, bytes, op->bytes);
        }
        opendoca_gpu_poke32(&arrivals[w->done % NUM].conn, from);
        opendoca_gpu_poke32(&arrivals[w->done % NUM].imm, op->imm);
        opendoca_gpu_publish(&w->done, w->done + 1);
    }
    void make(uint32_t i)
    {
        const opendoca_gpu_rdma_op *op = &ops[i * NUM + words[i].done % NUM];
        const bool is_inline = op->flags & OPENDOCA_GPU_RDMA_INLINE;
        const void *bytes = is_inline ? (const void *)op->data : (const void *)op->local;

        CHECK(is_inline || op->local_key_be == 11);
        CHECK(op->opcode == OPENDOCA_GPU_RDMA_SEND || op->remote_key_be == 22);
        if (op->opcode == OPENDOCA_GPU_RDMA_WRITE)
            memcpy((void *)op->remote, bytes, op->bytes);
        else if (op->opcode == OPENDOCA_GPU_RDMA_READ)
            memcpy((void *)op->local, (void *)op->remote, op->bytes);
        if (op->opcode == OPENDOCA_GPU_RDMA_SEND || (op->flags & OPENDOCA_GPU_RDMA_IMM))
            arrive(i, op, bytes);
        opendoca_gpu_publish(&words[i].done, words[i].done + 1);
    }
    void serve()
    {
        while (cudaStreamQuery(0) == cudaErrorNotReady) {
            for (uint32_t i = 0; i < CONNS; i++) {
                if (words[i].done < opendoca_gpu_observe(&words[i].committed))
                    make(i);
            }
        }
        OK(cudaStreamSynchronize(0));
    }
};

/* Writes and sends from several positions, three commits; receives with and without buffers. */
__global__ void talks(doca_gpu_dev_rdma *q, doca_gpu_buf *bufs, int *wrong)
{
    doca_gpu_buf *local = &bufs[0], *remote = &bufs[1];
    uint32_t position = 9, mask = 9, num = 9, imm[8], from[8];
    uint8_t text[44];
    doca_gpu_dev_rdma_r *r = NULL;

    for (int i = 0; i < 44; i++)
        text[i] = (uint8_t)(100 + i);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_get_recv(q, &r) == DOCA_SUCCESS && r, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_strong(r, NULL, 0, 0, 0) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_weak(r, local, 50, 200, 0, 1) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_commit_weak(r, 2) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_strong(r, local, 20, 150, 0) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_commit_strong(r) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_get_info(r, &position, &mask) == DOCA_SUCCESS && position == 3 &&
                        mask == 7, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_wait_all(r, DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB, &num, imm, from) ==
                        DOCA_SUCCESS && num == 0, wrong);

    CHECK_IN_KERNEL(doca_gpu_dev_rdma_write_strong(q, 1, remote, 10, local, 0, 20, 77, NONE_W) == DOCA_SUCCESS,
                    wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_write_inline_weak(q, 1, remote, 40, text, 28, 4711, IMM_W, 1) ==
                        DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_commit_weak(q, 1, 2) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_get_info(q, 1, &position, &mask) == DOCA_SUCCESS && position == 2 &&
                        mask == 7, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_send_inline_strong(q, 1, text, 44, 4712, IMM_S) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_commit_strong(q, 1) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_wait_all(q, &num) == DOCA_SUCCESS && num == 2, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_send_strong(q, 0, local, 0, 20, 9, NONE_S) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_read_weak(q, 0, remote, 10, local, 100, 20, 0, 1) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_commit_strong(q, 0) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_wait_all(q, &num) == DOCA_SUCCESS && num == 1, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_wait_all(r, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &num, imm, from) ==
                        DOCA_SUCCESS && num == 3, wrong);
    CHECK_IN_KERNEL(imm[0] == 4711 && imm[1] == 4712 && imm[2] == 0, wrong);
    CHECK_IN_KERNEL(from[0] == 1 && from[1] == 1 && from[2] == 0, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_wait_all(r, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &num, NULL, NULL) ==
                        DOCA_SUCCESS && num == 0, wrong);
}

__global__ void refused(doca_gpu_dev_rdma *q, doca_gpu_buf *bufs, int *wrong)
{
    doca_gpu_buf *b = bufs;
    uint8_t text[45] = {1};
    uint32_t num;

    CHECK_IN_KERNEL(doca_gpu_dev_rdma_write_weak(NULL, 0, b, 0, b, 0, 1, 0, NONE_W, 0) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_write_strong(q, 2, b, 0, b, 0, 1, 0, NONE_W) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_write_strong(q, 0, b, 250, b, 0, 7, 0, NONE_W) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_write_inline_strong(q, 0, b, 0, text, 29, 0, NONE_W) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_send_inline_weak(q, 0, text, 45, 0, NONE_S, 0) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_send_weak(q, 0, NULL, 0, 1, 0, NONE_S, 0) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_read_strong(q, 0, b, 0, b, 257, 0, 0) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_commit_strong(q, 2) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_commit_weak(NULL, 0, 1) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_wait_all(q, NULL) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_get_info(q, 0, NULL, &num) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_get_recv(q, NULL) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_strong(NULL, b, 1, 0, 0) == INVALID, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_recv_commit_strong(NULL) == INVALID, wrong);
    for (int i = 0; i < 8; i++)
        CHECK_IN_KERNEL(doca_gpu_dev_rdma_send_strong(q, 0, b, 0, 1, 0, NONE_S) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_send_strong(q, 0, b, 0, 1, 0, NONE_S) == DOCA_ERROR_NO_MEMORY, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_commit_strong(q, 0) == DOCA_SUCCESS, wrong);
    CHECK_IN_KERNEL(doca_gpu_dev_rdma_wait_all(q, &num) == DOCA_ERROR_IO_FAILED, wrong);
}

int main()
{
    int *wrong = gpu_array<int>(1);
    end peer, other;

    for (uint32_t i = 0; i < BYTES; i++)
        peer.memory(0)[i] = (uint8_t)i;
    talks<<<1, 1>>>(peer.q, peer.bufs, wrong);
    peer.serve();
    for (uint32_t i = 0; i < 44; i++)
        CHECK(i >= 20 || (peer.memory(1)[10 + i] == i && peer.memory(0)[100 + i] == i && peer.memory(0)[150 + i] == i));
    for (uint32_t i = 0; i < 44; i++)
        CHECK(peer.memory(0)[200 + i] == 100 + i && (i >= 28 || peer.memory(1)[40 + i] == 100 + i));
    other.words[0].failed = 1;
    refused<<<1, 1>>>(other.q, other.bufs, wrong);
    OK(cudaDeviceSynchronize());
    CHECK(*wrong == 0);
    return 0;
}
