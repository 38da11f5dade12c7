/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/urom_priv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "urom/wire/names.h"
#include "urom/wire/service_file.h"
#include "util/cleanup.h"

#define FILE_MAX (1 << 20)
#define HOSTS    64
#define PCIS     64

_Static_assert(SOFT_PLACE_SIZE <= UROM_WIRE_ADDR_SIZE - 15,
               "what a devices file names is an address");

/* ------------------------------------------------------------------------------------------------
 * Names of this machine
 */

struct hosts {
    char text[HOSTS][256];
    const char *list[HOSTS];
    size_t count;
};

static void add_host(struct hosts *hosts, const char *name)
{
    if (name == NULL || name[0] == '\0' || hosts->count == HOSTS)
        return;
    snprintf(hosts->text[hosts->count], sizeof(hosts->text[0]), "%s", name);
    hosts->list[hosts->count] = hosts->text[hosts->count];
    hosts->count++;
}

static void add_addresses(struct hosts *hosts)
{
    char text[INET6_ADDRSTRLEN];
    struct ifaddrs *all;

    if (getifaddrs(&all) != 0)
        return;
    for (struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        const struct sockaddr *sa = one->ifa_addr;

        if (sa == NULL || (sa->sa_family != AF_INET && sa->sa_family != AF_INET6))
            continue;
        if (inet_ntop(sa->sa_family,
                      sa->sa_family == AF_INET
                          ? (const void *)&((const struct sockaddr_in *)sa)->sin_addr
                          : (const void *)&((const struct sockaddr_in6 *)sa)->sin6_addr,
                      text, sizeof(text)) != NULL)
            add_host(hosts, text);
    }
    freeifaddrs(all);
}

static void add_full_name(struct hosts *hosts, const char *name)
{
    const struct addrinfo hints = {.ai_flags = AI_CANONNAME, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;

    if (getaddrinfo(name, NULL, &hints, &found) != 0)
        return;
    add_host(hosts, found->ai_canonname);
    freeaddrinfo(found);
}

static void collect_hosts(struct hosts *hosts)
{
    char name[256] = "";
    char *dot;

    hosts->count = 0;
    if (gethostname(name, sizeof(name) - 1) == 0) {
        add_host(hosts, name);
        add_full_name(hosts, name);
        dot = strchr(name, '.');
        if (dot != NULL)
            *dot = '\0';
        add_host(hosts, name);
    }
    add_host(hosts, "localhost");
    add_addresses(hosts);
}

static bool is_listed(const struct hosts *hosts, const char *name)
{
    for (size_t i = 0; i < hosts->count; i++) {
        if (strcasecmp(hosts->list[i], name) == 0)
            return true;
    }
    return false;
}

/* A name that is not listed may still lead to an address of this machine. */
static bool is_this_machine(const struct hosts *hosts, const char *name)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    char text[NI_MAXHOST];
    struct addrinfo *found;
    bool here = is_listed(hosts, name);

    if (here || getaddrinfo(name, NULL, &hints, &found) != 0)
        return here;
    for (struct addrinfo *one = found; one != NULL && !here; one = one->ai_next) {
        here = getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof(text), NULL, 0,
                           NI_NUMERICHOST) == 0 &&
               is_listed(hosts, text);
    }
    freeaddrinfo(found);
    return here;
}

/* ------------------------------------------------------------------------------------------------
 * Devices of the card
 */

static size_t collect_pcis(const struct soft_device *device, struct od_pci_addr pcis[PCIS])
{
    const struct soft_topology *topology;
    size_t count = 0;

    /* The device itself first: it is right also when the card has more functions than fit. */
    pcis[count++] = device->pci;
    if (soft_device_topology(&topology) != 0)
        return count;
    for (uint32_t i = 0; i < topology->ndevices && count < PCIS; i++) {
        if (strcmp(topology->devices[i].card, device->card) == 0)
            pcis[count++] = topology->devices[i].pci;
    }
    return count;
}

/* ------------------------------------------------------------------------------------------------
 * The mapping file
 */

static char *read_file(const char *path, size_t *len)
{
    OD_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    OD_AUTO_FREE char *text = malloc(FILE_MAX);
    struct stat st;
    ssize_t n;

    if (fd < 0 || text == NULL || fstat(fd, &st) != 0)
        return NULL;
    if (!S_ISREG(st.st_mode)) {
        errno = EINVAL;
        return NULL;
    }
    for (*len = 0; *len < FILE_MAX; *len += (size_t)n) {
        n = read(fd, text + *len, FILE_MAX - *len);
        if (n < 0)
            return NULL;
        if (n == 0)
            return od_move_ptr(&text);
    }
    errno = EFBIG;
    return NULL;
}

static doca_error_t look_up(const struct doca_ctx *ctx, const char *path, const struct hosts *hosts,
                            struct urom_file_entry *entry)
{
    struct od_pci_addr pcis[PCIS];
    const struct urom_file_query query = {
        .hosts = hosts->list,
        .nhosts = hosts->count,
        .pcis = pcis,
        .npcis = collect_pcis(ctx->dev->info.soft, pcis),
    };
    size_t len;
    OD_AUTO_FREE char *text = read_file(path, &len);
    const char *why;
    int err;

    if (text == NULL)
        return CORE_FAIL(DOCA_ERROR_BAD_CONFIG, CORE_LOG_UROM, "doca_ctx_start", ctx->name,
                         "DOCA_UROM_SERVICE_FILE",
                         "%s, which cannot be read: %s" CORE_REMEDY "name a readable file", path,
                         strerror(errno));
    err = urom_service_file_find(text, len, &query, entry, &why);
    if (err == -EINVAL)
        return CORE_FAIL(DOCA_ERROR_BAD_CONFIG, CORE_LOG_UROM, "doca_ctx_start", ctx->name,
                         "DOCA_UROM_SERVICE_FILE",
                         "%s, whose line %u %s" CORE_LIMIT
                         "app_hostname dpu dev_hostname dev_pci_addr net,devs" CORE_REMEDY
                         "correct the line",
                         path, entry->line, why);
    if (err != 0)
        return CORE_FAIL(DOCA_ERROR_NOT_FOUND, CORE_LOG_UROM, "doca_ctx_start", ctx->name,
                         "DOCA_UROM_SERVICE_FILE",
                         "%s, which has no line for host %s and device %s" CORE_REMEDY
                         "add one of the form: app_hostname dpu dev_hostname dev_pci_addr net,devs",
                         path, hosts->list[0], ctx->dev->info.name);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * This machine, as others see it
 */

/* Nothing is sent: the kernel tells the address that it would send from. */
static bool own_name(const struct addrinfo *there, char *own, size_t size)
{
    OD_AUTO_FD int fd = socket(there->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_storage here;
    socklen_t len = sizeof(here);

    return fd >= 0 && connect(fd, there->ai_addr, there->ai_addrlen) == 0 &&
           getsockname(fd, (struct sockaddr *)&here, &len) == 0 &&
           getnameinfo((struct sockaddr *)&here, len, own, (socklen_t)size, NULL, 0,
                       NI_NUMERICHOST) == 0;
}

void urom_own_address(const char *daemon, char own[UROM_WIRE_NAME_SIZE])
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    const char *host = strchr(daemon, ':'), *port = strrchr(daemon, ':');
    char name[UROM_WIRE_ADDR_SIZE], found[UROM_WIRE_NAME_SIZE - 8];
    struct addrinfo *all;
    size_t len;

    memset(own, 0, UROM_WIRE_NAME_SIZE);
    if (host == NULL || host == port)
        return;
    host += host[1] == '[' ? 2 : 1;
    len = (size_t)(port - host) - (port[-1] == ']');
    snprintf(name, sizeof(name), "%.*s", (int)len, host);
    if (getaddrinfo(name, port + 1, &hints, &all) != 0)
        return;
    if (own_name(all, found, sizeof(found)))
        snprintf(own, UROM_WIRE_NAME_SIZE, strchr(found, ':') != NULL ? "[%s]:0" : "%s:0", found);
    freeaddrinfo(all);
}

/* ------------------------------------------------------------------------------------------------
 * The daemon of this machine
 */

static void default_addrs(const struct doca_ctx *ctx, const struct urom_environment *env,
                          struct urom_target *target)
{
    const char *card = ctx->dev->info.soft->card;

    target->naddrs = 0;
    if (!env->has_runtime_dir)
        urom_name_system(card, target->addrs[target->naddrs++]);
    urom_name_user(card, target->addrs[target->naddrs++]);
}

static doca_error_t use_name(const struct doca_ctx *ctx, const char *source, const char *name,
                             struct urom_target *target)
{
    target->naddrs = 1;
    if (urom_name_parse(name, target->addrs[0]) == 0)
        return DOCA_SUCCESS;
    return CORE_FAIL(DOCA_ERROR_BAD_CONFIG, CORE_LOG_UROM, "doca_ctx_start", ctx->name, source,
                     "\"%s\"" CORE_LIMIT "a path, unix:PATH, HOST, HOST:PORT or tcp:HOST:PORT",
                     name);
}

/* A file may be the same on all machines: where it names this one, its daemon is meant. "unix:" and
 * "tcp:" are no host names. */
static doca_error_t use_host(const struct doca_ctx *ctx, const struct urom_environment *env,
                             const struct hosts *hosts, const char *source, const char *name,
                             struct urom_target *target)
{
    if (strpbrk(name, ":/") != NULL || !is_this_machine(hosts, name))
        return use_name(ctx, source, name, target);
    default_addrs(ctx, env, target);
    return DOCA_SUCCESS;
}

doca_error_t urom_resolve(const struct doca_ctx *ctx, const struct urom_environment *env,
                          struct urom_target *target)
{
    const char *of_device = ctx->dev->info.soft->urom_service;
    struct urom_file_entry entry;
    struct hosts hosts;
    doca_error_t result;

    memset(target, 0, sizeof(*target));
    if (env->socket != NULL)
        return use_name(ctx, "DOCA_UROM_SOCKET", env->socket, target);
    if (env->service_file == NULL && of_device[0] == '\0') {
        default_addrs(ctx, env, target);
        return DOCA_SUCCESS;
    }
    collect_hosts(&hosts);
    if (env->service_file == NULL)
        return use_host(ctx, env, &hosts, "urom_service", of_device, target);
    result = look_up(ctx, env->service_file, &hosts, &entry);
    if (result != DOCA_SUCCESS)
        return result;
    memcpy(target->net_devices, entry.net_devices, sizeof(target->net_devices));
    return use_host(ctx, env, &hosts, "dev_hostname", entry.host, target);
}
