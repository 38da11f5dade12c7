/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads each clock of the device together with each clock of the machine.
 *
 *     clock_pair [-p PCI_ADDRESS]
 */

#include <doca_argp.h>
#include <doca_clock.h>
#include <doca_log.h>

#include "../common/kit.h"

DOCA_LOG_REGISTER(CLOCK_PAIR);

struct options {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
};

struct kind {
    const char *name;
    uint64_t type;
    bool counts;
    doca_error_t (*cap)(const struct doca_devinfo *devinfo);
};

static const struct kind nic_kinds[] = {
    {"free running", DOCA_CLOCK_NIC_FREE_RUNNING, true,
     doca_clock_cap_nic_free_running_is_supported},
    {"real time", DOCA_CLOCK_NIC_REAL_TIME, false, doca_clock_cap_nic_real_time_is_supported},
    {"DPA timer", DOCA_CLOCK_NIC_DPA_TIMER, true, doca_clock_cap_nic_dpa_timer_is_supported},
};

static const struct kind host_kinds[] = {
    {"cycles", DOCA_CLOCK_HOST_COUNTER_CYCLES, true, NULL},
    {"real time", DOCA_CLOCK_HOST_REAL_TIME, false, NULL},
    {"monotonic", DOCA_CLOCK_HOST_MONOTONIC, false, NULL},
    {"monotonic raw", DOCA_CLOCK_HOST_MONOTONIC_RAW, false, NULL},
};

static doca_error_t set_pci_addr(void *value, void *config)
{
    struct options *options = config;

    return kit_store(options->pci_addr, sizeof(options->pci_addr), value);
}

static double reading(const struct kind *kind, const union doca_clock_timespec_t *clock)
{
    return kind->counts ? (double)clock->counter
                        : (double)clock->ts.tv_sec + (double)clock->ts.tv_nsec / 1e9;
}

static doca_error_t show(const struct doca_clock *clock, const struct kind *host,
                         const struct kind *nic)
{
    union doca_clock_timespec_t host_clock, nic_clock, later;
    uint64_t margin = 0;
    doca_error_t result = doca_clock_get_crosstimestamp(clock, host->type, nic->type, &host_clock,
                                                        &nic_clock, &margin);

    if (result == DOCA_SUCCESS)
        result = doca_clock_get_timestamp(clock, nic->type, &later);
    if (result != DOCA_SUCCESS) {
        DOCA_LOG_ERR("%s with %s: %s", host->name, nic->name, doca_error_get_descr(result));
        return result;
    }
    DOCA_LOG_INFO("Machine's %s %.9f, device's %s %.9f, within %llu ns", host->name,
                  reading(host, &host_clock), nic->name, reading(nic, &nic_clock),
                  (unsigned long long)margin);
    return reading(nic, &later) < reading(nic, &nic_clock) ? DOCA_ERROR_UNKNOWN : DOCA_SUCCESS;
}

static doca_error_t show_all(struct doca_dev *dev)
{
    const struct doca_devinfo *devinfo = doca_dev_as_devinfo(dev);
    struct doca_clock *clock;
    doca_error_t result = doca_clock_create(dev, &clock), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    for (size_t n = 0; n < sizeof(nic_kinds) / sizeof(nic_kinds[0]); n++) {
        if (nic_kinds[n].cap(devinfo) != DOCA_SUCCESS) {
            DOCA_LOG_INFO("The device has no clock of kind %s", nic_kinds[n].name);
            continue;
        }
        for (size_t h = 0; h < sizeof(host_kinds) / sizeof(host_kinds[0]); h++) {
            tmp = show(clock, &host_kinds[h], &nic_kinds[n]);
            DOCA_ERROR_PROPAGATE(result, tmp);
        }
    }
    tmp = doca_clock_destroy(clock);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

static doca_error_t has_clock(const struct doca_devinfo *devinfo)
{
    for (size_t n = 0; n < sizeof(nic_kinds) / sizeof(nic_kinds[0]); n++) {
        if (nic_kinds[n].cap(devinfo) == DOCA_SUCCESS)
            return DOCA_SUCCESS;
    }
    return DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t run(const struct options *options)
{
    struct doca_dev *dev = NULL;
    doca_error_t result = kit_open_by_address(options->pci_addr, NULL, &dev), tmp;

    if (result != DOCA_SUCCESS)
        return result;
    if (has_clock(doca_dev_as_devinfo(dev)) == DOCA_SUCCESS)
        result = show_all(dev);
    else
        DOCA_LOG_INFO("The device has no clock");
    tmp = doca_dev_close(dev);
    DOCA_ERROR_PROPAGATE(result, tmp);
    return result;
}

int main(int argc, char **argv)
{
    struct options options = {.pci_addr = KIT_PCI_ADDR};
    doca_error_t result = kit_log(), tmp;

    if (result == DOCA_SUCCESS)
        result = doca_argp_init("clock_pair", &options);
    if (result != DOCA_SUCCESS)
        return kit_exit("clock_pair", result);
    result = kit_param("p", "pci-addr", "PCI address of the device", DOCA_ARGP_TYPE_STRING, false,
                       set_pci_addr);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = run(&options);
    tmp = doca_argp_destroy();
    DOCA_ERROR_PROPAGATE(result, tmp);
    return kit_exit("clock_pair", result);
}
