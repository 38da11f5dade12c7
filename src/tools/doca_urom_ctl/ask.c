/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doca_urom_ctl/doca_urom_ctl.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "soft/device/device.h"
#include "soft/link/link.h"
#include "urom/wire/frames.h"
#include "urom/wire/hello.h"
#include "urom/wire/names.h"
#include "util/parse.h"

#define TIMEOUT_MS     5000
#define TIMEOUT_MAX_MS (24u * 3600 * 1000)
#define DEPTH          8

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* As long as clients wait for a service. */
static uint64_t patience_ms(void)
{
    const char *value = getenv("DOCA_UROM_CONNECT_TIMEOUT_MS");
    uint64_t ms;

    return value != NULL && od_parse_u64(value, &ms) == 0 && ms <= TIMEOUT_MAX_MS ? ms : TIMEOUT_MS;
}

/* False when the time is up and there is nothing. */
static bool wait_for(struct soft_link *link, struct od_waker *waker, uint64_t deadline)
{
    struct pollfd fd = {.fd = waker->fd, .events = POLLIN};
    const uint64_t now = now_ms();

    if (now >= deadline) /* this process may have stood still past it */
        return soft_link_pending(link);
    od_waker_arm(waker);
    if (!soft_link_pending(link))
        poll(&fd, 1, (int)(deadline - now));
    od_waker_clear(waker);
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Where it is
 */

static bool is_named(const struct soft_device *device, const char *name)
{
    struct od_pci_addr pci;

    if (name == NULL || strcmp(device->ibdev, name) == 0)
        return true;
    return od_parse_pci_addr(name, &pci) == 0 && od_pci_addr_equal(&pci, &device->pci);
}

/* The card of a device, of either side; without name that of the first one. */
static const char *card_of(const char *device)
{
    const struct soft_topology *topology;

    if (soft_device_topology(&topology) != 0) {
        fprintf(stderr, CTL_PROGRAM ": %s\n", soft_reason());
        return NULL;
    }
    for (uint32_t i = 0; i < topology->ndevices; i++) {
        if (is_named(&topology->devices[i], device))
            return topology->devices[i].card;
    }
    fprintf(stderr, CTL_PROGRAM ": no device %s in %s\n", device != NULL ? device : "",
            topology->source);
    return NULL;
}

/* Returns the number of places, 0 after a message. */
static unsigned int places(const char *socket, const char *device,
                           char addrs[2][UROM_WIRE_ADDR_SIZE])
{
    const char *card;
    unsigned int count = 0;

    if (socket == NULL && device == NULL)
        socket = getenv("DOCA_UROM_SOCKET");
    if (socket != NULL && socket[0] != '\0') {
        if (urom_name_parse(socket, addrs[0]) == 0)
            return 1;
        fprintf(stderr, CTL_PROGRAM ": '%s' is no address of a daemon\n", socket);
        return 0;
    }
    card = card_of(device);
    if (card == NULL)
        return 0;
    if (getenv("OPENDOCA_RUNTIME_DIR") == NULL)
        urom_name_system(card, addrs[count++]);
    urom_name_user(card, addrs[count++]);
    return count;
}

/* ------------------------------------------------------------------------------------------------
 * Asking
 */

/* The file of a socket that was named by its path and is not there; NULL: it is there. */
static const char *missing_file(const char *addr)
{
    const char *path = strncmp(addr, "local:/", 7) == 0 ? addr + strlen("local:") : NULL;

    return path != NULL && access(path, F_OK) != 0 ? path : NULL;
}

static void explain(const char *addr, struct soft_link *link, int reason)
{
    struct urom_answer answer;
    size_t len;
    const void *bytes = soft_link_answer(link, &len);
    int err = urom_answer_decode(bytes, len, &answer);

    if (reason == -EACCES && err == 0)
        fprintf(stderr, CTL_PROGRAM ": the daemon at %s refuses: %s\n", addr, answer.text);
    else if (reason == -EACCES && err == -EPROTO)
        fprintf(stderr, CTL_PROGRAM ": the daemon at %s speaks protocol %u.%u, this is %d.%d\n",
                addr, answer.major, answer.minor, UROM_WIRE_MAJOR, UROM_WIRE_MINOR);
    else if (reason == -ECONNREFUSED && missing_file(addr) != NULL)
        fprintf(stderr, CTL_PROGRAM ": nobody listens at %s: %s\n", missing_file(addr),
                strerror(errno));
    else if (reason == -ECONNREFUSED)
        fprintf(stderr, CTL_PROGRAM ": nobody listens at %s; opendoca up starts a service\n", addr);
    else if (reason == -ETIMEDOUT)
        fprintf(stderr, CTL_PROGRAM ": the daemon at %s does not answer\n", addr);
    else
        fprintf(stderr, CTL_PROGRAM ": the daemon at %s: %s\n", addr, strerror(-reason));
}

/* NULL when there is none; after a message if `last`. `nobody` becomes false when somebody does. */
static struct soft_link *connect_to(const char *addr, struct od_waker *waker, uint64_t deadline,
                                    bool last, bool *nobody)
{
    const uint64_t now = now_ms();
    const struct soft_link_conf conf = {
        .max_msg = UROM_WIRE_FRAME_MAX,
        .depth = DEPTH,
        .waker = waker,
        .answer_timeout = now < deadline ? (uint32_t)OD_MIN(deadline - now, UINT32_MAX) : 1};
    enum soft_link_state state;
    struct urom_hello hello;
    struct soft_link *link;
    int reason = -ETIMEDOUT;

    urom_hello_init(&hello, UROM_KIND_CONTROL);
    hello.pid = (uint32_t)getpid();
    if (soft_link_connect(addr, &conf, &hello, sizeof(hello), &link) != 0) {
        *nobody = false;
        if (last)
            fprintf(stderr, CTL_PROGRAM ": %s\n", soft_reason());
        return NULL;
    }
    while ((state = soft_link_poll(link, &reason)) == SOFT_LINK_CONNECTING) {
        if (!wait_for(link, waker, deadline))
            break;
    }
    if (state == SOFT_LINK_UP)
        return link;
    if (reason != -ECONNREFUSED)
        *nobody = false;
    if (reason != -ECONNREFUSED || (last && *nobody))
        explain(addr, link, reason);
    soft_link_close(link);
    return NULL;
}

static bool request(struct soft_link *link)
{
    const struct urom_frame frame = {.type = UROM_TYPE_STATUS_REQ, .correlation = 1};
    const struct iovec iov = {(void *)&frame, sizeof(frame)};

    return soft_link_send(link, &iov, 1) == 0;
}

/* The next whole message; false when there will be none. */
static bool receive(struct soft_link *link, struct od_waker *waker, uint64_t deadline,
                    struct urom_join *join)
{
    struct soft_link_msg msg;

    for (;;) {
        int err = soft_link_recv(link, &msg);

        if (err == -EAGAIN) {
            if (!wait_for(link, waker, deadline))
                return false;
            continue;
        }
        if (err != 0)
            return false;
        err = urom_join_frame(join, msg.data, msg.len);
        soft_link_release(link);
        if (err != 0)
            return err == 1 && join->type == UROM_TYPE_STATUS;
    }
}

static json_t *ask_at(struct soft_link *link, struct od_waker *waker, uint64_t deadline)
{
    struct urom_join join = {.limit = UROM_WIRE_STATUS_MAX};
    json_t *status = NULL;

    if (request(link) && receive(link, waker, deadline, &join))
        status = json_loadb((const char *)join.body, join.len, 0, NULL);
    if (status == NULL)
        fprintf(stderr, CTL_PROGRAM ": the daemon gives no answer that can be read\n");
    urom_join_free(&join);
    return status;
}

json_t *ctl_ask(const char *socket, const char *device, bool *nobody)
{
    const uint64_t deadline = now_ms() + patience_ms();
    char addrs[2][UROM_WIRE_ADDR_SIZE];
    const unsigned int count = places(socket, device, addrs);
    struct soft_link *link = NULL;
    struct od_waker waker;
    json_t *status = NULL;

    *nobody = false;
    if (count == 0)
        return NULL;
    if (od_waker_open(&waker) != 0) {
        fprintf(stderr, CTL_PROGRAM ": no eventfd\n");
        return NULL;
    }
    *nobody = true;
    for (unsigned int i = 0; i < count && link == NULL; i++)
        link = connect_to(addrs[i], &waker, deadline, i + 1 == count, nobody);
    if (link != NULL)
        status = ask_at(link, &waker, deadline);
    soft_link_close(link);
    od_waker_close(&waker);
    return status;
}
