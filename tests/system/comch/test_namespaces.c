/* SPDX-License-Identifier: BSD-3-Clause */
/* Host and DPU in different namespaces, as two containers of one machine have them. Needs the right
 * to make them. */
#include <sched.h>

#include "lib/comch_fast_fixture.h"

static int flags; /* of the host's namespaces */

/* A check for leaks, as other exits do it, cannot be done where process numbers are other ones. */
static void leave(void)
{
    fflush(NULL);
    _exit(0);
}

/* Messages both ways, a consumer and a producer, sleeping and polling. */
static void talk(struct comch_end *end, const char *say_this, const char *hear_this)
{
    struct fast consumer, producer;
    struct memory in, out;

    send_text(end, say_this);
    sleep_until(end, end->received == 1);
    need(last_is(end, hear_this));
    open_memory(&in, end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    open_memory(&out, end, 4096, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    memset(out.bytes, say_this[0], 4096);
    start_consumer(&consumer, end, &in, 1);
    post(&consumer, landing(&in, 0, 4096));
    hear_of_consumers(end, 1);
    start_producer(&producer, end, 1);
    transfer(&producer, payload(&out, 0, 4096), NULL, 0, heard.new_ids[0]);
    progress_until(&producer, producer.ok == 1);
    sleep_until(&consumer, consumer.ok == 1);
    for (size_t i = 0; i < 4096; i++)
        need(in.bytes[i] == hear_this[0]);
    close_fast(&producer);
    close_fast(&consumer);
    close_memory(&in);
    close_memory(&out);
    progress_until(end, heard.nexpired == 1);
}

static void outside(int peer)
{
    struct comch_end end;

    start_fast_server(&end);
    talk(&end, "dpu", "host");
    say(peer, 'e');
    progress_until(&end, end.disconnects == 1);
    close_end(&end);
}

static void talk_inside(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    talk(&end, "host", "dpu");
    hear(peer, 'e');
    close_end(&end);
    leave();
}

static void inside(int peer)
{
    struct pair_side side = {"host", talk_inside};

    need(unshare(flags) == 0);
    /* A new process is the first in its namespace. */
    need(pair_wait(pair_start(&side, peer, -1)) == 0);
    leave();
}

/* Skips the case where such namespaces cannot be made. */
static void choose(int namespaces)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0)
        _exit(unshare(namespaces) == 0 ? 0 : 1);
    if (pair_wait(pid) != 0)
        skip();
    flags = namespaces;
}

static void in_network_namespaces(void **state)
{
    (void)state;
    choose(CLONE_NEWNET);
    run_pair(outside, inside);
}

static void in_all_namespaces_of_a_container(void **state)
{
    (void)state;
    choose(CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS);
    run_pair(outside, inside);
}

/* A client in there dies, and the server out here sees it. */

static void sees_the_death(int peer)
{
    struct comch_end end;

    start_fast_server(&end);
    say(peer, 'k');
    sleep_until(&end, end.dirty_disconnects == 1);
    close_end(&end);
}

static void dies_inside(int peer)
{
    struct comch_end end;

    start_fast_client(&end);
    hear(peer, 'k');
    _exit(9);
}

static void is_the_parent_of_the_dying(int peer)
{
    struct pair_side side = {"host", dies_inside};

    need(unshare(flags) == 0);
    need(pair_wait(pair_start(&side, peer, -1)) == 9);
    leave();
}

static void death_is_seen_from_outside(void **state)
{
    (void)state;
    choose(CLONE_NEWNET | CLONE_NEWPID);
    run_pair(sees_the_death, is_the_parent_of_the_dying);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_network_namespaces),
        cmocka_unit_test(in_all_namespaces_of_a_container),
        cmocka_unit_test(death_is_seen_from_outside),
    };

    return cmocka_run_group_tests(tests, NULL, remove_runtime_dir);
}
