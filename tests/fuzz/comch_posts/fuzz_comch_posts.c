/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comch/posts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SLOTS 4u
#define IMM   8u

static void expect(bool condition)
{
    if (!condition)
        abort();
}

static bool is_code(int rc)
{
    return rc == 0 || rc == -EAGAIN || rc == -EMSGSIZE || rc == -ESHUTDOWN || rc == -EBADMSG;
}

/* A consumer that reads a page which the peer has written. */
static void consume(struct comch_posts *posts)
{
    struct comch_arrival arrival = {0};
    uint8_t imm[IMM];

    for (uint64_t index = 0; index < 2 * SLOTS; index++) {
        int rc = comch_posts_take(posts, index, &arrival, imm);

        expect(rc == 0 || rc == -EAGAIN || rc == -EBADMSG);
        expect(rc != 0 || arrival.imm_len <= IMM);
        comch_posts_sleep(posts, index);
        comch_posts_wake(posts);
        comch_posts_flush(posts, index);
    }
    comch_posts_close(posts);
}

static void produce(struct comch_posts *posts)
{
    const struct comch_arrival arrival = {.len = 1, .producer = 1, .imm_len = IMM};
    const uint8_t imm[IMM] = {0};
    struct comch_claim claim;

    for (unsigned int i = 0; i < 3 * SLOTS; i++) {
        int rc = comch_posts_claim(posts, i, &claim);

        expect(is_code(rc));
        if (rc == 0)
            comch_posts_deliver(posts, &claim, &arrival, imm);
        comch_posts_sleeps(posts);
    }
}

/* The first byte says which side reads; the rest is the page, as the other one left it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t len = comch_posts_size(SLOTS, IMM);
    struct comch_posts posts;
    void *page;

    if (size < 1)
        return 0;
    page = aligned_alloc(OD_CACHE_LINE, len);
    expect(page != NULL);
    memset(page, 0, len);
    memcpy(page, data + 1, OD_MIN(size - 1, len));
    comch_posts_view(&posts, page, SLOTS, IMM);
    if (data[0] % 2 == 0)
        consume(&posts);
    else
        produce(&posts);
    free(page);
    return 0;
}
