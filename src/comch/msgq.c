/* SPDX-License-Identifier: BSD-3-Clause */
/* What is for DPA processors and GPUs: message queues, completions, handles. The calls are there
 * for linking and say no; no message queue and no completion object ever exists. */
#include <doca_comch_msgq.h>

#include "comch/consumer.h"
#include "comch/producer.h"

static doca_error_t refuse_dpa(const char *func, const char *object)
{
    return CORE_FAIL(DOCA_ERROR_NOT_SUPPORTED, CORE_LOG_COMCH, func, object, "DPA processor",
                     "none" CORE_REMEDY "send and receive on the CPU");
}

/* ------------------------------------------------------------------------------------------------
 * Message queues
 */

doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq)
{
    if (dev == NULL || msgq == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, dev == NULL ? "dev" : "msgq");
    return refuse_dpa(__func__, NULL);
}

static doca_error_t refuse_msgq(const char *func, const struct doca_comch_msgq *msgq)
{
    if (msgq == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "msgq");
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, NULL, "msgq",
                     "%p, not a message queue of this library", (const void *)msgq);
}

doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq)
{
    return refuse_msgq(__func__, msgq);
}

doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
    (void)dpa;
    return refuse_msgq(__func__, msgq);
}

doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_consumers)
{
    (void)max_num_consumers;
    return refuse_msgq(__func__, msgq);
}

doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
    (void)dpa;
    return refuse_msgq(__func__, msgq);
}

doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_producers)
{
    (void)max_num_producers;
    return refuse_msgq(__func__, msgq);
}

doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq)
{
    return refuse_msgq(__func__, msgq);
}

doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq)
{
    return refuse_msgq(__func__, msgq);
}

doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_consumer **consumer)
{
    (void)consumer;
    return refuse_msgq(__func__, msgq);
}

doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_producer **producer)
{
    (void)producer;
    return refuse_msgq(__func__, msgq);
}

/* ------------------------------------------------------------------------------------------------
 * Completions
 */

doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp)
{
    if (consumer_comp == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "consumer_comp");
    return refuse_dpa(__func__, NULL);
}

static doca_error_t refuse_completion(const char *func,
                                      const struct doca_comch_consumer_completion *consumer_comp)
{
    if (consumer_comp == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, func, "consumer_comp");
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMCH, func, NULL, "consumer_comp",
                     "%p, not a completion context of this library", (const void *)consumer_comp);
}

doca_error_t
doca_comch_consumer_completion_set_dpa_thread(struct doca_comch_consumer_completion *consumer_comp,
                                              struct doca_dpa_thread *dpa_thread)
{
    (void)dpa_thread;
    return refuse_completion(__func__, consumer_comp);
}

doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp)
{
    return refuse_completion(__func__, consumer_comp);
}

doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp)
{
    return refuse_completion(__func__, consumer_comp);
}

doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp)
{
    return refuse_completion(__func__, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    struct doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle)
{
    if (consumer_comp == NULL || consumer_comp_handle == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__,
                              consumer_comp == NULL ? "consumer_comp" : "consumer_comp_handle");
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, __func__, NULL, "consumer_comp",
                     "not started" CORE_REMEDY "there is no DPA processor to start it for");
}

doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers)
{
    (void)max_num_consumers;
    return refuse_completion(__func__, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers)
{
    (void)max_num_consumers;
    return refuse_completion(__func__, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv)
{
    (void)max_num_recv;
    return refuse_completion(__func__, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv)
{
    (void)max_num_recv;
    return refuse_completion(__func__, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len)
{
    (void)imm_data_len;
    return refuse_completion(__func__, consumer_comp);
}

doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len)
{
    (void)imm_data_len;
    return refuse_completion(__func__, consumer_comp);
}

/* ------------------------------------------------------------------------------------------------
 * Ends of the fast path whose data path would be elsewhere
 */

/* What is configured before the start and needs a DPA processor or GPU. */
static doca_error_t refuse_config(const struct doca_ctx *ctx, const char *func)
{
    if (ctx->state != DOCA_CTX_STATE_IDLE)
        return core_ctx_check_idle(ctx, func);
    return refuse_dpa(func, ctx->name);
}

static doca_error_t refuse_handle(const struct doca_ctx *ctx, const char *func)
{
    return CORE_FAIL(DOCA_ERROR_BAD_STATE, CORE_LOG_COMCH, func, ctx->name, "data path",
                     "on the CPU" CORE_REMEDY "submit the tasks from the CPU");
}

doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
                                                      uint32_t dev_num_recv)
{
    (void)dev_num_recv;
    if (consumer == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "consumer");
    return refuse_config(&consumer->ctx, __func__);
}

doca_error_t
doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer,
                                   struct doca_comch_consumer_completion *consumer_comp,
                                   uint32_t user_data)
{
    (void)user_data;
    if (consumer == NULL || consumer_comp == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__,
                              consumer == NULL ? "consumer" : "consumer_comp");
    return refuse_config(&consumer->ctx, __func__);
}

doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
                                                doca_dpa_dev_comch_consumer_t *dpa_consumer)
{
    if (consumer == NULL || dpa_consumer == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__,
                              consumer == NULL ? "consumer" : "dpa_consumer");
    return refuse_handle(&consumer->ctx, __func__);
}

doca_error_t doca_comch_consumer_get_gpu_handle(struct doca_comch_consumer *consumer,
                                                struct doca_comch_gpu_consumer **gpu_consumer)
{
    if (consumer == NULL || gpu_consumer == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__,
                              consumer == NULL ? "consumer" : "gpu_consumer");
    return refuse_handle(&consumer->ctx, __func__);
}

doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
                                                      uint32_t dev_num_send)
{
    (void)dev_num_send;
    if (producer == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, "producer");
    return refuse_config(&producer->ctx, __func__);
}

doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
                                                       struct doca_dpa_completion *dpa_comp)
{
    if (producer == NULL || dpa_comp == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__, producer == NULL ? "producer" : "dpa_comp");
    return refuse_config(&producer->ctx, __func__);
}

doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
                                                doca_dpa_dev_comch_producer_t *dpa_producer)
{
    if (producer == NULL || dpa_producer == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__,
                              producer == NULL ? "producer" : "dpa_producer");
    return refuse_handle(&producer->ctx, __func__);
}

doca_error_t doca_comch_producer_get_gpu_handle(struct doca_comch_producer *producer,
                                                struct doca_comch_gpu_producer **gpu_producer)
{
    if (producer == NULL || gpu_producer == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMCH, __func__,
                              producer == NULL ? "producer" : "gpu_producer");
    return refuse_handle(&producer->ctx, __func__);
}
