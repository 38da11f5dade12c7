/* SPDX-License-Identifier: BSD-3-Clause */
/* What is for DPA processors and GPUs refuses, whatever it is given. */
#include <doca_comch_msgq.h>

#include "lib/comch_fast_fixture.h"

static char garbage[64];

static void message_queues(struct comch_end *end)
{
    struct doca_comch_msgq *const any[] = {NULL, (struct doca_comch_msgq *)garbage};
    struct doca_comch_msgq *msgq = NULL;
    struct doca_comch_consumer *consumer = NULL;
    struct doca_comch_producer *producer = NULL;
    struct doca_dpa *dpa = (struct doca_dpa *)garbage;

    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_create(NULL, &msgq));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_create(end->dev, NULL));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_msgq_create(end->dev, &msgq));
    need(msgq == NULL);
    for (int i = 0; i < 2; i++) {
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_destroy(any[i]));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_set_dpa_consumer(any[i], dpa));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_set_max_num_consumers(any[i], 1));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_set_dpa_producer(any[i], dpa));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_set_max_num_producers(any[i], 1));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_start(any[i]));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_stop(any[i]));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_consumer_create(any[i], &consumer));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_msgq_producer_create(any[i], &producer));
    }
    need(consumer == NULL && producer == NULL);
}

static void completions(void)
{
    struct doca_comch_consumer_completion *const any[] = {
        NULL, (struct doca_comch_consumer_completion *)garbage};
    struct doca_comch_consumer_completion *comp = NULL;
    doca_dpa_dev_comch_consumer_completion_t handle;
    uint32_t value;

    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_completion_create(NULL));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_completion_create(&comp));
    need(comp == NULL);
    for (int i = 0; i < 2; i++) {
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_completion_set_dpa_thread(
                                                any[i], (struct doca_dpa_thread *)garbage));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_completion_destroy(any[i]));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_completion_start(any[i]));
        need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_completion_stop(any[i]));
        need_code(DOCA_ERROR_INVALID_VALUE,
                  doca_comch_consumer_completion_set_max_num_consumers(any[i], 1));
        need_code(DOCA_ERROR_INVALID_VALUE,
                  doca_comch_consumer_completion_get_max_num_consumers(any[i], &value));
        need_code(DOCA_ERROR_INVALID_VALUE,
                  doca_comch_consumer_completion_set_max_num_recv(any[i], 1));
        need_code(DOCA_ERROR_INVALID_VALUE,
                  doca_comch_consumer_completion_get_max_num_recv(any[i], &value));
        need_code(DOCA_ERROR_INVALID_VALUE,
                  doca_comch_consumer_completion_set_imm_data_len(any[i], 1));
        need_code(DOCA_ERROR_INVALID_VALUE,
                  doca_comch_consumer_completion_get_imm_data_len(any[i], &value));
    }
    need_code(DOCA_ERROR_INVALID_VALUE,
              doca_comch_consumer_completion_get_dpa_handle(NULL, &handle));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_consumer_completion_get_dpa_handle(any[1], &handle));
}

static void consumers(struct fast *fast)
{
    struct doca_comch_consumer_completion *comp = (void *)garbage;
    struct doca_comch_gpu_consumer *gpu = NULL;
    doca_dpa_dev_comch_consumer_t handle;
    struct doca_comch_consumer *consumer = fast->consumer;

    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_set_dev_max_num_recv(NULL, 1));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_set_dev_max_num_recv(consumer, 1));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_set_completion(NULL, comp, 0));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_set_completion(consumer, NULL, 0));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_consumer_set_completion(consumer, comp, 0));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_get_dpa_handle(NULL, &handle));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_consumer_get_dpa_handle(consumer, &handle));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_consumer_get_gpu_handle(consumer, NULL));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_consumer_get_gpu_handle(consumer, &gpu));
}

static void producers(struct fast *fast)
{
    struct doca_dpa_completion *comp = (void *)garbage;
    struct doca_comch_gpu_producer *gpu = NULL;
    doca_dpa_dev_comch_producer_t handle;
    struct doca_comch_producer *producer = fast->producer;

    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_set_dev_max_num_send(NULL, 1));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_set_dev_max_num_send(producer, 1));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_dpa_completion_attach(NULL, comp));
    need_code(DOCA_ERROR_NOT_SUPPORTED, doca_comch_producer_dpa_completion_attach(producer, comp));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_get_dpa_handle(NULL, &handle));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_producer_get_dpa_handle(producer, &handle));
    need_code(DOCA_ERROR_INVALID_VALUE, doca_comch_producer_get_gpu_handle(producer, NULL));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_producer_get_gpu_handle(producer, &gpu));
    need_ok(doca_ctx_start(fast->ctx));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_producer_set_dev_max_num_send(producer, 1));
    need_code(DOCA_ERROR_BAD_STATE, doca_comch_producer_dpa_completion_attach(producer, comp));
}

static void asks_for_it(int peer)
{
    struct fast consumer, producer;
    struct comch_end end;
    struct memory mem;

    start_fast_server(&end);
    message_queues(&end);
    completions();
    open_memory(&mem, &end, 100, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    open_consumer(&consumer, &end, &mem, 1, NULL);
    consumers(&consumer);
    open_producer(&producer, &end, 1, NULL);
    producers(&producer);
    close_fast(&consumer);
    close_fast(&producer);
    close_memory(&mem);
    close_end(&end);
    (void)peer;
}

static void waits(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    progress_until(&end, end_state(&end) == DOCA_CTX_STATE_IDLE);
    close_end(&end);
    (void)peer;
}

static void there_is_no_other_processor(void **state)
{
    (void)state;
    run_pair(asks_for_it, waits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_no_other_processor),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
