/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soft/link/tcp/tcp_priv.h"

#define BEAT_TIME   900  /* ms */
#define BEATS_MAX   4    /* without a sign of life: dead within 5 s */
#define LINGER_TIME 2000 /* ms for what is still to arrive of a closed link */
#define EXIT_TIME   500  /* ms for the same when the process exits */
#define DOZE_TIME   5    /* ms between looks whether the owner still polls */
#define STEPS       16u  /* reads before the thread turns to others */

static struct od_list links = {&links, &links};
static struct od_list listeners = {&listeners, &listeners};

/* ---- Births and deaths ---- */

struct soft_tcp_link *soft_tcp_link_create(const struct soft_link_conf *conf)
{
    static uint64_t ids;
    struct soft_tcp_link *self = calloc(1, sizeof(*self));

    if (self == NULL)
        return NULL;
    if (soft_tcp_stream_open(&self->stream) != 0) {
        free(self);
        return NULL;
    }
    self->base.ops = &soft_link_tcp_ops;
    self->base.conf = *conf;
    self->base.peer = (struct soft_link_peer){.uid = (uid_t)-1, .gid = (gid_t)-1};
    self->sock = -1;
    self->watch.fd = -1;
    self->id = ++ids;
    od_list_init(&self->all);
    od_list_init(&self->guest.link);
    return self;
}

struct soft_tcp_link *soft_tcp_find(uint64_t id)
{
    OD_LIST_FOR_EACH(link, &links)
    {
        struct soft_tcp_link *self = OD_LIST_ENTRY(link, struct soft_tcp_link, all);

        if (self->id == id && !self->released)
            return self;
    }
    return NULL;
}

static void free_link(struct soft_tcp_link *self)
{
    soft_service_watch_del(&self->watch);
    soft_service_timer_cancel(&self->timer);
    soft_service_timer_cancel(&self->doze);
    od_list_remove(&self->all);
    soft_link_queue_leave(&self->guest);
    if (self->sock >= 0)
        close(self->sock);
    soft_tcp_stream_close(&self->stream);
    soft_link_base_clear(&self->base);
    free(self);
}

static void end_watching(struct soft_tcp_link *self)
{
    soft_service_watch_del(&self->watch);
    soft_service_timer_cancel(&self->timer);
    soft_service_timer_cancel(&self->doze);
}

static void wake_owner(struct soft_tcp_link *self)
{
    if (self->base.conf.waker != NULL && !self->released)
        od_waker_wake(self->base.conf.waker);
}

void soft_tcp_news(struct soft_tcp_link *self, enum soft_tcp_phase phase, int reason)
{
    self->reason = reason;
    atomic_store_explicit(&self->phase, phase, memory_order_release);
    if (phase == TCP_GONE || phase == TCP_FAILED) {
        end_watching(self);
        /* The peer learns of it at once, although the descriptor is the owner's to close. */
        if (self->sock >= 0)
            shutdown(self->sock, SHUT_RDWR);
    }
    wake_owner(self);
}

/* ---- The background thread and links that are UP ---- */

static void want(struct soft_tcp_link *self, uint32_t events)
{
    if (self->events != events)
        soft_service_watch_events(&self->watch, events);
    self->events = events;
}

/* The owner of such a link looks at the socket until it closes the link. */
static bool is_owners(const struct soft_tcp_link *self)
{
    return self->base.conf.waits_itself && !self->released;
}

static void watch(struct soft_tcp_link *self)
{
    bool behind = atomic_load_explicit(&self->stream.behind, memory_order_relaxed);

    if (is_owners(self)) {
        atomic_store_explicit(&self->dozing, true, memory_order_relaxed);
        want(self, 0);
        return;
    }
    atomic_store_explicit(&self->dozing, false, memory_order_relaxed);
    want(self, EPOLLIN | EPOLLRDHUP | (behind ? EPOLLOUT : 0u));
}

/* The owner does not look any more, so nobody else tells what it took. */
static void watch_again(struct soft_tcp_link *self)
{
    soft_service_timer_cancel(&self->doze);
    pthread_mutex_lock(&self->stream.lock);
    soft_tcp_stream_ack(&self->stream);
    pthread_mutex_unlock(&self->stream.lock);
    watch(self);
}

static void look_whether_it_polls(struct soft_service_timer *timer)
{
    struct soft_tcp_link *self = OD_CONTAINER_OF(timer, struct soft_tcp_link, doze);
    unsigned long polls = atomic_load_explicit(&self->polls, memory_order_relaxed);

    if (polls == self->polls_seen) {
        watch_again(self);
        return;
    }
    self->polls_seen = polls;
    soft_service_timer_set(timer, DOZE_TIME, look_whether_it_polls);
}

static void doze(struct soft_tcp_link *self)
{
    atomic_store_explicit(&self->dozing, true, memory_order_relaxed);
    want(self, 0);
    soft_service_timer_set(&self->doze, DOZE_TIME, look_whether_it_polls);
}

static bool is_over(struct soft_tcp_link *self)
{
    return self->released && (!self->lingers || soft_tcp_phase(self) != TCP_UP ||
                              soft_tcp_stream_is_delivered(&self->stream));
}

/* Messages, or counts for which the owner waits. */
static bool is_worth_waking(struct soft_tcp_link *self, uint64_t ready, bool news)
{
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&self->stream.store.ready, memory_order_relaxed) != ready ||
           (news && atomic_load_explicit(&self->awaited, memory_order_relaxed) != 0);
}

static void work(struct soft_tcp_link *self)
{
    bool news = false;
    uint64_t ready;
    int rc;

    self->busy = true;
    soft_service_unlock();
    pthread_mutex_lock(&self->stream.lock);
    ready = atomic_load_explicit(&self->stream.store.ready, memory_order_relaxed);
    rc = soft_tcp_stream_pump(&self->stream, STEPS, &news);
    if (rc == 0)
        soft_tcp_stream_ack(&self->stream);
    pthread_mutex_unlock(&self->stream.lock);
    soft_service_lock();
    self->busy = false;
    if (rc != 0 && soft_tcp_phase(self) == TCP_UP)
        soft_tcp_news(self, TCP_GONE, -ECONNRESET);
    else if (is_worth_waking(self, ready, news))
        wake_owner(self);
    /* The owner may have closed it meanwhile. */
    if (self->released)
        soft_tcp_release(self, self->lingers);
    else if (self->watch.fd >= 0)
        watch(self);
}

static bool owner_sleeps(const struct soft_tcp_link *self)
{
    const struct od_waker *waker = self->base.conf.waker;

    return waker != NULL && atomic_load_explicit(&waker->armed, memory_order_relaxed) != 0;
}

void soft_tcp_up_ready(struct soft_tcp_link *self, uint32_t events)
{
    unsigned long polls = atomic_load_explicit(&self->polls, memory_order_relaxed);

    if (polls != self->polls_seen && !self->released && (events & (EPOLLHUP | EPOLLERR)) == 0 &&
        !owner_sleeps(self)) {
        self->polls_seen = polls;
        doze(self);
        return;
    }
    work(self);
}

/* What an owner that reads itself has not looked at yet: whether the peer is silent, it cannot
 * know. */
static bool is_unread(const struct soft_tcp_link *self)
{
    int bytes = 0;

    return is_owners(self) && ioctl(self->sock, FIONREAD, &bytes) == 0 && bytes > 0;
}

static void beat(struct soft_service_timer *timer)
{
    struct soft_tcp_link *self = OD_CONTAINER_OF(timer, struct soft_tcp_link, timer);
    bool heard;

    soft_service_timer_set(timer, BEAT_TIME, beat);
    pthread_mutex_lock(&self->stream.lock);
    heard = self->stream.heard;
    self->stream.heard = false;
    if (is_owners(self))
        soft_tcp_stream_ack(&self->stream); /* what no message of the owner's has told */
    if (!heard)
        soft_tcp_stream_send(&self->stream, SOFT_TCP_PING, NULL, 0, 0);
    pthread_mutex_unlock(&self->stream.lock);
    self->silent_beats = heard || is_unread(self) ? 0 : self->silent_beats + 1;
    if (self->silent_beats >= BEATS_MAX)
        soft_tcp_news(self, TCP_GONE, -ETIMEDOUT);
}

int soft_tcp_come_up(struct soft_tcp_link *self, uint32_t max_msg, uint32_t depth)
{
    int rc;

    /* One that wants more than fits gets less. */
    while (depth > 1 && (uint64_t)depth * max_msg > SOFT_LINK_BYTES_MAX)
        depth = (depth + 1) / 2;
    rc = soft_tcp_stream_come_up(&self->stream, max_msg, depth);
    if (rc != 0)
        return rc;
    self->base.max_msg = max_msg;
    self->base.depth = depth;
    soft_service_timer_set(&self->timer, BEAT_TIME, beat);
    return 0;
}

/* ---- Ends ---- */

static void lingered(struct soft_service_timer *timer)
{
    struct soft_tcp_link *self = OD_CONTAINER_OF(timer, struct soft_tcp_link, timer);

    self->lingers = false;
    free_link(self);
}

void soft_tcp_release(struct soft_tcp_link *self, bool lingers)
{
    self->released = true;
    self->lingers = lingers;
    if (self->busy)
        return;
    if (is_over(self)) {
        free_link(self);
        return;
    }
    soft_service_timer_cancel(&self->doze);
    if (self->timer.expired != lingered)
        soft_service_timer_set(&self->timer, LINGER_TIME, lingered);
    watch(self);
}

/* ---- The owner ---- */

void soft_tcp_look(struct soft_tcp_link *self, unsigned int steps)
{
    bool news = false;
    int rc;

    atomic_fetch_add_explicit(&self->polls, 1, memory_order_relaxed);
    if (pthread_mutex_trylock(&self->stream.lock) != 0)
        return;
    rc = soft_tcp_phase(self) == TCP_UP ? soft_tcp_stream_pump(&self->stream, steps, &news) : 0;
    pthread_mutex_unlock(&self->stream.lock);
    if (rc == 0)
        return;
    soft_service_lock();
    if (soft_tcp_phase(self) == TCP_UP)
        soft_tcp_news(self, TCP_GONE, -ECONNRESET);
    soft_service_unlock();
}

void soft_tcp_left(struct soft_tcp_link *self)
{
    if (atomic_load_explicit(&self->dozing, memory_order_relaxed))
        return;
    soft_service_lock();
    if (soft_tcp_phase(self) == TCP_UP && self->watch.fd >= 0)
        doze(self);
    soft_service_unlock();
}

void soft_tcp_maybe_sleeps(struct soft_tcp_link *self)
{
    if (!owner_sleeps(self) || !atomic_load_explicit(&self->dozing, memory_order_relaxed) ||
        self->base.conf.waits_itself)
        return;
    soft_service_lock();
    if (soft_tcp_phase(self) == TCP_UP && self->watch.fd >= 0) {
        self->polls_seen = atomic_load_explicit(&self->polls, memory_order_relaxed);
        watch_again(self);
    }
    soft_service_unlock();
}

/* ---- Sockets and greetings ---- */

void soft_tcp_tune(int sock)
{
    int on = 1;

    setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int soft_tcp_send_greeting(struct soft_tcp_link *self, struct soft_tcp_greeting greeting,
                           const void *text, size_t len)
{
    struct iovec iov[2] = {{&greeting, sizeof(greeting)}, {(void *)(uintptr_t)text, len}};
    int rc;

    greeting.len = (uint32_t)len;
    pthread_mutex_lock(&self->stream.lock);
    rc = soft_tcp_stream_write(&self->stream, iov, len > 0 ? 2 : 1);
    pthread_mutex_unlock(&self->stream.lock);
    return rc;
}

int soft_tcp_send_refusal(struct soft_tcp_link *self, enum soft_tcp_refusal code, const void *text,
                          size_t len)
{
    struct soft_tcp_greeting refusal = soft_tcp_greeting_make(SOFT_TCP_REFUSAL);

    refusal.code = code;
    return soft_tcp_send_greeting(self, refusal, text, len);
}

/* ---- Exit and fork ---- */

/* The last look comes when the time is over: others may have needed it, or nobody had a processor.
 */
static void finish(struct soft_tcp_link *self, uint64_t end)
{
    bool is_last = false, news = false;

    while (!is_over(self) && !is_last) {
        struct pollfd pfd = {.fd = self->sock, .events = POLLIN};
        const uint64_t now = soft_service_now_ms();

        if (atomic_load(&self->stream.behind))
            pfd.events |= POLLOUT;
        poll(&pfd, 1, now < end ? (int)(end - now) : 0);
        is_last = now >= end;
        if (soft_tcp_stream_pump(&self->stream, STEPS, &news) != 0)
            self->lingers = false;
    }
}

/* Links that are closed already get a moment for what is left. */
static void at_exit(void)
{
    const uint64_t end = soft_service_now_ms() + EXIT_TIME;

    OD_LIST_FOR_EACH(link, &links)
    {
        struct soft_tcp_link *self = OD_LIST_ENTRY(link, struct soft_tcp_link, all);

        if (self->released)
            finish(self, end);
    }
}

static void in_child(void)
{
    OD_LIST_FOR_EACH(link, &links)
    {
        struct soft_tcp_link *self = OD_LIST_ENTRY(link, struct soft_tcp_link, all);

        soft_service_watch_del(&self->watch);
        self->timer.due = self->doze.due = 0;
        if (self->sock >= 0)
            close(self->sock);
        self->sock = self->stream.sock = -1;
        self->busy = self->lingers = false;
        self->reason = -ECONNRESET;
        pthread_mutex_init(&self->stream.lock, NULL);
        atomic_store(&self->phase, TCP_FAILED);
    }
    OD_LIST_FOR_EACH(link, &listeners)
    {
        struct soft_tcp_listener *listener = OD_LIST_ENTRY(link, struct soft_tcp_listener, all);
        int sock = listener->watch.fd;

        soft_service_watch_del(&listener->watch);
        if (sock >= 0)
            close(sock);
        listener->pause.due = 0;
    }
}

static struct soft_service_room room = {.at_exit = at_exit, .in_child = in_child};

int soft_tcp_enter(struct od_list *all, bool listener)
{
    int rc = soft_service_start(&room);

    if (rc == 0)
        od_list_append(listener ? &listeners : &links, all);
    return rc;
}
