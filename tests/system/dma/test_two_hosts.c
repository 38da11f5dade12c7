/* SPDX-License-Identifier: BSD-3-Clause */
/* The exporter lives on another host: another network. Both still see the same files, hence its
 * socket, so the importer is told to take no way but the cable. */

#include "importer.h"

#include <dirent.h>
#include <sys/stat.h>

#include "lib/two_hosts.h"

#define SIZE     50000u
#define PATIENCE 60.0 /* s; a loss is noticed within 5 unless the machine is busy */

static char folder[64]; /* runtime folders of both hosts are in there */

static void move_to(const char *host)
{
    char path[96];

    snprintf(path, sizeof(path), "%s/%s", folder, host);
    setenv("OPENDOCA_RUNTIME_DIR", path, 1);
}

static void start_there(struct peer *peer, const char *role)
{
    const char *const before[] = {"ip", "netns", "exec", getenv("OD_THERE"), NULL};

    move_to("there");
    setenv("OPENDOCA_PEER_LISTEN", TWO_HOSTS_THERE ":0", 1);
    peer_start(peer, role, before);
    unsetenv("OPENDOCA_PEER_LISTEN");
    move_to("here");
}

struct rig {
    struct dma_fixture fix;
    struct peer peer;
    struct peer_memory memory;
    struct doca_mmap *remote;
};

static int rig_open(struct rig *rig, enum peer_kind kind, uint32_t access)
{
    start_there(&rig->peer, "host");
    dma_fix_start(&rig->fix, 4, SIZE);
    peer_export(&rig->peer, 1, kind, SIZE, 10, access, &rig->memory);
    rig->remote = import_memory(&rig->fix, &rig->memory);
    return 0;
}

static void rig_close(struct rig *rig)
{
    assert_ok(doca_mmap_destroy(rig->remote));
    dma_fix_close(&rig->fix);
}

static void copies_go_both_ways(void **state)
{
    struct rig rig;

    rig_open(&rig, *(enum peer_kind *)*state, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    assert_ok(read_peer(&rig.fix, rig.remote, &rig.memory, SIZE));
    assert_int_equal(peer_match_pattern(rig.fix.dst, SIZE, 1), SIZE);
    peer_fill_pattern(rig.fix.src, SIZE, 77);
    assert_ok(write_peer(&rig.fix, rig.remote, &rig.memory, SIZE));
    assert_int_equal(peer_check(&rig.peer, 1, 77), SIZE);
    rig_close(&rig);
    peer_quit(&rig.peer);
}

static void rights_hold(void **state)
{
    struct rig rig;

    rig_open(&rig, *(enum peer_kind *)*state, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    assert_ok(read_peer(&rig.fix, rig.remote, &rig.memory, SIZE));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, write_peer(&rig.fix, rig.remote, &rig.memory, SIZE));
    assert_int_equal(peer_check(&rig.peer, 1, 1), SIZE);
    rig_close(&rig);
    peer_quit(&rig.peer);
}

static void destroy_revokes(void **state)
{
    struct rig rig;

    rig_open(&rig, *(enum peer_kind *)*state, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    assert_ok(read_peer(&rig.fix, rig.remote, &rig.memory, SIZE));
    peer_do(&rig.peer, PEER_DESTROY, 1);
    assert_doca(DOCA_ERROR_IO_FAILED, read_peer(&rig.fix, rig.remote, &rig.memory, SIZE));
    assert_doca(DOCA_ERROR_NOT_PERMITTED,
                try_import(&rig.fix, rig.memory.desc, rig.memory.desc_len));
    rig_close(&rig);
    peer_quit(&rig.peer);
}

/* ---- Who may come ---- */

static void write_token(const char *name, const char *text, char path[96])
{
    FILE *file;

    snprintf(path, 96, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

/* NULL: not set. */
static void set(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* An import with these settings of both sides. */
static doca_error_t come(const char *nets, const char *their_token, const char *our_token)
{
    struct peer_memory memory;
    struct dma_fixture fix;
    doca_error_t result;
    struct peer peer;

    set("OPENDOCA_ALLOW_NET", nets);
    set("OPENDOCA_TOKEN_FILE", their_token);
    start_there(&peer, "host");
    set("OPENDOCA_ALLOW_NET", NULL);
    set("OPENDOCA_TOKEN_FILE", our_token);
    dma_fix_start(&fix, 4, SIZE);
    peer_export(&peer, 1, PEER_HEAP, SIZE, 10, DOCA_ACCESS_FLAG_PCI_READ_WRITE, &memory);
    result = try_import(&fix, memory.desc, memory.desc_len);
    set("OPENDOCA_TOKEN_FILE", NULL);
    dma_fix_close(&fix);
    peer_quit(&peer);
    return result;
}

static void only_who_is_admitted_comes(void **state)
{
    char right[96], wrong[96];

    (void)state;
    write_token("right", "open sesame\n", right);
    write_token("wrong", "open barley\n", wrong);
    assert_doca(DOCA_ERROR_NOT_PERMITTED, come("192.0.2.0/24", NULL, NULL));
    assert_ok(come("192.0.2.0/24," TWO_HOSTS_HERE "/32", NULL, NULL));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, come(NULL, right, NULL));
    assert_doca(DOCA_ERROR_NOT_PERMITTED, come(NULL, right, wrong));
    assert_ok(come(NULL, right, right));
}

/* ---- Loss ---- */

/* Reads until it fails. */
static void expect_loss(struct rig *rig)
{
    double end = seconds_now() + PATIENCE;
    doca_error_t result;

    do
        result = read_peer(&rig->fix, rig->remote, &rig->memory, SIZE);
    while (result == DOCA_SUCCESS && seconds_now() < end);
    assert_doca(DOCA_ERROR_IO_FAILED, result);
    assert_true(seconds_now() < end);
}

static void death_is_noticed(void **state)
{
    struct rig rig;

    rig_open(&rig, *(enum peer_kind *)*state, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    assert_ok(read_peer(&rig.fix, rig.remote, &rig.memory, SIZE));
    peer_kill(&rig.peer);
    expect_loss(&rig);
    assert_doca(DOCA_ERROR_DRIVER, try_import(&rig.fix, rig.memory.desc, rig.memory.desc_len));
    rig_close(&rig);
}

/* The last case. */
static void a_cut_cable_is_noticed(void **state)
{
    struct rig rig;

    rig_open(&rig, *(enum peer_kind *)*state, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    assert_ok(read_peer(&rig.fix, rig.remote, &rig.memory, SIZE));
    assert_true(two_hosts_cut(getenv("OD_HERE"), getenv("OD_HERE_DEVICE")));
    expect_loss(&rig);
    rig_close(&rig);
    peer_quit(&rig.peer);
}

static void remove_folder(const char *name)
{
    char path[96];
    struct dirent *entry;
    DIR *d;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    d = opendir(path);
    while (d != NULL && (entry = readdir(d)) != NULL)
        unlinkat(dirfd(d), entry->d_name, 0);
    if (d != NULL)
        closedir(d);
    rmdir(path);
}

#define WITH_BOTH(function)                                                                        \
    cmocka_unit_test_prestate(function, &heap), cmocka_unit_test_prestate(function, &memfd)

int main(int argc, char **argv)
{
    static enum peer_kind heap = PEER_HEAP, memfd = PEER_MEMFD;
    const struct CMUnitTest tests[] = {
        WITH_BOTH(copies_go_both_ways), WITH_BOTH(rights_hold),
        WITH_BOTH(destroy_revokes),     cmocka_unit_test(only_who_is_admitted_comes),
        WITH_BOTH(death_is_noticed),    cmocka_unit_test_prestate(a_cut_cable_is_noticed, &heap),
    };
    int rc;

    (void)argc;
    if (getenv("OD_THERE") == NULL)
        return two_hosts_main(argv);
    snprintf(folder, sizeof(folder), "/tmp/opendoca-two-hosts-%d", getpid());
    mkdir(folder, 0700);
    move_to("here");
    setenv("OPENDOCA_PEER_ENGINE", "remote", 1);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder("here");
    remove_folder("there");
    remove_folder(".");
    rmdir(folder);
    return rc;
}
