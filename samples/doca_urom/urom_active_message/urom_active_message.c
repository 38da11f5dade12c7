/* SPDX-License-Identifier: BSD-3-Clause */
/* A process sends active messages of several lengths to the worker of another one. A handler of
 * this program's runs there and answers; the other process takes no part in it. What is longer than
 * a message lies in a region: the message says where, and the other process sees to it.
 *
 *     urom_active_message [LONGEST [COUNT]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <doca_urom_am.h>
#include <doca_urom_rma.h>

#include "../../common/number.h"
#include "../../common/partners.h"
#include "handlers.h"

#define ASKER     0 /* domain ids */
#define RESPONDER 1

#define MESSAGE_MAX 4032ul /* what a message holds by default */
#define LONGEST_MAX (1ul << 30)
#define COUNT_MAX   100000ul

struct options {
    unsigned long longest; /* bytes, more than a message holds */
    unsigned long count;   /* messages of each shorter length */
};

/* A message and what is known of it. */
struct question {
    struct session *s;
    uint64_t number;
    size_t len;
    bool is_answered;
};

/* The asker's books. */
struct books {
    uint64_t asked;
    uint64_t answered;
    struct tally tally; /* what the handler must have counted */
};

static unsigned char byte_of(const struct question *question, size_t i)
{
    return (unsigned char)(question->number * 7 + i * 31 + (i >> 8));
}

static void fill(const struct question *question, unsigned char *bytes)
{
    for (size_t i = 0; i < question->len; i++)
        bytes[i] = byte_of(question, i);
}

static bool is_reversed(const struct question *question, const unsigned char *bytes, size_t len)
{
    size_t i = 0;

    while (i < len && bytes[i] == byte_of(question, len - 1 - i))
        i++;
    return len == question->len && i == len;
}

/* ------------------------------------------------------------------------------------------------
 * To the program at the other end
 */

/* A message that is waited for. */
struct letter {
    struct session *s;
    uint64_t source;
    size_t len;
    unsigned char bytes[sizeof(struct session_offer)];
};

static void on_letter(struct doca_urom_ops *ops, doca_error_t status, uint64_t source,
                      uint32_t handler, const void *bytes, size_t len, void *user_data)
{
    struct letter *letter = user_data;

    (void)handler;
    letter->source = source;
    letter->len = len;
    if (len > sizeof(letter->bytes))
        status = DOCA_ERROR_TOO_BIG;
    else if (len > 0)
        memcpy(letter->bytes, bytes, len);
    session_done(ops, status, letter->s);
}

/* The receive, which may have ended just before, tells how it went. */
static void on_cancelled(struct doca_urom_ops *ops, doca_error_t status, void *session)
{
    (void)status;
    session_done(ops, DOCA_SUCCESS, session);
}

/* CONNECTION_ABORTED: the other process is gone. */
static doca_error_t receive(struct partners *p, struct letter *letter)
{
    struct session *s = &p->s;
    doca_error_t result;

    *letter = (struct letter){.s = s};
    result = doca_urom_am_recv(s->ops, DOCA_UROM_AM_DELIVER, on_letter, letter);
    if (session_begun(s, result) != DOCA_SUCCESS)
        return result;
    while (s->pending > 0 && !partners_left(p))
        doca_pe_progress(s->pe);
    if (s->pending > 0)
        session_begun(s, doca_urom_am_cancel(s->ops, letter, on_cancelled, s));
    return session_wait(s);
}

static void on_sent(struct doca_urom_ops *ops, doca_error_t status, const void *reply, size_t len,
                    void *session)
{
    (void)reply;
    (void)len;
    session_done(ops, status, session);
}

static doca_error_t send_letter(struct partners *p, const void *bytes, size_t len)
{
    const struct doca_urom_am_message message = {.dest = 1 - p->index,
                                                 .source = p->index,
                                                 .handler = DOCA_UROM_AM_DELIVER,
                                                 .bytes = bytes,
                                                 .len = len};
    doca_error_t result = doca_urom_am_send(p->s.ops, &message, on_sent, &p->s);

    return session_begun(&p->s, result) == DOCA_SUCCESS ? session_wait(&p->s) : result;
}

/* ------------------------------------------------------------------------------------------------
 * The responder
 */

/* Gets the bytes that are offered into the first half of `own`, and puts the second half back. */
static doca_error_t turn(struct session *s, const struct session_offer *offer, unsigned char *own,
                         struct doca_urom_ops_region *local, struct doca_urom_ops_region *remote)
{
    doca_error_t result = doca_urom_rma_get(s->ops, local, (uintptr_t)own, remote, offer->addr,
                                            offer->len, 0, session_done, s);

    if (session_begun(s, result) == DOCA_SUCCESS)
        result = session_wait(s);
    if (result != DOCA_SUCCESS)
        return result;
    reverse(own + offer->len, own, offer->len);
    result = doca_urom_rma_put(s->ops, local, (uintptr_t)own + offer->len, remote, offer->addr,
                               offer->len, 0, session_done, s);
    return session_begun(s, result) == DOCA_SUCCESS ? session_wait(s) : result;
}

static doca_error_t answer_offer(struct partners *p, const struct session_offer *offer)
{
    struct doca_urom_ops_region *local = NULL, *remote = NULL;
    struct session *s = &p->s;
    doca_error_t result, released;
    unsigned char *own;

    if (offer->len == 0 || offer->len > LONGEST_MAX)
        return DOCA_ERROR_UNEXPECTED;
    own = session_memory(2 * offer->len);
    if (own == NULL)
        return DOCA_ERROR_NO_MEMORY;
    result = session_accept(s, offer, &remote);
    if (result == DOCA_SUCCESS)
        result = session_region(s, own, 2 * offer->len, DOCA_UROM_OPS_ACCESS_NONE, &local);
    if (result == DOCA_SUCCESS)
        result = turn(s, offer, own, local, remote);
    released = session_release(s, local);
    session_release(s, remote);
    if (result == DOCA_SUCCESS)
        result = released;
    munmap(own, 2 * offer->len);
    return result == DOCA_SUCCESS ? send_letter(p, &offer->len, sizeof(offer->len)) : result;
}

/* Until a letter without bytes comes. */
static doca_error_t respond(struct partners *p)
{
    struct session_offer offer;
    struct letter letter;
    doca_error_t result = receive(p, &letter);

    while (result == DOCA_SUCCESS && letter.len > 0) {
        if (letter.len != sizeof(offer))
            return DOCA_ERROR_UNEXPECTED;
        memcpy(&offer, letter.bytes, sizeof(offer));
        result = answer_offer(p, &offer);
        if (result == DOCA_SUCCESS)
            result = receive(p, &letter);
    }
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * The asker
 */

static void on_answer(struct doca_urom_ops *ops, doca_error_t status, const void *reply, size_t len,
                      void *user_data)
{
    struct question *question = user_data;

    question->is_answered = status == DOCA_SUCCESS && is_reversed(question, reply, len);
    if (status == DOCA_SUCCESS && !question->is_answered)
        status = DOCA_ERROR_UNEXPECTED;
    session_done(ops, status, question->s);
}

static doca_error_t ask(struct question *question)
{
    unsigned char bytes[MESSAGE_MAX];
    const struct doca_urom_am_message message = {.dest = RESPONDER,
                                                 .source = ASKER,
                                                 .handler = HANDLER_REVERSE,
                                                 .bytes = bytes,
                                                 .len = question->len};
    struct session *s = question->s;
    doca_error_t result;

    fill(question, bytes);
    /* As many as allowed are in flight: make room. */
    while ((result = doca_urom_am_send(s->ops, &message, on_answer, question)) == DOCA_ERROR_AGAIN)
        doca_pe_progress(s->pe);
    return session_begun(s, result);
}

static doca_error_t ask_all(struct session *s, struct question *questions, unsigned long count,
                            size_t len, struct books *books)
{
    doca_error_t result = DOCA_SUCCESS, ended;

    for (unsigned long i = 0; i < count && result == DOCA_SUCCESS; i++) {
        questions[i] = (struct question){.s = s, .number = books->asked++, .len = len};
        result = ask(&questions[i]);
    }
    ended = session_wait(s);
    if (result != DOCA_SUCCESS || ended != DOCA_SUCCESS)
        return result != DOCA_SUCCESS ? result : ended;
    for (unsigned long i = 0; i < count; i++)
        books->answered += questions[i].is_answered;
    books->tally.messages += count;
    books->tally.bytes += count * len;
    printf("%10zu bytes: %lu messages, answered by the handler\n", len, count);
    return DOCA_SUCCESS;
}

static doca_error_t ask_short(struct session *s, unsigned long count, struct books *books)
{
    static const size_t lens[] = {0, 1, 64, 1024, MESSAGE_MAX};
    struct question *questions = calloc(count, sizeof(questions[0]));
    doca_error_t result = questions != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;

    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]) && result == DOCA_SUCCESS; i++)
        result = ask_all(s, questions, count, lens[i], books);
    free(questions);
    return result;
}

/* The answer is how many bytes have been put back where they came from. */
static doca_error_t offer_and_wait(struct partners *p, const struct session_offer *offer)
{
    struct letter letter;
    uint64_t done = 0;
    doca_error_t result = send_letter(p, offer, sizeof(*offer));

    if (result == DOCA_SUCCESS)
        result = receive(p, &letter);
    if (result != DOCA_SUCCESS)
        return result;
    if (letter.len == sizeof(done))
        memcpy(&done, letter.bytes, sizeof(done));
    return letter.source == RESPONDER && done == offer->len ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
}

static doca_error_t ask_long(struct partners *p, size_t len, struct books *books)
{
    const struct question question = {.number = books->asked++, .len = len};
    struct doca_urom_ops_region *region = NULL;
    unsigned char *bytes = session_memory(len);
    struct session_offer offer;
    doca_error_t result, released;

    if (bytes == NULL)
        return DOCA_ERROR_NO_MEMORY;
    fill(&question, bytes);
    result = session_offer(&p->s, bytes, len,
                           DOCA_UROM_OPS_ACCESS_READ | DOCA_UROM_OPS_ACCESS_WRITE, &region, &offer);
    if (result == DOCA_SUCCESS)
        result = offer_and_wait(p, &offer);
    released = session_release(&p->s, region);
    if (result == DOCA_SUCCESS)
        result = released;
    if (result == DOCA_SUCCESS && !is_reversed(&question, bytes, len))
        result = DOCA_ERROR_UNEXPECTED;
    munmap(bytes, len);
    if (result != DOCA_SUCCESS)
        return result;
    books->answered++;
    printf("%10zu bytes: 1 message with a region, answered by the other process\n", len);
    return DOCA_SUCCESS;
}

/* The same books as the handler's? */
struct audit {
    struct session *s;
    const struct tally *own;
};

static void on_tally(struct doca_urom_ops *ops, doca_error_t status, const void *reply, size_t len,
                     void *user_data)
{
    const struct audit *audit = user_data;

    if (status == DOCA_SUCCESS &&
        (len != sizeof(*audit->own) || memcmp(reply, audit->own, len) != 0))
        status = DOCA_ERROR_UNEXPECTED;
    session_done(ops, status, audit->s);
}

static doca_error_t compare_books(struct session *s, const struct books *books)
{
    const struct doca_urom_am_message message = {
        .dest = RESPONDER, .source = ASKER, .handler = HANDLER_TALLY};
    struct audit audit = {s, &books->tally};
    doca_error_t result = doca_urom_am_send(s->ops, &message, on_tally, &audit);

    return session_begun(s, result) == DOCA_SUCCESS ? session_wait(s) : result;
}

static doca_error_t ask_everything(struct partners *p, const struct options *options)
{
    struct books books = {.asked = 0};
    doca_error_t result = ask_short(&p->s, options->count, &books);

    if (result == DOCA_SUCCESS)
        result = compare_books(&p->s, &books);
    if (result == DOCA_SUCCESS)
        result = ask_long(p, options->longest, &books);
    if (result == DOCA_SUCCESS)
        result = send_letter(p, NULL, 0);
    if (result == DOCA_SUCCESS)
        printf("%llu messages, %llu right answers; the handler counted %llu\n",
               (unsigned long long)books.asked, (unsigned long long)books.answered,
               (unsigned long long)books.tally.messages);
    return result;
}

/* ---------------------------------------------------------------------------------------------- */

static bool parse_all(int argc, char **argv, struct options *options)
{
    const struct options usual = *options;

    if (argc <= 3 &&
        (argc < 2 || number_parse(argv[1], MESSAGE_MAX + 1, LONGEST_MAX, &options->longest)) &&
        (argc < 3 || number_parse(argv[2], 1, COUNT_MAX, &options->count)))
        return true;
    fprintf(stderr,
            "usage: %s [LONGEST [COUNT]]\n"
            "  LONGEST  bytes of the message that goes by a region, %lu to %lu, default %lu\n"
            "  COUNT    messages of each shorter length, 1 to %lu, default %lu\n",
            argv[0], MESSAGE_MAX + 1, LONGEST_MAX, usual.longest, COUNT_MAX, usual.count);
    return false;
}

int main(int argc, char **argv)
{
    static const char *const plugins[] = {"worker_am", "worker_rma", NULL};
    char variable[] = "UROM_AM_HANDLERS=" HANDLERS;
    struct options options = {.longest = 1 << 20, .count = 100};
    struct partners partners;
    doca_error_t result;

    if (!parse_all(argc, argv, &options) || !partners_fork(&partners))
        return 1;
    if (!partners_are_wanted(&partners))
        return 1; /* the first process says why */
    result = partners_open(&partners, plugins, variable);
    if (result == DOCA_SUCCESS)
        result = partners.index == ASKER ? ask_everything(&partners, &options) : respond(&partners);
    partners_close(&partners);
    return partners_exit(&partners, result);
}
