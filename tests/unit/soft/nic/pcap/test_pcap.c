/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/soft/nic/port_rig.h"

#include <pthread.h>
#include <sched.h>

#include "lib/seconds.h"
#include "soft/nic/pcap/pcap_file.h"

static struct rig rig;
static char path[64], port[256];

static int make_folder(void **state)
{
    int fd;

    (void)state;
    snprintf(path, sizeof(path), "/tmp/opendoca-test-pcap-XXXXXX");
    fd = mkstemp(path);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void capture(uint8_t num)
{
    snprintf(port, sizeof(port), "pcap:capture=%s", path);
    rig_open(&rig, port);
    for (uint8_t i = 1; i <= num; i++)
        assert_int_equal(rig_send(&rig, i, 60 + i), 0);
    assert_int_equal(rig_receive(&rig, NULL), -1);
    rig_close(&rig);
}

static void what_was_sent_is_what_is_received(void **state)
{
    uint32_t len;

    (void)state;
    capture(100);
    snprintf(port, sizeof(port), "pcap:replay=%s,loops=2", path);
    rig_open(&rig, port);
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(rig_receive(&rig, &len), i % 100 + 1);
        assert_int_equal(len, 61 + i % 100);
    }
    assert_int_equal(rig_receive(&rig, NULL), -1);
    assert_int_equal(rig_send(&rig, 1, 64), 0); /* goes nowhere */
    rig_close(&rig);
}

static void a_replay_waits_for_room(void **state)
{
    (void)state;
    capture(100);
    snprintf(port, sizeof(port), "pcap:replay=%s", path);
    rig_open(&rig, port);
    while (rig_drive(&rig) > 0)
        continue;
    assert_int_equal(rig_count(&rig, SOFT_NIC_RX_SEEN), RIG_DEPTH);
    for (int i = 1; i <= 100; i++)
        assert_int_equal(rig_receive(&rig, NULL), i);
    assert_int_equal(rig_count(&rig, SOFT_NIC_RX_NO_BUFFER), 0);
    rig_close(&rig);
}

static void a_rate_holds_frames_back(void **state)
{
    uint64_t begin;
    int seen = 0;

    (void)state;
    capture(11);
    snprintf(port, sizeof(port), "pcap:replay=%s,rate=100", path);
    rig_open(&rig, port);
    begin = soft_nic_now();
    while (seen < 11 && soft_nic_now() < begin + 20000000000u)
        seen += rig_receive(&rig, NULL) != -1 ? 1 : 0;
    assert_int_equal(seen, 11);
    assert_true(soft_nic_now() - begin >= 95000000u);
    rig_close(&rig);
}

static void a_file_that_is_cut_ends_before_the_cut(void **state)
{
    (void)state;
    capture(3);
    assert_int_equal(truncate(path, (off_t)(SOFT_PCAP_HEAD + 3 * SOFT_PCAP_RECORD + 61 + 62 + 5)),
                     0);
    snprintf(port, sizeof(port), "pcap:replay=%s,loops=0", path);
    rig_open(&rig, port);
    assert_int_equal(rig_receive(&rig, NULL), 1);
    assert_int_equal(rig_receive(&rig, NULL), 2);
    assert_int_equal(rig_receive(&rig, NULL), -1);
    assert_int_equal(rig_receive(&rig, NULL), -1);
    rig_close(&rig);
}

static void put_frame(FILE *file, uint8_t number, uint32_t len)
{
    uint8_t record[SOFT_PCAP_RECORD], bytes[4000];

    memset(bytes, number, sizeof(bytes));
    soft_pcap_record(record, len, 1);
    assert_int_equal(fwrite(record, sizeof(record), 1, file), 1);
    assert_int_equal(fwrite(bytes, len, 1, file), 1);
}

static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;
static char told[SOFT_REASON_SIZE];
static uint32_t ntold;

static void listen(const char *line)
{
    pthread_mutex_lock(&told_lock);
    snprintf(told, sizeof(told), "%s", line);
    ntold++;
    pthread_mutex_unlock(&told_lock);
}

static bool is_told(void)
{
    bool is;

    pthread_mutex_lock(&told_lock);
    is = ntold > 0;
    pthread_mutex_unlock(&told_lock);
    return is;
}

/* A header and two tags beside the MTU are one frame, a byte more are several in one. */
static void frames_that_are_several_in_one_are_dropped_and_counted(void **state)
{
    FILE *file = fopen(path, "wb");
    uint8_t head[SOFT_PCAP_HEAD];
    struct patience patience;
    uint32_t len;

    (void)state;
    assert_non_null(file);
    soft_pcap_head(head);
    assert_int_equal(fwrite(head, sizeof(head), 1, file), 1);
    put_frame(file, 1, 1522);
    put_frame(file, 2, 1523);
    put_frame(file, 3, 4000);
    put_frame(file, 4, 60);
    assert_int_equal(fclose(file), 0);
    snprintf(port, sizeof(port), "pcap:replay=%s", path);
    soft_tell_to(listen);
    rig_open(&rig, port);
    assert_int_equal(rig_receive(&rig, &len), 1);
    assert_int_equal(len, 1522);
    assert_int_equal(rig_receive(&rig, NULL), 4);
    assert_int_equal(rig_count(&rig, SOFT_NIC_RX_GSO), 2);
    for (patience = patience_of(20); !is_told() && patience_lasts(&patience);)
        sched_yield();
    rig_close(&rig);
    soft_tell_to(NULL);
    assert_int_equal(ntold, 1);
    assert_non_null(strstr(told, "longer than the MTU of 1500 allows"));
    assert_non_null(strstr(told, "gso off"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_sent_is_what_is_received),
        cmocka_unit_test(a_replay_waits_for_room),
        cmocka_unit_test(a_rate_holds_frames_back),
        cmocka_unit_test(a_file_that_is_cut_ends_before_the_cut),
        cmocka_unit_test(frames_that_are_several_in_one_are_dropped_and_counted),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_file);
}
