/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment: all names begin with SIMT_. Bad values are told and ignored. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt.h"

static struct config the_config;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static long long number(const char *name, long long fallback, long long least, long long most)
{
    const char *text = getenv(name);

    if (!text || !*text)
        return fallback;
    char *end;
    long long value = strtoll(text, &end, 0);
    if (*end || value < least || value > most) {
        say("%s=%s ignored: a number from %lld to %lld is wanted", name, text, least, most);
        return fallback;
    }
    return value;
}

static void capability(struct config *c)
{
    const char *text = getenv("SIMT_CC");

    c->major = 9;
    if (!text || !*text)
        return;
    char *end;
    long major = strtol(text, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, &end, 10) : 0;
    if (*end || major < 5 || major > 20 || minor < 0 || minor > 9) {
        say("SIMT_CC=%s ignored: a compute capability such as 8.0 is wanted", text);
        return;
    }
    c->major = (int)major;
    c->minor = (int)minor;
}

static enum clock_kind clock_of(const char *name)
{
    if (!name || !*name || !strcmp(name, "realtime"))
        return CLOCK_REAL_TIME;
    if (!strcmp(name, "monotonic"))
        return CLOCK_MONOTONIC_TIME;
    if (!strcmp(name, "virtual"))
        return CLOCK_VIRTUAL;
    say("SIMT_CLOCK=%s ignored: realtime, monotonic or virtual is wanted", name);
    return CLOCK_REAL_TIME;
}

static void read_environment(void)
{
    struct config *c = &the_config;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    c->cpus = (int)number("SIMT_WORKERS", cpus < 1 ? 1 : cpus, 1, 1024);
    c->stack = (size_t)number("SIMT_STACK", san_address() ? 256 : 64, 16, 1 << 20) * 1024;
    c->quantum = (int)number("SIMT_QUANTUM", 2000, 1, 1 << 30);
    c->seed = (uint64_t)number("SIMT_SEED", 0, 0, INT64_MAX);
    c->resident = (int)number("SIMT_RESIDENT", 1024, 1, 4096);
    c->processors = (int)number("SIMT_PROCESSORS", cpus * 4 < 64 ? 64 : cpus * 4, 1, 4096);
    c->hang_seconds = (int)number("SIMT_HANG_SECONDS", 60, 0, 1 << 20);
    c->abort_on_fault = number("SIMT_ABORT", 0, 0, 1);
    c->memory = (size_t)number("SIMT_MEMORY_MIB", 16 << 10, 1, 1 << 30) << 20;
    c->clock = clock_of(getenv("SIMT_CLOCK"));
    c->serial = number("SIMT_SERIAL", 0, 0, 1);
    c->pci_ids = getenv("SIMT_PCI_IDS");
    c->pci_deny = getenv("SIMT_PCI_DENY");
    capability(c);
}

const struct config *config(void)
{
    pthread_once(&once, read_environment);
    return &the_config;
}
