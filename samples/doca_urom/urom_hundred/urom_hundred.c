/* SPDX-License-Identifier: BSD-3-Clause */
/* A hundred puts and a hundred additions, as many at once as the worker allows. */
#include <stdio.h>
#include <sys/mman.h>

#include <doca_urom_amo.h>
#include <doca_urom_rma.h>

#include "../../common/session.h"

#define COUNT 100

struct words {
    uint64_t put;
    uint64_t sum;
};

static void amo_done(struct doca_urom_ops *ops, doca_error_t status, uint64_t before, void *session)
{
    (void)before;
    session_done(ops, status, session);
}

static doca_error_t begin(struct session *s, struct doca_urom_ops_region *region,
                          struct words *words, uint64_t i)
{
    const struct doca_urom_amo add = {.op = DOCA_UROM_AMO_FETCH_ADD,
                                      .size = 8,
                                      .region = region,
                                      .addr = (uintptr_t)&words->sum,
                                      .value = 1};

    if (i % 2 == 0)
        return doca_urom_rma_put_inline(s->ops, &i, sizeof(i), region, (uintptr_t)&words->put, 0,
                                        session_done, s);
    return doca_urom_amo_post(s->ops, &add, amo_done, s);
}

static doca_error_t run(struct session *s, struct words *words)
{
    struct doca_urom_ops_region *region;
    doca_error_t result =
        session_region(s, words, sizeof(*words), DOCA_UROM_OPS_ACCESS_NONE, &region);

    for (uint64_t i = 0; i < 2 * COUNT && result == DOCA_SUCCESS; i++) {
        /* As many as allowed are in flight: make room. */
        while ((result = begin(s, region, words, i)) == DOCA_ERROR_AGAIN)
            doca_pe_progress(s->pe);
        session_begun(s, result);
    }
    return result == DOCA_SUCCESS ? session_wait(s) : result;
}

int main(void)
{
    static const char *const plugins[] = {"worker_rma", "worker_amo", NULL};
    struct words *words = session_memory(sizeof(*words));
    struct session s;
    doca_error_t result;

    if (words == NULL)
        return 1;
    result = session_open(&s, DOCA_UROM_WORKER_ID_ANY, plugins);
    if (result == DOCA_SUCCESS)
        result = run(&s, words);
    session_close(&s);
    if (result == DOCA_SUCCESS)
        printf("%d puts, the last of %llu; %llu additions\n", COUNT, (unsigned long long)words->put,
               (unsigned long long)words->sum);
    munmap(words, sizeof(*words));
    return session_exit(result);
}
