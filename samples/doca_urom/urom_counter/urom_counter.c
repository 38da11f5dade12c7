/* SPDX-License-Identifier: BSD-3-Clause */
/* Several processes count with one word, which belongs to the first one. That one sleeps meanwhile:
 * workers do the additions. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_urom_amo.h>

#include "../../common/session.h"

#define CHILDREN 3
#define ADDS     1000

static const char *const plugins[] = {"worker_amo", NULL};

static void amo_done(struct doca_urom_ops *ops, doca_error_t status, uint64_t before, void *session)
{
    (void)before;
    session_done(ops, status, session);
}

static doca_error_t add(struct session *s, const struct session_offer *offer)
{
    struct doca_urom_amo amo = {
        .op = DOCA_UROM_AMO_ADD, .size = 8, .addr = offer->addr, .value = 1};
    struct doca_urom_ops_region *region = NULL;
    doca_error_t result = session_accept(s, offer, &region);

    amo.region = region;
    for (int i = 0; i < ADDS && result == DOCA_SUCCESS; i++) {
        while ((result = doca_urom_amo_post(s->ops, &amo, amo_done, s)) == DOCA_ERROR_AGAIN)
            doca_pe_progress(s->pe);
        session_begun(s, result);
    }
    return result == DOCA_SUCCESS ? session_wait(s) : result;
}

static int child(int from)
{
    doca_error_t result = DOCA_ERROR_IO_FAILED;
    struct session s = {0};
    struct session_offer offer;

    if (read(from, &offer, sizeof(offer)) == sizeof(offer)) {
        result = session_open(&s, DOCA_UROM_WORKER_ID_ANY, plugins);
        if (result == DOCA_SUCCESS)
            result = add(&s, &offer);
        session_close(&s);
    }
    return session_exit(result);
}

int main(void)
{
    uint64_t *word = session_memory(sizeof(*word));
    struct doca_urom_ops_region *region;
    struct session_offer offer = {0};
    doca_error_t result;
    struct session s;
    int ends[2], status, failed = 0;

    if (word == NULL || pipe(ends) != 0)
        return 1;
    /* Before the library is used: a process that has forked may use it in one of the two only. */
    for (int i = 0; i < CHILDREN; i++) {
        if (fork() == 0) {
            close(ends[1]);
            munmap(word, sizeof(*word));
            return child(ends[0]);
        }
    }
    result = session_open(&s, DOCA_UROM_WORKER_ID_ANY, plugins);
    if (result == DOCA_SUCCESS)
        result =
            session_offer(&s, word, sizeof(*word), DOCA_UROM_OPS_ACCESS_ATOMIC, &region, &offer);
    for (int i = 0; i < CHILDREN && result == DOCA_SUCCESS; i++) {
        if (write(ends[1], &offer, sizeof(offer)) != sizeof(offer))
            result = DOCA_ERROR_IO_FAILED;
    }
    close(ends[1]);
    close(ends[0]);
    while (wait(&status) > 0)
        failed |= status;
    if (result == DOCA_SUCCESS)
        printf("%d processes counted to %llu\n", CHILDREN, (unsigned long long)*word);
    session_close(&s);
    munmap(word, sizeof(*word));
    return session_exit(result) | (failed != 0);
}
