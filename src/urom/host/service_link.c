/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/urom_priv.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "urom/wire/names.h"

/* A look now and then costs nothing, and no wake-up that went astray can hang the caller. */
#define NAP_MS 50

/* A daemon that is being replaced, or whose queue is full, is back soon; one that was never started
 * is not waited for any longer. */
#define GRACE_MS 200
#define PAUSE_MS 10

#define START "doca_ctx_start"

/* ------------------------------------------------------------------------------------------------
 * Waiting, which only the start of a service does
 */

/* Sleeps until the link may have something, or the deadline. False when that has passed and there
 * is nothing. */
static bool wait_for(const struct doca_urom_service *service, struct soft_link *link,
                     uint64_t deadline)
{
    struct od_waker *waker = core_ctx_waker((struct doca_ctx *)&service->ctx);
    struct pollfd fd = {.fd = waker->fd, .events = POLLIN};
    const uint64_t now = urom_now_ms();

    if (now >= deadline) /* this process may have stood still past it */
        return soft_link_pending(link);
    od_waker_arm(waker);
    if (!soft_link_pending(link))
        poll(&fd, 1, (int)OD_MIN(deadline - now, (uint64_t)NAP_MS));
    od_waker_clear(waker);
    return true;
}

/* Whether the program has asked to be woken, or is about to find that it was. */
static bool is_waker_in_use(const struct od_waker *waker)
{
    struct pollfd fd = {.fd = waker->fd, .events = POLLIN};

    return od_waker_is_armed(waker) || poll(&fd, 1, 0) > 0;
}

/* Waiting consumed what would have woken the program. */
static void give_back_waker(struct od_waker *waker)
{
    od_waker_arm(waker);
    od_waker_fire(waker);
}

/* ------------------------------------------------------------------------------------------------
 * Greeting
 */

static doca_error_t make_hello(const struct doca_urom_service *service, const char *addr,
                               struct urom_hello *hello)
{
    int err = 0;

    urom_hello_init(hello, UROM_KIND_SERVICE);
    hello->msg_size = service->max_msg;
    hello->pid = (uint32_t)getpid();
    urom_text_set(hello->card, sizeof(hello->card), service->ctx.dev->info.soft->card);
    if (!urom_name_is_local(addr))
        err = urom_environment_secret(hello->secret, &hello->secret_len);
    if (err != 0)
        return CORE_FAIL(DOCA_ERROR_BAD_CONFIG, CORE_LOG_UROM, START, service->ctx.name,
                         "DOCA_UROM_TOKEN_FILE", "%s", soft_reason());
    return DOCA_SUCCESS;
}

/* The link could not even be begun. */
static doca_error_t refuse_begin(const struct doca_urom_service *service, const char *addr, int err)
{
    doca_error_t code = DOCA_ERROR_NOT_PERMITTED;

    if (err == -ENOMEM)
        code = DOCA_ERROR_NO_MEMORY;
    else if (err == -EMFILE || err == -ENFILE)
        code = DOCA_ERROR_OPERATING_SYSTEM;
    else if (err == -EINVAL)
        code = DOCA_ERROR_BAD_CONFIG;
    return CORE_FAIL(code, CORE_LOG_UROM, START, service->ctx.name, "service", "at %s: %s", addr,
                     soft_reason());
}

static doca_error_t refuse_silence(const struct doca_urom_service *service, const char *addr,
                                   const char *what)
{
    return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_UROM, START, service->ctx.name, "service",
                     "at %s: %s" CORE_REMEDY
                     "start doca_urom_daemon for this card (opendoca up), or say where it is in "
                     "DOCA_UROM_SOCKET, DOCA_UROM_SERVICE_FILE or the devices file's urom_service",
                     addr, what);
}

/* The daemon said no, or speaks another version. */
static doca_error_t refuse_answer(const struct doca_urom_service *service, const char *addr,
                                  struct soft_link *link)
{
    struct urom_answer answer;
    size_t len;
    const void *bytes = soft_link_answer(link, &len);
    int err = urom_answer_decode(bytes, len, &answer);

    if (err == -EPROTO || (err == 0 && answer.reason == UROM_REASON_VERSION))
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_UROM, START, service->ctx.name,
                         "protocol",
                         "%u.%u of this library does not pair with %u.%u of the service at "
                         "%s" CORE_REMEDY "use both from one release",
                         UROM_WIRE_MAJOR, UROM_WIRE_MINOR, answer.major, answer.minor, addr);
    if (err != 0)
        return refuse_silence(service, addr, "what answers there is no service");
    if (answer.reason == UROM_REASON_MSG_SIZE)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_UROM, START, service->ctx.name,
                         "message size",
                         "%u" CORE_LIMIT "%u of the service" CORE_REMEDY
                         "ask for less, or give the daemon a larger --max-msg-size",
                         service->max_msg, answer.max_msg);
    return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_UROM, START, service->ctx.name, "service",
                     "at %s refuses (%s): %s", addr,
                     urom_reason_name((enum urom_reason)answer.reason), answer.text);
}

/* Whether the daemon does not serve this user, as opposed to all other refusals. */
static bool is_not_admitted(struct soft_link *link, int reason)
{
    struct urom_answer answer;
    size_t len;
    const void *bytes = soft_link_answer(link, &len);

    return reason == -EACCES && urom_answer_decode(bytes, len, &answer) == 0 &&
           answer.reason == UROM_REASON_IDENTITY;
}

static doca_error_t refuse_down(const struct doca_urom_service *service, const char *addr,
                                struct soft_link *link, int reason)
{
    if (reason == -EACCES) {
        size_t len;

        soft_link_answer(link, &len);
        if (len > 0)
            return refuse_answer(service, addr, link);
        return refuse_silence(service, addr, "access is denied");
    }
    if (reason == -EPROTO)
        return refuse_silence(service, addr, "another version of the transport");
    if (reason == -ETIMEDOUT)
        return refuse_silence(service, addr, "no answer in time");
    return refuse_silence(service, addr, "it went away");
}

/* ------------------------------------------------------------------------------------------------
 * What the daemon tells
 */

static doca_error_t take_answer(struct doca_urom_service *service, const char *addr,
                                struct soft_link *link)
{
    struct urom_answer answer;
    size_t len;
    const void *bytes = soft_link_answer(link, &len);

    if (urom_answer_decode(bytes, len, &answer) != 0 || answer.reason != UROM_REASON_NONE)
        return refuse_answer(service, addr, link);
    memcpy(service->session, answer.session, sizeof(service->session));
    memcpy(service->instance, answer.instance, sizeof(service->instance));
    memcpy(&service->cpus, answer.cpus, sizeof(service->cpus));
    service->start_timeout = answer.start_timeout;
    memcpy(service->listen, answer.net, sizeof(service->listen));
    if (!urom_name_is_local(addr))
        urom_own_address(addr, service->listen);
    CORE_INFO(CORE_LOG_UROM, "%s: service at %s, version %s, device %s", service->ctx.name, addr,
              answer.version, answer.pci);
    return DOCA_SUCCESS;
}

static doca_error_t take_plugins(struct doca_urom_service *service, const char *addr,
                                 struct soft_link *link, uint64_t deadline)
{
    int err;

    while ((err = urom_frame_recv(link, &service->join)) == -EAGAIN) {
        if (!wait_for(service, link, deadline))
            return refuse_silence(service, addr, "no answer in time");
    }
    if (err != 0 || service->join.type != UROM_TYPE_PLUGINS ||
        urom_plugins_decode(service->join.body, service->join.len, service->plugins,
                            &service->nplugins) != 0)
        return refuse_silence(service, addr, err == 0 ? "it talks nonsense" : "it went away");
    service->plugin_mask = 0;
    for (uint32_t i = 0; i < service->nplugins; i++)
        service->plugin_mask |= service->plugins[i].id;
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Connecting
 */

/* Waits until the link is UP or DOWN. */
static enum soft_link_state wait_up(const struct doca_urom_service *service, struct soft_link *link,
                                    uint64_t deadline, int *reason)
{
    enum soft_link_state state;

    while ((state = soft_link_poll(link, reason)) == SOFT_LINK_CONNECTING) {
        if (!wait_for(service, link, deadline)) {
            *reason = -ETIMEDOUT;
            return SOFT_LINK_DOWN;
        }
    }
    return state;
}

/* ms, at least one. */
static uint32_t time_left(uint64_t deadline)
{
    const uint64_t now = urom_now_ms();

    return now < deadline ? (uint32_t)OD_MIN(deadline - now, UINT32_MAX) : 1;
}

/* IN_PROGRESS, not logged: nobody listens there at the moment; or, where `not_admitted` is given
 * and becomes true, the daemon does not serve this user. */
static doca_error_t open_at(struct doca_urom_service *service, const char *addr, uint64_t deadline,
                            bool *not_admitted)
{
    struct soft_link_conf conf;
    struct urom_hello hello;
    struct soft_link *link;
    doca_error_t result;
    int err, reason = 0;

    result = make_hello(service, addr, &hello);
    if (result != DOCA_SUCCESS)
        return result;
    urom_control_conf(&conf, core_ctx_waker(&service->ctx));
    conf.answer_timeout = time_left(deadline);
    err = soft_link_connect(addr, &conf, &hello, sizeof(hello), &link);
    if (err != 0)
        return refuse_begin(service, addr, err);
    if (wait_up(service, link, deadline, &reason) == SOFT_LINK_UP)
        result = take_answer(service, addr, link);
    else if (reason == -ECONNREFUSED)
        result = DOCA_ERROR_IN_PROGRESS;
    else if (not_admitted != NULL && (*not_admitted = is_not_admitted(link, reason)))
        result = DOCA_ERROR_IN_PROGRESS;
    else
        result = refuse_down(service, addr, link, reason);
    if (result == DOCA_SUCCESS)
        result = take_plugins(service, addr, link, deadline);
    if (result != DOCA_SUCCESS) {
        soft_link_close(link);
        return result;
    }
    service->link = link;
    urom_text_set(service->addr, sizeof(service->addr), addr);
    return DOCA_SUCCESS;
}

/* One try of each place. Who is not admitted by one is served by the next, if anybody is there. */
static doca_error_t open_any(struct doca_urom_service *service, const struct urom_target *target,
                             uint64_t deadline)
{
    bool refused = false;

    for (unsigned int i = 0; i < target->naddrs; i++) {
        doca_error_t result =
            open_at(service, target->addrs[i], deadline, i + 1 < target->naddrs ? &refused : NULL);

        if (result == DOCA_SUCCESS && refused)
            CORE_INFO(CORE_LOG_UROM,
                      "%s: the daemon at %s does not admit this user, whose own is used",
                      service->ctx.name, target->addrs[0]);
        if (result != DOCA_ERROR_IN_PROGRESS)
            return result;
    }
    /* Once more, for what it says. */
    return refused ? open_at(service, target->addrs[0], deadline, NULL) : DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t find_and_open(struct doca_urom_service *service)
{
    const uint64_t begin = urom_now_ms();
    struct urom_environment env;
    struct urom_target target;
    doca_error_t result;

    urom_environment_read(&env);
    result = urom_resolve(&service->ctx, &env, &target);
    if (result != DOCA_SUCCESS)
        return result;
    memcpy(service->net_devices, target.net_devices, sizeof(service->net_devices));
    service->answer_timeout = OD_MAX(env.answer_timeout, 1u);
    for (;;) {
        result = open_any(service, &target, begin + env.connect_timeout);
        if (result != DOCA_ERROR_IN_PROGRESS)
            return result;
        if (urom_now_ms() - begin >= OD_MIN(env.connect_timeout, GRACE_MS))
            return refuse_silence(service, target.addrs[target.naddrs - 1], "nobody listens");
        poll(NULL, 0, PAUSE_MS);
    }
}

doca_error_t urom_service_open(struct doca_urom_service *service)
{
    struct od_waker *waker = core_ctx_waker(&service->ctx);
    const bool was_in_use = is_waker_in_use(waker);
    doca_error_t result;

    service->join.limit = UROM_WIRE_STATUS_MAX;
    if (soft_alarm_open(waker, &service->alarm) != 0)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_UROM, START, service->ctx.name, "alarm",
                         "%s", soft_reason());
    result = find_and_open(service);
    if (was_in_use)
        give_back_waker(waker);
    return result;
}

void urom_service_close(struct doca_urom_service *service)
{
    if (service->link != NULL)
        soft_link_shutdown(service->link);
    soft_link_close(service->link);
    soft_alarm_close(service->alarm);
    service->link = NULL;
    service->alarm = NULL;
    urom_join_free(&service->join);
}

bool urom_service_is_alive(struct doca_urom_service *service)
{
    if (service->link == NULL)
        return false;
    soft_link_check(service->link);
    return soft_link_poll(service->link, NULL) == SOFT_LINK_UP;
}
