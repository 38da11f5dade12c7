/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <net/if.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "soft/device/device.h"
#include "lib/in_child.h"

static char path[] = "/tmp/opendoca-test-topology-XXXXXX";

static void write_file(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static bool is_built_in(void)
{
    const struct soft_topology *topology;
    const struct soft_device *dpu, *host;
    enum soft_role role = 0;
    char id[SOFT_DEVICE_ID_SIZE];

    CHILD_CHECK(soft_device_topology(&topology) == 0);
    CHILD_CHECK(strcmp(topology->source, "built-in") == 0);
    CHILD_CHECK(topology->ndevices == 2);
    dpu = &topology->devices[0];
    host = &topology->devices[1];
    soft_device_id(dpu, id);
    CHILD_CHECK(dpu->role == SOFT_ROLE_DPU && strcmp(id, "0000:03:00.0") == 0);
    CHILD_CHECK(strcmp(dpu->ibdev, "mlx5_0") == 0);
    soft_device_id(host, id);
    CHILD_CHECK(host->role == SOFT_ROLE_HOST && strcmp(id, "0000:b1:00.0") == 0);
    CHILD_CHECK(strcmp(dpu->card, host->card) == 0);
    CHILD_CHECK(dpu->nreps == 1 && dpu->reps[0] == host);
    CHILD_CHECK(dpu->caps.dma_memcpy && dpu->caps.mmap_export_pci && dpu->caps.sync_event);
    CHILD_CHECK(host->caps.dma_memcpy && host->caps.mmap_from_export_pci);
    /* This program carries no note. */
    CHILD_CHECK(soft_device_role(&role) == 0 && role == SOFT_ROLE_HOST);
    return true;
}

static void without_a_file_one_pair_is_there(void **state)
{
    (void)state;
    if (access("/etc/opendoca/devices.json", F_OK) == 0)
        skip();
    assert_int_equal(in_child(NULL, NULL, is_built_in), 0);
    assert_int_equal(in_child("", NULL, is_built_in), 0);
}

static void *load(void *arg)
{
    const struct soft_topology *topology = NULL;

    (void)arg;
    return soft_device_topology(&topology) == 0 ? (void *)topology : NULL;
}

static bool is_read_once(void)
{
    pthread_t threads[8];
    void *topology = NULL;
    void *first = NULL;

    for (int i = 0; i < 8; i++)
        CHILD_CHECK(pthread_create(&threads[i], NULL, load, NULL) == 0);
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], &topology);
        first = i == 0 ? topology : first;
        CHILD_CHECK(topology != NULL && topology == first);
    }
    CHILD_CHECK(strcmp(((struct soft_topology *)topology)->source, path) == 0);
    CHILD_CHECK(((struct soft_topology *)topology)->ndevices == 0);
    unlink(path);
    CHILD_CHECK(load(NULL) == first);
    return true;
}

static void the_file_is_read_once(void **state)
{
    (void)state;
    write_file("{\"devices\": []}");
    assert_int_equal(in_child(path, NULL, is_read_once), 0);
}

static bool fails_with(int err, const char *reason)
{
    const struct soft_topology *topology = NULL;

    for (int i = 0; i < 2; i++) {
        soft_fail(0, "another reason");
        CHILD_CHECK(soft_device_topology(&topology) == err);
        CHILD_CHECK(topology == NULL);
        CHILD_CHECK(strstr(soft_reason(), reason) != NULL);
        CHILD_CHECK(strstr(soft_reason(), getenv("OPENDOCA_CONFIG")) != NULL);
    }
    return true;
}

static bool is_malformed(void)
{
    return fails_with(-EINVAL, ":2: devices[0].role is \"gpu\", allowed: \"host\", \"dpu\"");
}

static bool is_absent(void)
{
    return fails_with(-ENOENT, "No such file");
}

static bool is_no_file(void)
{
    return fails_with(-EINVAL, "not a regular file");
}

static bool is_too_big(void)
{
    return fails_with(-EFBIG, "1048577 bytes, allowed: at most 1048576");
}

static void what_cannot_be_read_is_an_error(void **state)
{
    char fifo[sizeof(path) + 8];

    (void)state;
    snprintf(fifo, sizeof(fifo), "%s.fifo", path);
    write_file("{\"devices\": [\n{\"role\": \"gpu\"}]}");
    assert_int_equal(in_child(path, NULL, is_malformed), 0);
    assert_int_equal(in_child("/nonexistent/devices.json", NULL, is_absent), 0);
    assert_int_equal(in_child("/tmp", NULL, is_no_file), 0);
    assert_int_equal(in_child("/dev/zero", NULL, is_no_file), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(in_child(fifo, NULL, is_no_file), 0);
    unlink(fifo);
    assert_int_equal(truncate(path, (1 << 20) + 1), 0);
    assert_int_equal(in_child(path, NULL, is_too_big), 0);
}

static const char loopbacks[] =
    "{\"devices\": [\n"
    "{\"role\": \"host\", \"pci\": \"b1:00.0\", \"iface\": \"lo\", \"rep_iface\": \"lo\"},\n"
    "{\"role\": \"host\", \"pci\": \"b2:00.0\", \"iface\": \"lo\", \"iface_index\": 99,\n"
    "  \"mtu\": 1400, \"ipv4\": \"10.0.0.1\", \"state\": \"down\"},\n"
    "{\"role\": \"host\", \"pci\": \"b3:00.0\", \"iface\": \"no-such-if0\"},\n"
    "{\"role\": \"dpu\", \"pci\": \"03:00.0\", \"iface\": \"lo\"}]}";

static bool has_loopback(void)
{
    const struct soft_topology *topology;
    const struct soft_device *lo;
    static const uint8_t local[4] = {127, 0, 0, 1};

    CHILD_CHECK(soft_device_topology(&topology) == 0);
    lo = &topology->devices[0];
    CHILD_CHECK(lo->iface_index == if_nametoindex("lo") && lo->iface_index != 0);
    CHILD_CHECK(lo->mtu > 1500);
    CHILD_CHECK(lo->port_state != SOFT_PORT_UNKNOWN);
    CHILD_CHECK(lo->port_state == SOFT_PORT_DOWN || memcmp(lo->ipv4, local, 4) == 0);
    /* Stated: the kernel's answers do not count. */
    CHILD_CHECK(topology->devices[1].iface_index == 99);
    CHILD_CHECK(topology->devices[1].mtu == 1400);
    CHILD_CHECK(topology->devices[1].ipv4[0] == 10);
    CHILD_CHECK(topology->devices[1].port_state == SOFT_PORT_DOWN);
    /* There is no such interface. */
    CHILD_CHECK(topology->devices[2].iface_index == 0);
    CHILD_CHECK(strcmp(topology->devices[2].iface, "no-such-if0") == 0);
    CHILD_CHECK(topology->devices[2].port_state == SOFT_PORT_UNKNOWN);
    /* Of the other role: its interface is in another place. */
    CHILD_CHECK(topology->devices[3].iface_index == 0);
    CHILD_CHECK(topology->devices[3].port_state == SOFT_PORT_ACTIVE);
    return true;
}

static bool has_representor_loopback(void)
{
    const struct soft_topology *topology;

    CHILD_CHECK(soft_device_topology(&topology) == 0);
    CHILD_CHECK(topology->devices[0].rep_iface_index == if_nametoindex("lo"));
    CHILD_CHECK(topology->devices[0].iface_index == 0);
    CHILD_CHECK(topology->devices[3].iface_index == if_nametoindex("lo"));
    return true;
}

static void interfaces_are_asked(void **state)
{
    (void)state;
    write_file(loopbacks);
    assert_int_equal(in_child(path, "host", has_loopback), 0);
    assert_int_equal(in_child(path, "dpu", has_representor_loopback), 0);
}

static bool is_the_example(void)
{
    const struct soft_topology *topology;
    const struct soft_device *dpu, *host;
    char id[SOFT_DEVICE_ID_SIZE];

    if (soft_device_topology(&topology) != 0)
        fprintf(stderr, "%s\n", soft_reason());
    CHILD_CHECK(soft_device_topology(&topology) == 0);
    dpu = &topology->devices[0];
    soft_device_id(dpu, id);
    CHILD_CHECK(dpu->role == SOFT_ROLE_DPU && strcmp(id, "0000:03:00.0") == 0);
    CHILD_CHECK(dpu->caps.dma_memcpy && dpu->nreps > 0);
    host = dpu->reps[0];
    soft_device_id(host, id);
    CHILD_CHECK(strcmp(id, "0000:b1:00.0") == 0 && host->caps.dma_memcpy);
    for (const struct soft_device *d = topology->devices; d < host; d++)
        CHILD_CHECK(d->role == SOFT_ROLE_DPU);
    return true;
}

static char *read_all(const char *name)
{
    FILE *f = fopen(name, "r");
    char *text = calloc(1, 65536);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, f) > 0);
    fclose(f);
    return text;
}

static bool file_contains(const char *root, const char *inner, const char *part)
{
    char name[4096];
    char *whole, *wanted;
    bool contains;

    snprintf(name, sizeof(name), "%s/%s", root, inner);
    whole = read_all(name);
    wanted = read_all(part);
    contains = strstr(whole, wanted) != NULL;
    free(whole);
    free(wanted);
    return contains;
}

static void the_shipped_example_is_good(void **state)
{
    const char *root = getenv("OD_SOURCE_ROOT");
    char example[4096];

    (void)state;
    if (root == NULL)
        skip();
    snprintf(example, sizeof(example), "%s/data/devices.example.json", root);
    assert_int_equal(in_child(example, NULL, is_the_example), 0);
    assert_true(file_contains(root, "docs/devices-file.md", example));
}

static int make_path(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_one_pair_is_there), cmocka_unit_test(the_file_is_read_once),
        cmocka_unit_test(what_cannot_be_read_is_an_error),  cmocka_unit_test(interfaces_are_asked),
        cmocka_unit_test(the_shipped_example_is_good),
    };

    return cmocka_run_group_tests(tests, make_path, remove_path);
}
