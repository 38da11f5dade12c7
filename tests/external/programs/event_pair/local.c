/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the event, exports it, writes, waits for the answer.
 *
 *     event_local -d PCI_ADDRESS -x FILE [-r HOST_PCI_ADDRESS] [--async] [--async-num-tasks N]
 *                 [--atomic]
 */

#include <doca_log.h>

#include "pair.h"

DOCA_LOG_REGISTER(EVENT_PAIR::LOCAL);

static doca_error_t create(struct pair *pair)
{
    doca_error_t result = doca_sync_event_create(&pair->event);

    if (result == DOCA_SUCCESS)
        result = doca_sync_event_add_publisher_location_remote_pci(pair->event);
    if (result == DOCA_SUCCESS)
        result = doca_sync_event_add_subscriber_location_cpu(pair->event, pair->dev);
    return result == DOCA_SUCCESS ? pair_start(pair) : result;
}

static doca_error_t export(struct pair *pair)
{
    const uint8_t *data;
    size_t size;
    doca_error_t result =
        doca_sync_event_export_to_remote_pci(pair->event, pair->dev, &data, &size);

    if (result == DOCA_SUCCESS)
        result = kit_write_file(pair->options.exchange, data, size);
    return result;
}

static doca_error_t run(struct pair *pair)
{
    uint64_t wanted =
        pair->options.atomic ? PAIR_LOCAL_ADD + PAIR_REMOTE_ADD : (uint64_t)PAIR_REMOTE_SET;
    doca_error_t result = pair_open(pair, doca_sync_event_cap_is_export_to_remote_pci_supported);

    if (result == DOCA_SUCCESS)
        result = create(pair);
    if (result == DOCA_SUCCESS)
        result = export(pair);
    if (result == DOCA_SUCCESS)
        result = pair_write(pair, PAIR_LOCAL_SET, PAIR_LOCAL_ADD);
    if (result == DOCA_SUCCESS && pair->options.atomic && pair->fetched != 0)
        result = DOCA_ERROR_UNKNOWN;
    if (result == DOCA_SUCCESS)
        result = pair->options.async
                     ? pair_wait_task(pair, wanted)
                     : doca_sync_event_wait_eq_yield(pair->event, wanted, PAIR_FULL_MASK);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("The answer is there");
    return result;
}

int main(int argc, char **argv)
{
    struct pair pair;
    doca_error_t result = pair_parse(&pair, "event_local", argc, argv), tmp;

    if (result == DOCA_SUCCESS) {
        result = run(&pair);
        tmp = pair_close(&pair);
        DOCA_ERROR_PROPAGATE(result, tmp);
    }
    return kit_exit("event_local", result);
}
