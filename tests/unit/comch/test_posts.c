/* SPDX-License-Identifier: BSD-3-Clause */
/* The page in which a consumer and producers meet; both in this process. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "comch/posts.h"

#define SLOTS 4u
#define IMM   8u

struct page {
    struct comch_posts ours, theirs; /* the consumer's view, the producers' */
};

static void open_page(struct page *page, uint32_t nslots)
{
    void *memory = aligned_alloc(4096, (comch_posts_size(nslots, IMM) + 4095) / 4096 * 4096);

    assert_non_null(memory);
    memset(memory, 0, comch_posts_size(nslots, IMM));
    comch_posts_view(&page->ours, memory, nslots, IMM);
    comch_posts_view(&page->theirs, memory, nslots, IMM);
}

static void close_page(struct page *page)
{
    free(page->ours.head);
}

static void what_is_posted_is_filled_in_turn(void **state)
{
    struct comch_arrival seen, arrival = {.len = 5, .producer = 3, .imm_len = 4};
    struct comch_claim claims[2];
    uint8_t imm[IMM] = "imme";
    struct page page;

    (void)state;
    open_page(&page, SLOTS);
    assert_int_equal(comch_posts_claim(&page.theirs, 0, &claims[0]), -EAGAIN);
    comch_posts_post(&page.ours, 0, 1000, 10);
    comch_posts_post(&page.ours, 1, 2000, 20);
    assert_int_equal(comch_posts_claim(&page.theirs, 11, &claims[0]), -EMSGSIZE);
    assert_int_equal(comch_posts_claim(&page.theirs, 10, &claims[0]), 0);
    assert_int_equal(claims[0].addr, 1000);
    assert_int_equal(comch_posts_claim(&page.theirs, 20, &claims[1]), 0);
    assert_int_equal(claims[1].addr, 2000);
    assert_int_equal(comch_posts_claim(&page.theirs, 0, &claims[1]), -EAGAIN);
    /* The second is filled first, and waits for the first. */
    claims[1].index = 1;
    assert_true(comch_posts_deliver(&page.theirs, &claims[1], &arrival, imm));
    assert_int_equal(comch_posts_take(&page.ours, 0, &seen, imm), -EAGAIN);
    arrival.len = 9;
    assert_true(comch_posts_deliver(&page.theirs, &claims[0], &arrival, imm));
    memset(imm, 0, sizeof(imm));
    assert_int_equal(comch_posts_take(&page.ours, 0, &seen, imm), 0);
    assert_int_equal(seen.len, 9);
    assert_int_equal(seen.producer, 3);
    assert_int_equal(seen.imm_len, 4);
    assert_false(seen.is_void);
    assert_memory_equal(imm, "imme", 4);
    assert_int_equal(comch_posts_take(&page.ours, 1, &seen, imm), 0);
    assert_int_equal(seen.len, 5);
    close_page(&page);
}

static void what_is_taken_back_is_lost_to_its_claimer(void **state)
{
    const struct comch_arrival arrival = {.len = 1, .producer = 1};
    struct comch_arrival seen;
    struct comch_claim claim, late;
    struct page page;

    (void)state;
    open_page(&page, SLOTS);
    comch_posts_post(&page.ours, 0, 1000, 10);
    comch_posts_post(&page.ours, 1, 1000, 10);
    comch_posts_post(&page.ours, 2, 1000, 10);
    assert_int_equal(comch_posts_claim(&page.theirs, 1, &claim), 0);
    assert_int_equal(comch_posts_claim(&page.theirs, 1, &late), 0);
    comch_posts_close(&page.ours);
    assert_int_equal(comch_posts_claim(&page.theirs, 1, &(struct comch_claim){0}), -ESHUTDOWN);
    assert_true(comch_posts_deliver(&page.theirs, &claim, &arrival, NULL));
    assert_false(comch_posts_flush(&page.ours, 0)); /* arrived in time */
    assert_int_equal(comch_posts_take(&page.ours, 0, &seen, NULL), 0);
    assert_true(comch_posts_flush(&page.ours, 1));
    assert_true(comch_posts_flush(&page.ours, 2));
    assert_false(comch_posts_deliver(&page.theirs, &late, &arrival, NULL));
    close_page(&page);
}

static void sleepers_are_seen(void **state)
{
    const struct comch_arrival arrival = {.len = 1, .producer = 1};
    struct comch_claim claim;
    uint32_t first, second;
    struct page page;

    (void)state;
    open_page(&page, SLOTS);
    comch_posts_post(&page.ours, 0, 1000, 10);
    assert_int_equal(comch_posts_sleeps(&page.theirs), 0);
    assert_false(comch_posts_sleep(&page.ours, 0));
    first = comch_posts_sleeps(&page.theirs);
    assert_int_not_equal(first, 0);
    comch_posts_wake(&page.ours);
    assert_int_equal(comch_posts_sleeps(&page.theirs), 0);
    assert_false(comch_posts_sleep(&page.ours, 0));
    second = comch_posts_sleeps(&page.theirs);
    assert_int_not_equal(second, 0);
    assert_int_not_equal(second, first);
    assert_int_equal(comch_posts_claim(&page.theirs, 1, &claim), 0);
    assert_true(comch_posts_deliver(&page.theirs, &claim, &arrival, NULL));
    assert_true(comch_posts_sleep(&page.ours, 0)); /* nothing to sleep for */
    close_page(&page);
}

/* ---- nonsense ---- */

static void nonsense_of_the_consumer_is_refused(void **state)
{
    struct comch_claim claim;
    struct page page;

    (void)state;
    open_page(&page, SLOTS);
    atomic_store(&page.ours.head->posted, SLOTS + 1); /* more than there are */
    assert_int_equal(comch_posts_claim(&page.theirs, 1, &claim), -EBADMSG);
    atomic_store(&page.ours.head->posted, 1); /* a slot that nobody filled in */
    assert_int_equal(comch_posts_claim(&page.theirs, 1, &claim), -EBADMSG);
    atomic_store(&page.ours.head->posted, UINT64_MAX);
    assert_int_equal(comch_posts_claim(&page.theirs, 1, &claim), -EBADMSG);
    atomic_store(&page.ours.head->claimed, 5); /* ahead of what was posted */
    atomic_store(&page.ours.head->posted, 4);
    assert_int_equal(comch_posts_claim(&page.theirs, 1, &claim), -EBADMSG);
    close_page(&page);
}

static void nonsense_of_producers_is_refused(void **state)
{
    struct comch_arrival seen, arrival = {.len = 1, .producer = 1, .imm_len = IMM};
    uint8_t imm[IMM] = {0};
    struct comch_claim claim;
    struct comch_post_slot *slot;
    struct page page;

    (void)state;
    open_page(&page, SLOTS);
    slot = (struct comch_post_slot *)page.ours.slots;
    comch_posts_post(&page.ours, 0, 1000, 10);
    atomic_store(&slot->mark, 77);
    assert_int_equal(comch_posts_take(&page.ours, 0, &seen, imm), -EBADMSG);
    assert_true(comch_posts_flush(&page.ours, 0));
    comch_posts_post(&page.ours, 0, 1000, 10);
    assert_int_equal(comch_posts_claim(&page.theirs, 1, &claim), 0);
    assert_true(comch_posts_deliver(&page.theirs, &claim, &arrival, imm));
    slot->imm_len = IMM + 1;
    assert_int_equal(comch_posts_take(&page.ours, 0, &seen, imm), -EBADMSG);
    close_page(&page);
}

/* ---- threads ---- */

#define THREADS 3
#define EACH    20000u

static void *deliver_many(void *arg)
{
    struct comch_posts *posts = arg;
    struct comch_arrival arrival = {.imm_len = 4};
    struct comch_claim claim;

    for (uint32_t i = 0; i < EACH;) {
        int rc = comch_posts_claim(posts, 1, &claim);

        if (rc == -EAGAIN) {
            sched_yield(); /* to whoever posts, perhaps on this processor */
            continue;
        }
        if (rc != 0)
            return arg;
        arrival.len = i;
        arrival.producer = (uint32_t)(uintptr_t)pthread_self();
        comch_posts_deliver(posts, &claim, &arrival, (uint8_t *)&i);
        i++;
    }
    return NULL;
}

/* Each post goes to one producer; what each sent comes in order. */
static void threads_claim_apart(void **state)
{
    struct page page;
    pthread_t threads[THREADS];
    uint32_t ids[THREADS] = {0}, next[THREADS] = {0};
    uint64_t posted = 0, total = 0;

    (void)state;
    open_page(&page, 64);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, deliver_many, &page.theirs), 0);
    for (uint64_t index = 0; total < THREADS * EACH;) {
        struct comch_arrival seen;
        uint32_t imm[IMM / 4];
        int i = 0;

        while (posted - index < 64)
            comch_posts_post(&page.ours, posted++, 0, 1);
        if (comch_posts_take(&page.ours, index, &seen, (uint8_t *)imm) == -EAGAIN) {
            sched_yield();
            continue;
        }
        index++;
        total++;
        while (ids[i] != seen.producer && ids[i] != 0)
            assert_true(++i < THREADS);
        ids[i] = seen.producer;
        assert_int_equal(seen.len, next[i]++);
        assert_int_equal(imm[0], seen.len);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    close_page(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_posted_is_filled_in_turn),
        cmocka_unit_test(what_is_taken_back_is_lost_to_its_claimer),
        cmocka_unit_test(sleepers_are_seen),
        cmocka_unit_test(nonsense_of_the_consumer_is_refused),
        cmocka_unit_test(nonsense_of_producers_is_refused),
        cmocka_unit_test(threads_claim_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
