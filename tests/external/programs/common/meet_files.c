/* SPDX-License-Identifier: BSD-3-Clause */
#include "meet.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "kit.h"

DOCA_LOG_REGISTER(MEET);

#define PATIENCE 30.0 /* seconds */

struct request {
    struct meet *meet;
    int round;
    char *to;
    size_t len;
};

static doca_error_t set_rank(void *param, void *config)
{
    ((struct meet *)config)->rank = *(int *)param;
    return DOCA_SUCCESS;
}

static doca_error_t set_size(void *param, void *config)
{
    ((struct meet *)config)->size = *(int *)param;
    return DOCA_SUCCESS;
}

static doca_error_t set_folder(void *param, void *config)
{
    struct meet *meet = config;

    return kit_store(meet->folder, sizeof(meet->folder), (const char *)param);
}

doca_error_t meet_params(void)
{
    doca_error_t result =
        kit_param(NULL, "rank", "Number of this process", DOCA_ARGP_TYPE_INT, true, set_rank);

    if (result == DOCA_SUCCESS)
        result = kit_param(NULL, "size", "Number of processes", DOCA_ARGP_TYPE_INT, true, set_size);
    if (result == DOCA_SUCCESS)
        result = kit_param(NULL, "meet", "Folder where they meet", DOCA_ARGP_TYPE_STRING, true,
                           set_folder);
    return result;
}

doca_error_t meet_begin(int *argc, char ***argv, struct meet *meet)
{
    (void)argc;
    (void)argv;
    meet->round = 0;
    return DOCA_SUCCESS;
}

doca_error_t meet_ready(struct meet *meet)
{
    return meet->size > 0 && meet->rank >= 0 && meet->rank < meet->size ? DOCA_SUCCESS
                                                                        : DOCA_ERROR_INVALID_VALUE;
}

void meet_end(struct meet *meet)
{
    (void)meet;
}

static bool name_of(const struct meet *meet, int round, int rank, char *path, size_t size)
{
    return snprintf(path, size, "%s/%d-of-%d", meet->folder, round, rank) < (int)size;
}

static doca_error_t allgather(void *from, void *to, size_t len, void *info, void **req)
{
    struct meet *meet = info;
    struct request *request = malloc(sizeof(*request));
    char path[600];
    doca_error_t result;

    if (request == NULL)
        return DOCA_ERROR_NO_MEMORY;
    *request = (struct request){.meet = meet, .round = meet->round++, .to = to, .len = len};
    if (!name_of(meet, request->round, meet->rank, path, sizeof(path)))
        result = DOCA_ERROR_INVALID_VALUE;
    else
        result = kit_write_file(path, from, len);
    if (result != DOCA_SUCCESS) {
        free(request);
        return result;
    }
    *req = request;
    return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t req_test(void *req)
{
    struct request *request = req;
    char path[600];
    struct stat st;
    size_t got = 0;

    for (int i = 0; i < request->meet->size; i++) {
        if (!name_of(request->meet, request->round, i, path, sizeof(path)) || stat(path, &st) != 0)
            return DOCA_ERROR_IN_PROGRESS;
    }
    for (int i = 0; i < request->meet->size; i++) {
        doca_error_t result = DOCA_ERROR_INVALID_VALUE;

        if (name_of(request->meet, request->round, i, path, sizeof(path)))
            result =
                kit_read_file(path, request->to + (size_t)i * request->len, request->len, &got);
        if (result != DOCA_SUCCESS || got != request->len)
            return DOCA_ERROR_IO_FAILED;
    }
    return DOCA_SUCCESS;
}

static doca_error_t req_free(void *req)
{
    free(req);
    return DOCA_SUCCESS;
}

void meet_oob(struct meet *meet, struct doca_urom_domain_oob_coll *oob)
{
    oob->allgather = allgather;
    oob->req_test = req_test;
    oob->req_free = req_free;
    oob->coll_info = meet;
    oob->n_oob_indexes = (uint32_t)meet->size;
    oob->oob_index = (uint32_t)meet->rank;
}

doca_error_t meet_barrier(struct meet *meet)
{
    const double end = kit_seconds() + PATIENCE;
    char here = 1, *all = malloc((size_t)meet->size);
    doca_error_t result;
    void *req;

    if (all == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = allgather(&here, all, 1, meet, &req);
    if (result == DOCA_ERROR_IN_PROGRESS) {
        while ((result = req_test(req)) == DOCA_ERROR_IN_PROGRESS && kit_seconds() < end)
            poll(NULL, 0, 1);
        (void)req_free(req);
    }
    free(all);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("The others do not come: %s", doca_error_get_descr(result));
    return result;
}
