/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/soft/nic/port_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "soft/service/folder.h"
#include "util/clock.h"

extern char **environ;

/* As a program leaves it that was killed while it made its page. */
static void leave_half(const char *name)
{
    char dir[PATH_MAX];
    int dirfd = soft_service_folder_open(dir, sizeof(dir));

    assert_true(dirfd >= 0);
    close(openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    close(dirfd);
}

/* Another program with a port. It tells when the port is there, and of its child, if it forks. */
static int be_holder(bool forks)
{
    static struct soft_device device = {.mtu = 1500, .port = "loop"};
    struct soft_nic_port *port;
    pid_t child = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (soft_nic_port_hold(&device, &port) != 0)
        return 1;
    if (forks)
        child = fork();
    if (forks && child == 0)
        alarm(300); /* it outlives its parent */
    else if (write(STDOUT_FILENO, &child, sizeof(child)) != sizeof(child))
        return 1;
    for (;;)
        pause();
}

/* The child is 0 where there is none. */
static pid_t start_holder_as(char *self, const char *how, pid_t *child)
{
    char *const argv[] = {self, (char *)(uintptr_t)how, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    assert_int_equal(posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    assert_int_equal(read(ends[0], child, sizeof(*child)), sizeof(*child));
    close(ends[0]);
    return pid;
}

static pid_t start_holder(char *self)
{
    pid_t child;

    return start_holder_as(self, "hold", &child);
}

static void name_page(pid_t pid, char name[NAME_MAX])
{
    static const struct soft_device device = {.mtu = 1500};
    char id[SOFT_DEVICE_ID_SIZE];

    soft_device_id(&device, id);
    soft_nic_page_name((uint32_t)pid, id, name);
}

static bool has_file(const char *name)
{
    char dir[PATH_MAX];
    int dirfd = soft_service_folder_open(dir, sizeof(dir));
    bool has;

    assert_true(dirfd >= 0);
    has = faccessat(dirfd, name, F_OK, 0) == 0;
    close(dirfd);
    return has;
}

static bool has_page(pid_t pid)
{
    char name[NAME_MAX];

    name_page(pid, name);
    return has_file(name);
}

static void see_nothing(const struct soft_nic_page *page, void *arg)
{
    (void)page;
    (void)arg;
}

/* Another program may look at it at the same time, or have the folder locked, so that one look is
 * not enough. */
static bool is_file_gone(const char *name)
{
    const uint64_t end = od_now_ns() + 60000000000u;
    bool is_last;

    do {
        is_last = od_now_ns() >= end;
        soft_nic_pages_read(see_nothing, NULL);
    } while (has_file(name) && !is_last);
    return !has_file(name);
}

static bool is_gone(pid_t pid)
{
    char name[NAME_MAX];

    name_page(pid, name);
    return is_file_gone(name);
}

static int lock_folder(void)
{
    char dir[PATH_MAX];
    int fd = soft_service_folder_open(dir, sizeof(dir));

    assert_true(fd >= 0);
    while (flock(fd, LOCK_EX) != 0)
        assert_int_equal(errno, EINTR);
    return fd;
}

/* Whoever has it locked may be about to give the name anew. */
static void nothing_goes_from_a_locked_folder(void **state)
{
    pid_t pid = start_holder(*state);
    int folder = lock_folder();

    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    soft_nic_pages_read(see_nothing, NULL);
    assert_true(has_page(pid));
    close(folder);
    assert_true(is_gone(pid));
}

static void so_do_those_of_which_there_is_a_part(void **state)
{
    static struct rig rig;
    char name[NAME_MAX], unborn[NAME_MAX + 1];
    pid_t pid = start_holder(*state);

    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    name_page(pid, name);
    leave_half(name);
    snprintf(unborn, sizeof(unborn), ".%s", name);
    leave_half(unborn);
    rig_open(&rig, "loop");
    assert_true(is_gone(pid));
    assert_true(is_file_gone(unborn));
    rig_close(&rig);
}

static void pages_of_killed_programs_go_when_the_next_one_comes(void **state)
{
    static struct rig rig;
    pid_t lives = start_holder(*state), dies = start_holder(*state);

    assert_true(has_page(lives));
    assert_true(has_page(dies));
    kill(dies, SIGKILL);
    assert_int_equal(waitpid(dies, NULL, 0), dies);
    rig_open(&rig, "loop");
    assert_true(is_gone(dies));
    assert_true(has_page(lives));
    rig_close(&rig);
    kill(lives, SIGKILL);
    assert_int_equal(waitpid(lives, NULL, 0), lives);
    rig_open(&rig, "loop");
    assert_true(is_gone(lives));
    rig_close(&rig);
}

/* Forked without a program of its own: it has the files of its parent, but not its ports. */
static void a_child_that_is_left_is_not_taken_for_its_parent(void **state)
{
    pid_t child, pid = start_holder_as(*state, "fork", &child);
    bool was_there = has_page(pid), is_left;

    assert_true(child > 0);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    is_left = !is_gone(pid) || kill(child, 0) != 0;
    kill(child, SIGKILL);
    assert_true(was_there);
    assert_false(is_left);
}

struct asker {
    const char *name;
    _Atomic bool is_there;
    _Atomic bool is_made; /* by now, or not at all */
    bool has_asked;
};

/* As soft_nic_capture_open(), whose ring takes longer. */
static bool ask(int dirfd, const char *name)
{
    int fd = openat(dirfd, name, O_RDWR | O_CLOEXEC);
    struct soft_nic_page *page = MAP_FAILED;
    struct stat status;

    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && status.st_size == (off_t)sizeof(*page))
        page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (page == MAP_FAILED)
        return false;
    atomic_fetch_add(&page->captures, 1);
    munmap(page, sizeof(*page));
    return true;
}

static void *ask_early(void *arg)
{
    struct asker *asker = arg;
    char dir[PATH_MAX];
    int dirfd = soft_service_folder_open(dir, sizeof(dir));
    bool is_last;

    atomic_store(&asker->is_there, true);
    do {
        is_last = atomic_load(&asker->is_made);
        asker->has_asked = ask(dirfd, asker->name);
    } while (!asker->has_asked && !is_last);
    close(dirfd);
    return NULL;
}

static void who_asks_while_a_page_is_made_is_not_forgotten(void **state)
{
    static const struct soft_device device = {.mtu = 1500};
    const struct soft_nic_port_info info = {.kind = "loop"};
    char name[NAME_MAX];

    (void)state;
    name_page(getpid(), name);
    for (int i = 0; i < 100; i++) {
        struct asker asker = {.name = name};
        struct soft_nic_page *page;
        pthread_t thread;
        struct soft_forked lock;

        assert_int_equal(pthread_create(&thread, NULL, ask_early, &asker), 0);
        while (!atomic_load(&asker.is_there))
            sched_yield();
        page = soft_nic_page_create(&device, &info, &lock);
        atomic_store(&asker.is_made, true);
        pthread_join(thread, NULL);
        assert_non_null(page);
        assert_true(soft_nic_page_is_valid(page, sizeof(*page)));
        assert_true(asker.has_asked);
        assert_int_equal(atomic_load(&page->captures), 1);
        soft_nic_page_destroy(page, &lock);
    }
}

/* A folder of its own: one case keeps it locked, which would hold up others. */
static char folder[] = "/tmp/opendoca-test-page-XXXXXX";

static char told[SOFT_REASON_SIZE];

static void hear(const char *line)
{
    snprintf(told, sizeof(told), "%s", line);
}

/* Frames go on, nobody sees them; where everybody is user 0 that is so for the second one. */
static void a_port_without_a_folder_is_told(void **state)
{
    static struct soft_device device = {.port = "loop", .mtu = 1500};
    struct soft_nic_port *port;

    (void)state;
    assert_int_equal(setenv("OPENDOCA_RUNTIME_DIR", "/proc/none", 1), 0);
    soft_tell_to(hear);
    assert_int_equal(soft_nic_port_hold(&device, &port), 0);
    soft_nic_port_release(port);
    soft_tell_to(NULL);
    assert_int_equal(setenv("OPENDOCA_RUNTIME_DIR", folder, 1), 0);
    assert_non_null(strstr(told, "'opendoca stats'"));
    assert_non_null(strstr(told, "name another one in OPENDOCA_RUNTIME_DIR"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(pages_of_killed_programs_go_when_the_next_one_comes, argv[0]),
        cmocka_unit_test_prestate(so_do_those_of_which_there_is_a_part, argv[0]),
        cmocka_unit_test_prestate(a_child_that_is_left_is_not_taken_for_its_parent, argv[0]),
        cmocka_unit_test_prestate(nothing_goes_from_a_locked_folder, argv[0]),
        cmocka_unit_test(a_port_without_a_folder_is_told),
        cmocka_unit_test(who_asks_while_a_page_is_made_is_not_forgotten),
    };

    int failed;

    if (argc > 1)
        return be_holder(strcmp(argv[1], "fork") == 0);
    if (mkdtemp(folder) == NULL || setenv("OPENDOCA_RUNTIME_DIR", folder, 1) != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
