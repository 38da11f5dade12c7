/* SPDX-License-Identifier: BSD-3-Clause */
/* Imports the event that the other program exported, waits for its word, answers.
 *
 *     event_remote -d PCI_ADDRESS -x FILE [-r HOST_PCI_ADDRESS] [--async] [--async-num-tasks N]
 *                  [--atomic]
 */

#include <sched.h>
#include <unistd.h>

#include <doca_log.h>

#include "pair.h"

DOCA_LOG_REGISTER(EVENT_PAIR::REMOTE);

#define MAX_EXPORT 1000 /* bytes; no export is longer */

/* The other program may not be so far yet. */
static doca_error_t await_file(const char *path)
{
    double end = kit_seconds() + 30;

    while (access(path, R_OK) != 0) {
        if (kit_seconds() > end) {
            DOCA_LOG_ERR("%s does not come", path);
            return DOCA_ERROR_TIME_OUT;
        }
        sched_yield();
    }
    return DOCA_SUCCESS;
}

static doca_error_t import(struct pair *pair)
{
    uint8_t data[MAX_EXPORT];
    size_t size = 0;
    doca_error_t result = await_file(pair->options.exchange);

    if (result == DOCA_SUCCESS)
        result = kit_read_file(pair->options.exchange, data, sizeof(data), &size);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_create_from_export(pair->dev, data, size, &pair->event);
    return result == DOCA_SUCCESS ? pair_start(pair) : result;
}

static doca_error_t run(struct pair *pair)
{
    uint64_t wanted = pair->options.atomic ? PAIR_LOCAL_ADD : PAIR_LOCAL_SET;
    doca_error_t result = pair_open(pair, doca_sync_event_cap_is_create_from_export_supported);

    if (result == DOCA_SUCCESS)
        result = import(pair);
    if (result == DOCA_SUCCESS)
        result = pair->options.async ? pair_wait_task(pair, wanted)
                                     : doca_sync_event_wait_eq(pair->event, wanted, PAIR_FULL_MASK);
    if (result == DOCA_SUCCESS)
        result = pair_write(pair, PAIR_REMOTE_SET, PAIR_REMOTE_ADD);
    if (result == DOCA_SUCCESS && pair->options.atomic && pair->fetched != PAIR_LOCAL_ADD)
        result = DOCA_ERROR_UNKNOWN;
    return result;
}

int main(int argc, char **argv)
{
    struct pair pair;
    doca_error_t result = pair_parse(&pair, "event_remote", argc, argv), tmp;

    if (result == DOCA_SUCCESS) {
        result = run(&pair);
        tmp = pair_close(&pair);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return kit_exit("event_remote", result);
}
