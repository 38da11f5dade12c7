/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker puts text into a region, and gets it back; the region could as well be another
 * process's, who gives its descriptor away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_urom_rma.h>

#include "../../common/session.h"

#define LEN 4096

static doca_error_t put_and_get(struct session *s, char *own, char *other)
{
    struct doca_urom_ops_region *local, *exported, *remote;
    struct doca_urom_ops_region_info info;
    doca_error_t result;
    const void *desc;
    size_t len;

    result = session_region(s, own, LEN, DOCA_UROM_OPS_ACCESS_NONE, &local);
    if (result != DOCA_SUCCESS)
        return result;
    result = session_region(s, other, LEN, DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE,
                            &exported);
    if (result != DOCA_SUCCESS)
        return result;
    /* These bytes would travel to the peer. */
    result = doca_urom_ops_region_get_desc(exported, &desc, &len);
    if (result == DOCA_SUCCESS)
        result = session_attach(s, desc, len, &remote);
    if (result != DOCA_SUCCESS)
        return result;
    doca_urom_ops_region_get_info(remote, &info);

    result = doca_urom_rma_put(s->ops, local, (uintptr_t)own, remote, info.addr, LEN / 2, 0,
                               session_done, s);
    if (session_begun(s, result) != DOCA_SUCCESS)
        return result;
    result = doca_urom_rma_get(s->ops, local, (uintptr_t)own + LEN / 2, remote, info.addr, LEN / 2,
                               DOCA_UROM_OPS_FENCE, session_done, s);
    if (session_begun(s, result) != DOCA_SUCCESS)
        return result;
    result = session_wait(s);
    if (result == DOCA_SUCCESS)
        printf("put \"%s\", got \"%s\", memory was reached as \"%s\"\n", other, own + LEN / 2,
               info.engine);
    return result;
}

int main(int argc, char **argv)
{
    static const char *const plugins[] = {"worker_rma", NULL};
    char *own = calloc(1, LEN), *other = calloc(1, LEN);
    struct session s;
    doca_error_t result;

    if (own == NULL || other == NULL)
        return 1;
    snprintf(own, LEN / 2, "%s", argc > 1 ? argv[1] : "hello");
    result = session_open(&s, DOCA_UROM_WORKER_ID_ANY, plugins);
    if (result == DOCA_SUCCESS)
        result = put_and_get(&s, own, other);
    session_close(&s);
    free(own);
    free(other);
    return session_exit(result);
}
