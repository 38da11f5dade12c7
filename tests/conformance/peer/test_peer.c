/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "soft/peer/dir.h"

#define MAX_TESTS 200

static struct CMUnitTest tests[MAX_TESTS];
static struct setting settings[MAX_TESTS];
static char names[MAX_TESTS][96];
static size_t ntests;

static void add(const struct peer_case *c, const char *engine, enum memory_kind memory,
                const char *label)
{
    settings[ntests] = (struct setting){engine, memory};
    snprintf(names[ntests], sizeof(names[ntests]), "%s [%s]", c->name, label);
    tests[ntests] = (struct CMUnitTest){
        .name = names[ntests], .test_func = c->run, .initial_state = &settings[ntests]};
    ntests++;
}

/* Importer and exporter as if they were on two hosts. */
static void add_remote(const struct peer_case *cases)
{
    for (const struct peer_case *c = cases; c->name != NULL; c++)
        add(c, "remote", MEMORY_HEAP, "remote");
}

static void add_all(const struct peer_case *cases)
{
    for (const struct peer_case *c = cases; c->name != NULL; c++) {
        add(c, "mapped", MEMORY_MEMFD, "mapped");
        add(c, "vm", MEMORY_HEAP, "vm");
        add(c, "served", MEMORY_HEAP, "served");
    }
}

static void add_memory(const struct peer_case *cases)
{
    static const char *const label[] = {
        [MEMORY_HEAP] = "private",       [MEMORY_MEMFD] = "memfd", [MEMORY_SHM] = "shm",
        [MEMORY_SHARED] = "shared anon", [MEMORY_HUGE] = "huge",
    };
    char text[64];

    for (const struct peer_case *c = cases; c->name != NULL; c++)
        for (int kind = MEMORY_HEAP; kind <= MEMORY_HUGE; kind++) {
            static const char *const engines[] = {"mapped", "vm", "served"};

            for (size_t e = kind == MEMORY_HEAP; e < 3; e++) {
                snprintf(text, sizeof(text), "%s, %s", engines[e], label[kind]);
                add(c, engines[e], (enum memory_kind)kind, text);
            }
        }
}

static void add_here(void)
{
    add_memory(memory_cases);
    add_all(copy_cases);
    add_all(life_cases);
    for (const struct peer_case *c = trust_cases; c->name != NULL; c++)
        add(c, NULL, MEMORY_HEAP, "any");
}

/* The last of the killed exporters left its socket. */
static void clean(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    soft_peer_dir_sweep(dir, fd);
    close(fd);
    if (rmdir(dir) != 0)
        perror(dir);
}

int main(int argc, char **argv)
{
    char dir[] = "/tmp/opendoca-test-XXXXXX";
    int rc;

    if (argc < 3) {
        fprintf(stderr, "usage: test_peer ACTOR here|remote [FILTER]\n");
        return 2;
    }
    actor_program = argv[1];
    if (argc > 3)
        cmocka_set_test_filter(argv[3]);
    if (mkdtemp(dir) == NULL)
        return 2;
    setenv("OPENDOCA_RUNTIME_DIR", dir, 1);
    if (strcmp(argv[2], "remote") == 0) {
        setenv("OPENDOCA_PEER_LISTEN", "127.0.0.1:0", 1);
        add_remote(memory_cases);
        add_remote(copy_cases);
        add_remote(life_cases);
        add_remote(remote_cases);
        add_remote(job_cases);
    } else {
        add_here();
    }
    rc = _cmocka_run_group_tests("peer", tests, ntests, NULL, NULL);
    clean(dir);
    return rc;
}
