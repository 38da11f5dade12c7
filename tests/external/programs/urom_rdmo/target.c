/* SPDX-License-Identifier: BSD-3-Clause */
/* The target: registers itself, its initiator and its memory with a worker, and then finds its
 * memory changed. It only keeps UCX going. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_argp.h>
#include <doca_log.h>

#include <ucp/api/ucp.h>

#include "../common/offload.h"
#include "host.h"
#include "rdmo.h"

DOCA_LOG_REGISTER(TARGET);

#define INFLIGHT    16
#define MAX_WORKERS 2

struct config {
    char device[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    int port;
};

struct target {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *addr;
    size_t addr_len;
    ucp_mem_h memh;
    struct doca_urom_service *service;
    struct rdmo_host host;
    struct invitation invitation;
    uint64_t rq_id;
    struct target_memory *memory;
    int listener;
    int fd;
};

static doca_error_t from_ucx(ucs_status_t status, const char *what)
{
    if (status == UCS_OK)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("%s: %s", what, ucs_status_string(status));
    return DOCA_ERROR_DRIVER;
}

static void progress(void *arg)
{
    ucp_worker_progress((ucp_worker_h)arg);
}

/* ---- UCX ---- */

static ucs_status_t map_memory(struct target *self)
{
    ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS |
                                                 UCP_MEM_MAP_PARAM_FIELD_LENGTH,
                                   .length = sizeof(*self->memory)};

    self->memory = calloc(1, sizeof(*self->memory));
    if (self->memory == NULL)
        return UCS_ERR_NO_MEMORY;
    self->memory->pointer = (uintptr_t)self->memory->queue;
    params.address = self->memory;
    return ucp_mem_map(self->context, &params, &self->memh);
}

static doca_error_t open_ucx(struct target *self)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features =
                                     UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_EXPORTED_MEMH};
    const ucp_worker_params_t worker_params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                               .thread_mode = UCS_THREAD_MODE_SINGLE};
    ucs_status_t status = ucp_init(&params, NULL, &self->context);

    if (status == UCS_OK)
        status = ucp_worker_create(self->context, &worker_params, &self->worker);
    if (status == UCS_OK)
        status = ucp_worker_get_address(self->worker, &self->addr, &self->addr_len);
    if (status == UCS_OK)
        status = map_memory(self);
    return from_ucx(status, "UCX does not start");
}

static void close_ucx(struct target *self)
{
    if (self->memh != NULL)
        (void)ucp_mem_unmap(self->context, self->memh);
    if (self->addr != NULL)
        ucp_worker_release_address(self->worker, self->addr);
    if (self->worker != NULL)
        ucp_worker_destroy(self->worker);
    if (self->context != NULL)
        ucp_cleanup(self->context);
    free(self->memory);
}

/* ---- Registration ---- */

static doca_error_t register_memory(struct target *self)
{
    const ucp_memh_pack_params_t pack = {.field_mask = UCP_MEMH_PACK_PARAM_FIELD_FLAGS,
                                         .flags = UCP_MEMH_PACK_FLAG_EXPORT};
    const ucp_memh_buffer_release_params_t release = {.field_mask = 0};
    void *rkey = NULL, *memh = NULL;
    size_t rkey_len = 0, memh_len = 0;
    ucs_status_t status = ucp_memh_pack(self->memh, &pack, &memh, &memh_len);
    doca_error_t result;

    if (status == UCS_ERR_UNSUPPORTED)
        DOCA_LOG_WARN("Memory cannot be handed over, the worker uses a key");
    else if (status != UCS_OK)
        return from_ucx(status, "No handle");
    result = from_ucx(ucp_rkey_pack(self->context, self->memh, &rkey, &rkey_len), "No key");
    if (result != DOCA_SUCCESS)
        return result;
    result = rdmo_mr_reg(&self->host, self->memory, sizeof(*self->memory), rkey, rkey_len, memh,
                         memh_len, &self->invitation.rkey_id);
    ucp_rkey_buffer_release(rkey);
    if (memh != NULL)
        ucp_memh_buffer_release(memh, &release);
    return result;
}

static doca_error_t expect_result(doca_error_t expected, doca_error_t result, const char *what)
{
    if (result == expected)
        return DOCA_SUCCESS;
    DOCA_LOG_ERR("%s says %s, %s was expected", what, doca_error_get_name(result),
                 doca_error_get_name(expected));
    return DOCA_ERROR_UNEXPECTED;
}

/* Another channel to the same worker, where the id of the first one is taken. */
static doca_error_t try_second_channel(struct target *self)
{
    struct offload_worker_config wanted = {.inflight = INFLIGHT, .plugins = self->host.plugin};
    struct rdmo_host second = self->host;
    uint64_t none = 0;
    doca_error_t result = doca_urom_worker_get_id(self->host.worker, &wanted.id), tmp;
    int events;

    if (result == DOCA_SUCCESS)
        result = offload_worker(second.pe, self->service, &wanted, &second.worker);
    if (result != DOCA_SUCCESS)
        return result;
    result = offload_worker_run(second.pe, second.worker, &events);
    if (result == DOCA_SUCCESS)
        result = expect_result(
            DOCA_ERROR_IN_USE,
            rdmo_client_init(&second, RDMO_CLIENT_ID, self->addr, self->addr_len, &none, &none),
            "An introduction under another's id");
    tmp = offload_worker_end(second.pe, second.worker, &events);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t register_all(struct target *self)
{
    struct introduction introduction;
    uint64_t none = 0;
    doca_error_t result = expect_result(DOCA_ERROR_NOT_FOUND, rdmo_rq_destroy(&self->host, 1),
                                        "A command before the first");

    self->invitation.client_id = RDMO_CLIENT_ID;
    self->invitation.memory = (uintptr_t)self->memory;
    self->invitation.device_addr_len = RDMO_ADDR_MAX;
    if (result == DOCA_SUCCESS)
        result = rdmo_client_init(&self->host, RDMO_CLIENT_ID, self->addr, self->addr_len,
                                  self->invitation.device_addr, &self->invitation.device_addr_len);
    if (result == DOCA_SUCCESS)
        result = expect_result(
            DOCA_ERROR_ALREADY_EXIST,
            rdmo_client_init(&self->host, RDMO_CLIENT_ID, self->addr, self->addr_len, &none, &none),
            "A second introduction");
    if (result == DOCA_SUCCESS)
        result = try_second_channel(self);
    if (result == DOCA_SUCCESS)
        result = register_memory(self);
    if (result != DOCA_SUCCESS)
        return result;
    DOCA_LOG_INFO("Waiting for the initiator");
    self->fd = talk_accept(self->listener);
    if (self->fd < 0 ||
        !talk_recv(self->fd, &introduction, sizeof(introduction), progress, self->worker))
        return DOCA_ERROR_IO_FAILED;
    result = rdmo_rq_create(&self->host, introduction.addr, introduction.addr_len, &self->rq_id);
    if (result == DOCA_SUCCESS && !talk_send(self->fd, &self->invitation, sizeof(self->invitation)))
        result = DOCA_ERROR_IO_FAILED;
    return result;
}

static doca_error_t unregister_all(struct target *self)
{
    doca_error_t result = rdmo_mr_dereg(&self->host, self->invitation.rkey_id);

    if (result == DOCA_SUCCESS)
        result = expect_result(DOCA_ERROR_NOT_FOUND,
                               rdmo_mr_dereg(&self->host, self->invitation.rkey_id),
                               "A region that is gone");
    if (result == DOCA_SUCCESS)
        result = rdmo_rq_destroy(&self->host, self->rq_id);
    if (result == DOCA_SUCCESS)
        result = expect_result(DOCA_ERROR_NOT_FOUND, rdmo_rq_destroy(&self->host, self->rq_id),
                               "A queue that is gone");
    return result;
}

/* ---- What has happened to the memory ---- */

static bool has_appended(const struct target *self, size_t len)
{
    const struct target_memory *memory = self->memory;

    if (memory->pointer != (uintptr_t)memory->queue + len) {
        DOCA_LOG_ERR("The pointer has moved by %ld bytes, not by %zu",
                     (long)(memory->pointer - (uintptr_t)memory->queue), len);
        return false;
    }
    for (size_t i = 0; i < QUEUE_LEN; i++) {
        if (memory->queue[i] != (i < len ? APPEND_BYTE : 0)) {
            DOCA_LOG_ERR("Byte %zu of the queue is %#x", i, memory->queue[i]);
            return false;
        }
    }
    return true;
}

static bool has_scattered(const struct target *self)
{
    for (size_t i = 0; i < sizeof(self->memory->pieces); i++) {
        if (self->memory->pieces[i] != i / PIECE_LEN) {
            DOCA_LOG_ERR("Byte %zu of the pieces is %#x", i, self->memory->pieces[i]);
            return false;
        }
    }
    return true;
}

static bool is_as_told(const struct target *self, char what)
{
    switch (what) {
    case 'a':
        return has_appended(self, APPEND_LEN);
    case 's':
        return has_appended(self, APPEND_LEN) && has_scattered(self);
    case 'b':
        return has_appended(self, APPEND_LEN + BIG_LEN);
    case 'n':
        return has_appended(self, 2 * APPEND_LEN + BIG_LEN) && has_scattered(self);
    default:
        return false;
    }
}

static doca_error_t watch(struct target *self)
{
    static const char order[] = "asbn";
    char what = 0;

    for (const char *at = order; *at != '\0'; at++) {
        if (!talk_recv(self->fd, &what, 1, progress, self->worker))
            return DOCA_ERROR_IO_FAILED;
        if (what != *at || !is_as_told(self, what))
            return DOCA_ERROR_UNEXPECTED;
        DOCA_LOG_INFO("Part %c is fine", what);
        if (!talk_send(self->fd, &what, 1))
            return DOCA_ERROR_IO_FAILED;
    }
    return DOCA_SUCCESS;
}

/* ---- Life ---- */

static doca_error_t with_worker(struct target *self)
{
    doca_error_t result = register_all(self);

    if (result == DOCA_SUCCESS)
        result = watch(self);
    if (result == DOCA_SUCCESS)
        result = unregister_all(self);
    return result;
}

static doca_error_t with_service(struct target *self, struct doca_urom_service *service)
{
    struct offload_worker_config wanted = {.id = DOCA_UROM_WORKER_ID_ANY, .inflight = INFLIGHT};
    doca_error_t result = offload_find_plugin(service, RDMO_PLUGIN, RDMO_VERSION, &wanted.plugins);
    struct doca_urom_worker *worker;
    doca_error_t tmp;
    int events;

    if (result == DOCA_SUCCESS)
        result = offload_worker(self->host.pe, service, &wanted, &worker);
    if (result != DOCA_SUCCESS)
        return result;
    self->service = service;
    self->host.worker = worker;
    self->host.plugin = wanted.plugins;
    result = offload_worker_run(self->host.pe, worker, &events);
    if (result == DOCA_SUCCESS)
        result = expect_result(DOCA_ERROR_IN_USE, doca_ctx_stop(doca_urom_service_as_ctx(service)),
                               "A stop of the service before its worker");
    if (result == DOCA_SUCCESS)
        result = with_worker(self);
    tmp = offload_worker_end(self->host.pe, worker, &events);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t with_device(struct target *self, struct doca_dev *dev)
{
    struct doca_urom_service *service;
    doca_error_t result = doca_pe_create(&self->host.pe), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = offload_service(self->host.pe, dev, MAX_WORKERS, &service);
    if (result == DOCA_SUCCESS) {
        result = with_service(self, service);
        tmp = offload_service_end(service);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    tmp = doca_pe_destroy(self->host.pe);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t run(const struct config *config)
{
    struct target self = {.fd = -1, .listener = -1};
    struct doca_dev *dev;
    doca_error_t result = offload_open_device(config->device, &dev), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    result = open_ucx(&self);
    if (result == DOCA_SUCCESS) {
        self.host.meanwhile = progress;
        self.host.arg = self.worker;
        self.listener = talk_listen(config->port);
        result = self.listener >= 0 ? with_device(&self, dev) : DOCA_ERROR_IO_FAILED;
    }
    if (self.fd >= 0)
        close(self.fd);
    if (self.listener >= 0)
        close(self.listener);
    close_ucx(&self);
    tmp = kit_close_device(&dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t set_device(void *param, void *config)
{
    struct config *all = config;

    return kit_store(all->device, sizeof(all->device), (const char *)param);
}

static doca_error_t set_port(void *param, void *config)
{
    ((struct config *)config)->port = *(int *)param;
    return DOCA_SUCCESS;
}

static doca_error_t read_arguments(int argc, char **argv, struct config *config)
{
    struct doca_argp_param *port;
    doca_error_t result = doca_argp_init("urom_rdmo_target", config);

    if (result == DOCA_SUCCESS)
        result = kit_param("d", "device", "Name of the RDMA device", DOCA_ARGP_TYPE_STRING, false,
                           set_device);
    if (result == DOCA_SUCCESS)
        result = doca_argp_param_create(&port);
    if (result != DOCA_SUCCESS)
        return result;
    doca_argp_param_set_short_name(port, "p");
    doca_argp_param_set_long_name(port, "port");
    doca_argp_param_set_arguments(port, "<number>");
    doca_argp_param_set_description(port, "Where the initiator comes");
    doca_argp_param_set_type(port, DOCA_ARGP_TYPE_INT);
    doca_argp_param_set_callback(port, set_port);
    result = doca_argp_register_param(port);
    return result == DOCA_SUCCESS ? doca_argp_start(argc, argv) : result;
}

int main(int argc, char **argv)
{
    struct config config = {.port = RDMO_PORT};
    doca_error_t result = kit_log();

    if (result == DOCA_SUCCESS)
        result = read_arguments(argc, argv, &config);
    if (result == DOCA_SUCCESS)
        result = run(&config);
    (void)doca_argp_destroy();
    return kit_exit("urom_rdmo_target", result);
}
