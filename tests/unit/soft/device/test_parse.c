/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "soft/device/device.h"

#define HOST "{\"role\":\"host\",\"pci\":\"b1:00.0\"}"
#define DPU  "{\"role\":\"dpu\",\"pci\":\"03:00.0\"}"

static struct soft_topology *parse(const char *text)
{
    struct soft_topology *topology = NULL;
    int err = soft_device_parse(text, strlen(text), "x.json", &topology);

    if (err != 0)
        print_error("%s\n", soft_reason());
    assert_int_equal(err, 0);
    return topology;
}

static void assert_refused(const char *text, const char *reason)
{
    struct soft_topology *topology = NULL;

    assert_int_equal(soft_device_parse(text, strlen(text), "x.json", &topology), -EINVAL);
    assert_null(topology);
    assert_string_equal(soft_reason(), reason);
}

/* The reason must begin so; what is allowed goes on behind it. */
static void assert_refused_at(const char *text, const char *begin)
{
    struct soft_topology *topology = NULL;

    assert_int_equal(soft_device_parse(text, strlen(text), "x.json", &topology), -EINVAL);
    if (strncmp(soft_reason(), begin, strlen(begin)) != 0)
        fail_msg("'%s' does not begin with '%s'", soft_reason(), begin);
}

/* A port is opened much later, where nobody knows any more where its text stood. */
static void a_port_that_cannot_be_meant_is_a_mistake_of_the_file(void **state)
{
    static const struct {
        const char *port, *why;
    } wrong[] = {
        {"afpacket:v0", "there is no kind 'afpacket'; there are: af_packet af_xdp"},
        {"af_packet:v0,blok=3", "kind af_packet has no setting 'blok'; there are: blocks, block_"},
        {"af_packet:v0,blocks=1", "blocks of kind af_packet is '1', allowed: a number from 2 to "},
        {"af_packet:v0,block_size=20000", "block_size is 20000, allowed: a power of two"},
        {"af_packet:a-name-of-16-bytes", "'a-name-of-16-bytes' is no name of an interface; write"},
        {"af_packet", "'' is no name of an interface; write af_packet:veth0"},
        {"af_xdp:v0,mode=fast", "mode of kind af_xdp is 'fast', allowed: auto, native"},
        {"af_xdp:v0,ring=100", "ring is 100, allowed: a power of two"},
        {"loop:w,a=1", "kind loop has no setting 'a'; it has none at all"},
        {"tap", "'' is no name of an interface; write tap:tap0"},
        {"pcap", "write pcap:replay=FILE, pcap:capture=FILE, or both"},
        {"pcap:replay=x,rat=3", "kind pcap has no setting 'rat'; there are: replay, capture"},
        {"error:drop=2", "an error port wraps another one: error:drop=10;af_packet:veth0"},
        {"error:drop=2;error:drop=3;loop", "an error port cannot wrap another one"},
        {"error:drop=2;lop", "there is no kind 'lop'; there are:"},
        {"loop:a,b", "'loop:a,b' has two places; write KIND[:WHERE][,KEY=VALUE]...[;BASE]"},
    };
    char text[512], begin[256];

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        snprintf(text, sizeof(text),
                 "{\"devices\": [" DPU ",\n {\"role\":\"host\",\"pci\":\"b1:00.0\",\n"
                 "  \"port\":\"%s\"}]}",
                 wrong[i].port);
        snprintf(begin, sizeof(begin), "x.json:3: devices[1].port is \"%s\": %s", wrong[i].port,
                 wrong[i].why);
        assert_refused_at(text, begin);
    }
    soft_device_topology_free(
        parse("{\"devices\": [{\"role\":\"host\",\"pci\":\"b1:00.0\",\"iface\":\"odnone\",\"port\":"
              "\"error:drop=3,seed=1K;af_xdp:ring=1K,mode=copy\"}]}"));
}

static void an_empty_list_is_no_error(void **state)
{
    struct soft_topology *topology = parse("{\"devices\": []}");

    (void)state;
    assert_int_equal(topology->ndevices, 0);
    assert_null(topology->bf_mode);
    assert_null(topology->bfb_file);
    assert_string_equal(topology->source, "x.json");
    soft_device_topology_free(topology);
    soft_device_topology_free(NULL);
}

static void two_lines_make_a_pair(void **state)
{
    struct soft_topology *topology = parse("{\"devices\": [" DPU ", " HOST "]}");
    const struct soft_device *dpu = &topology->devices[0];
    const struct soft_device *host = &topology->devices[1];
    char id[SOFT_DEVICE_ID_SIZE];

    (void)state;
    assert_int_equal(topology->ndevices, 2);
    assert_int_equal(dpu->role, SOFT_ROLE_DPU);
    assert_int_equal(host->role, SOFT_ROLE_HOST);
    assert_string_equal(dpu->card, host->card);
    soft_device_id(host, id);
    assert_string_equal(id, "0000:b1:00.0");
    assert_string_equal(dpu->ibdev, "mlx5_0");
    assert_string_equal(host->ibdev, "mlx5_0");
    assert_string_equal(dpu->profile, "default");
    assert_int_equal(dpu->nreps, 1);
    assert_ptr_equal(dpu->reps[0], host);
    assert_int_equal(host->nreps, 0);
    assert_int_not_equal(dpu->vhca_id, host->vhca_id);
    assert_memory_not_equal(dpu->mac, host->mac, 6);
    assert_string_not_equal(dpu->vuid, host->vuid);
    assert_int_equal(dpu->mac[0] & 3, 2);
    assert_int_equal(dpu->port_state, SOFT_PORT_ACTIVE);
    assert_int_equal(dpu->access, SOFT_ACCESS_NORMAL);
    assert_int_equal(dpu->mtu, 1500);
    assert_false(dpu->has_ipv4);
    assert_false(dpu->has_ipv6);
    assert_string_equal(dpu->iface, "");
    assert_true(dpu->caps.dma_memcpy);
    assert_int_equal(dpu->caps.dma_max_buf_size, 2 << 20);
    assert_int_equal(dpu->caps.dma_max_list_len, 64);
    assert_int_equal(dpu->caps.dma_max_tasks, 65535);
    assert_int_equal(dpu->caps.dma_queue_depth, 0);
    assert_string_equal(dpu->copy.engine, "");
    soft_device_topology_free(topology);
}

static const char full[] =
    "{\"comment\": \"all of it\", \"bf_mode\": \"switch\", \"bfb_file\": \"/etc/image\",\n"
    " \"profiles\": {\"tiny\": {\"comment\": \"\", \"base\": \"bf3\", \"active_rate\": "
    "25000000000,\n"
    "   \"caps\": {\"dma_max_buf_size\": \"4K\", \"dma_max_list_len\": 1, \"dma_queue_depth\": 2,\n"
    "              \"dma_max_tasks\": 8, \"max_opens\": 3, \"hotplug_manager\": true,\n"
    "              \"max_access_token_size\": 1024, \"completion_vectors\": 4,\n"
    "              \"mmap_advise_max_buf_size\": 12345, \"sync_event\": false,\n"
    "              \"comch_max_buf_size\": \"1M\", \"comch_max_imm_len\": 0,\n"
    "              \"comch_connect_timeout\": 250, \"comch_max_clients\": 2},\n"
    "   \"copy\": {\"engine\": \"error\", \"error_base\": \"threads\", \"threads\": 2,\n"
    "              \"split_above\": \"1M\", \"faults\": \"fail:3\"}}},\n"
    " \"devices\": [\n"
    "  {\"role\": \"dpu\", \"card\": \"A\", \"pci\": \"0001:03:00.1\", \"profile\": \"tiny\",\n"
    "   \"ibdev\": \"rdma7\", \"iface\": \"p1\", \"iface_index\": 9, \"mac\": "
    "\"02:aB:00:00:00:01\",\n"
    "   \"ipv4\": \"192.0.2.7\", \"ipv6\": \"2001:db8::7\", \"active_rate\": 1000,\n"
    "   \"vhca_id\": 77, \"vuid\": \"V1\", \"uplink_ib_port\": 2, \"state\": \"down\", \"mtu\": "
    "9000,\n"
    "   \"host_index\": 1, \"pf_index\": 3, \"total_vfs\": 16, \"data_direct\": true,\n"
    "   \"data_direct_pci\": \"05:00.0\", \"access\": \"bridge\",\n"
    "   \"caps\": {\"dma_max_list_len\": 2, \"dma_memcpy\": false}, \"copy\": {\"threads\": 5},\n"
    "   \"representors\": [\"b1:00.0/sf4\", \"0000:b1:00.0\"]},\n"
    "  {\"role\": \"host\", \"card\": \"A\", \"pci\": \"b1:00.0\", \"link_layer\": "
    "\"infiniband\",\n"
    "   \"lid\": 17, \"hotplug\": true, \"uplink\": true, \"rep_iface\": \"pf0hpf\",\n"
    "   \"rep_iface_index\": 5, \"rep_ib_port\": 6},\n"
    "  {\"role\": \"host\", \"card\": \"A\", \"pci\": \"b1:00.0\", \"func_type\": \"SF\", "
    "\"sf_index\": 4},\n"
    "  {\"role\": \"host\", \"card\": \"A\", \"pci\": \"b1:00.2\", \"func_type\": \"VF\", "
    "\"vf_index\": 1,\n"
    "   \"oversize\": \"error\", \"engine\": {\"threads\": 3, \"cpus\": [7, 1023], \"poll\": "
    "\"spin\"}}\n"
    " ]}";

static void check_full_dpu(const struct soft_topology *topology)
{
    const struct soft_device *dpu = &topology->devices[0];
    static const uint8_t mac[6] = {0x02, 0xab, 0, 0, 0, 1}, ipv4[4] = {192, 0, 2, 7};

    assert_string_equal(dpu->card, "A");
    assert_string_equal(dpu->profile, "tiny");
    assert_string_equal(dpu->ibdev, "rdma7");
    assert_string_equal(dpu->iface, "p1");
    assert_int_equal(dpu->iface_index, 9);
    assert_memory_equal(dpu->mac, mac, sizeof(mac));
    assert_true(dpu->has_ipv4);
    assert_memory_equal(dpu->ipv4, ipv4, sizeof(ipv4));
    assert_true(dpu->has_ipv6);
    assert_int_equal(dpu->ipv6[15], 7);
    assert_int_equal(dpu->active_rate, 1000);
    assert_int_equal(dpu->vhca_id, 77);
    assert_string_equal(dpu->vuid, "V1");
    assert_int_equal(dpu->uplink_ib_port, 2);
    assert_int_equal(dpu->port_state, SOFT_PORT_DOWN);
    assert_int_equal(dpu->mtu, 9000);
    assert_int_equal(dpu->host_index, 1);
    assert_int_equal(dpu->pf_index, 3);
    assert_int_equal(dpu->total_vfs, 16);
    assert_true(dpu->data_direct);
    assert_true(dpu->has_data_direct_pci);
    assert_int_equal(dpu->data_direct_pci.bus, 5);
    assert_int_equal(dpu->access, SOFT_ACCESS_BRIDGE);
    assert_int_equal(dpu->nreps, 2);
    assert_ptr_equal(dpu->reps[0], &topology->devices[2]);
    assert_ptr_equal(dpu->reps[1], &topology->devices[1]);
}

static void check_full_limits(const struct soft_device *dpu)
{
    assert_int_equal(dpu->caps.dma_max_buf_size, 4096);
    assert_int_equal(dpu->caps.dma_max_list_len, 2);
    assert_false(dpu->caps.dma_memcpy);
    assert_int_equal(dpu->caps.dma_queue_depth, 2);
    assert_int_equal(dpu->caps.dma_max_tasks, 8);
    assert_int_equal(dpu->caps.max_opens, 3);
    assert_true(dpu->caps.hotplug_manager);
    assert_int_equal(dpu->caps.max_access_token_size, 1024);
    assert_int_equal(dpu->caps.completion_vectors, 4);
    assert_int_equal(dpu->caps.mmap_advise_max_buf_size, 12345);
    assert_false(dpu->caps.sync_event);
    assert_int_equal(dpu->caps.comch_max_buf_size, 1 << 20);
    assert_int_equal(dpu->caps.comch_max_imm_len, 0);
    assert_int_equal(dpu->caps.comch_connect_timeout, 250);
    assert_int_equal(dpu->caps.comch_max_clients, 2);
    assert_int_equal(dpu->caps.comch_max_name_len, 120);
    assert_true(dpu->caps.mmap_export_pci);
    assert_string_equal(dpu->copy.engine, "error");
    assert_string_equal(dpu->copy.error_base, "threads");
    assert_int_equal(dpu->copy.threads, 5);
    assert_int_equal(dpu->copy.split_above, 1 << 20);
    assert_string_equal(dpu->copy.faults, "fail:3");
}

static void everything_can_be_said(void **state)
{
    struct soft_topology *topology = parse(full);
    const struct soft_device *pf = &topology->devices[1], *sf = pf + 1, *vf = pf + 2;
    char id[SOFT_DEVICE_ID_SIZE];

    (void)state;
    assert_string_equal(topology->bf_mode, "switch");
    assert_string_equal(topology->bfb_file, "/etc/image");
    check_full_dpu(topology);
    check_full_limits(&topology->devices[0]);
    assert_int_equal(pf->link_layer, SOFT_LINK_INFINIBAND);
    assert_int_equal(pf->lid, 17);
    assert_true(pf->hotplug);
    assert_true(pf->uplink);
    assert_string_equal(pf->rep_iface, "pf0hpf");
    assert_int_equal(pf->rep_iface_index, 5);
    assert_int_equal(pf->rep_ib_port, 6);
    assert_int_equal(sf->func_type, SOFT_FUNC_SF);
    soft_device_id(sf, id);
    assert_string_equal(id, "0000:b1:00.0/sf4");
    assert_int_equal(vf->func_type, SOFT_FUNC_VF);
    assert_int_equal(vf->vf_index, 1);
    assert_string_equal(soft_func_type_name(vf->func_type), "VF");
    assert_string_equal(vf->ibdev, "mlx5_2");
    assert_int_equal(vf->oversize, SOFT_OVERSIZE_ERROR);
    assert_int_equal(vf->engine.threads, 3);
    assert_int_equal(vf->engine.poll, SOFT_POLL_SPIN);
    assert_int_equal(vf->engine.ncpus, 2);
    assert_int_equal(vf->engine.cpus[0], 7);
    assert_int_equal(vf->engine.cpus[1], 1023);
    assert_int_equal(sf->oversize, SOFT_OVERSIZE_DROP);
    assert_int_equal(sf->engine.ncpus, 0);
    soft_device_topology_free(topology);
}

static void processors_are_checked(void **state)
{
    const char *all = "\"engine\": {\"cpus\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}";
    char text[512];

    (void)state;
    assert_refused("{\"devices\": [{\"role\": \"host\", \"pci\": \"b1:00.0\","
                   "\"engine\": {\"cpus\": []}}]}",
                   "x.json:1: devices[0].engine.cpus has 0 processors, allowed: 1 to 16");
    assert_refused("{\"devices\": [{\"role\": \"host\", \"pci\": \"b1:00.0\","
                   "\"engine\": {\"cpus\": [0,\n1024]}}]}",
                   "x.json:2: devices[0].engine.cpus[1] is 1024, allowed: a whole number from 0 to "
                   "1023");
    assert_refused("{\"devices\": [{\"role\": \"host\", \"pci\": \"b1:00.0\","
                   "\"engine\": {\"cpus\": 1}}]}",
                   "x.json:1: devices[0].engine.cpus is 1, allowed: an array of numbers of "
                   "processors");
    snprintf(text, sizeof(text), "{\"devices\": [{\"role\": \"host\", \"pci\": \"b1:00.0\", %s}]}",
             all);
    assert_refused(text, "x.json:1: devices[0].engine.cpus has 17 processors, allowed: 1 to 16");
    assert_refused_at("{\"devices\": [{\"role\": \"host\", \"pci\": \"b1:00.0\","
                      "\"engine\": {\"threads\": 17}}]}",
                      "x.json:1: devices[0].engine.threads is 17");
}

static void given_names_are_not_taken_twice(void **state)
{
    struct soft_topology *topology =
        parse("{\"devices\": [{\"role\":\"host\",\"pci\":\"01:00.0\"},"
              "{\"role\":\"host\",\"pci\":\"02:00.0\",\"ibdev\":\"mlx5_0\"}]}");

    (void)state;
    assert_string_equal(topology->devices[0].ibdev, "mlx5_1");
    assert_string_equal(topology->devices[1].ibdev, "mlx5_0");
    soft_device_topology_free(topology);
}

static void representors_default_to_the_card(void **state)
{
    struct soft_topology *topology =
        parse("{\"devices\": [" DPU ",\n"
              "{\"role\":\"dpu\",\"pci\":\"03:00.1\",\"representors\":[]},\n"
              "{\"role\":\"dpu\",\"pci\":\"03:00.0\",\"func_type\":\"SF\",\"sf_index\":1}," HOST
              ",{\"role\":\"host\",\"pci\":\"b2:00.0\",\"card\":\"other\"}]}");

    (void)state;
    assert_int_equal(topology->devices[0].nreps, 1);
    assert_int_equal(topology->devices[1].nreps, 0);
    assert_int_equal(topology->devices[2].nreps, 0);
    soft_device_topology_free(topology);
}

static void a_service_belongs_to_the_card(void **state)
{
    struct soft_topology *topology =
        parse("{\"devices\": [" HOST ",\n"
              "{\"role\":\"dpu\",\"pci\":\"03:00.0\",\"urom_service\":\"tcp:dpu-1:18610\"},\n"
              "{\"role\":\"dpu\",\"pci\":\"03:00.1\",\"urom_service\":\"unix:/run/other\"},\n"
              "{\"role\":\"host\",\"pci\":\"b2:00.0\",\"card\":\"B\"}]}");

    (void)state;
    assert_string_equal(topology->devices[0].urom_service, "tcp:dpu-1:18610");
    assert_string_equal(topology->devices[1].urom_service, "tcp:dpu-1:18610");
    assert_string_equal(topology->devices[2].urom_service, "unix:/run/other");
    assert_string_equal(topology->devices[3].urom_service, "");
    soft_device_topology_free(topology);
}

static void syntax_errors_name_the_line(void **state)
{
    (void)state;
    assert_refused_at("", "x.json:1: not valid JSON: ");
    assert_refused_at("{\n\"devices\": [\n,]}", "x.json:3: not valid JSON: ");
    assert_refused_at("{\"devices\": [], \"devices\": []}", "x.json:1: not valid JSON: duplicate");
    assert_refused_at("{\"devices\": []} x", "x.json:1: not valid JSON: ");
    assert_refused_at("{\"devices\": [\"\xff\"]}", "x.json:1: not valid JSON: ");
    assert_refused_at("{\"devices\": [\"\\u0000\"]}", "x.json:1: not valid JSON: ");
}

#define DEVICE(fields)                                                                             \
    "{\n\"devices\": [\n{\"role\": \"host\", \"pci\": \"b1:00.0\",\n" fields "}]}"

static void values_are_checked(void **state)
{
    static const struct {
        const char *text;
        const char *reason;
    } cases[] = {
        {DEVICE("\"mtu\": \"1500\""),
         "devices[0].mtu is \"1500\", allowed: a whole number from 68 to 65536"},
        {DEVICE("\"mtu\": 67"), "devices[0].mtu is 67, allowed: a whole number from 68 to 65536"},
        {DEVICE("\"mtu\": 65537"),
         "devices[0].mtu is 65537, allowed: a whole number from 68 to 65536"},
        {DEVICE("\"mtu\": 1500.0"),
         "devices[0].mtu is 1500.0, allowed: a whole number from 68 to 65536"},
        {DEVICE("\"vhca_id\": -1"),
         "devices[0].vhca_id is -1, allowed: a whole number from 0 to 65535"},
        {DEVICE("\"hotplug\": 1"), "devices[0].hotplug is 1, allowed: true or false"},
        {DEVICE("\"hotplug\": null"), "devices[0].hotplug is null, allowed: true or false"},
        {DEVICE("\"state\": \"up\""),
         "devices[0].state is \"up\", allowed: \"active\", \"down\", \"unknown\""},
        {DEVICE("\"func_type\": 0"), "devices[0].func_type is 0, allowed: \"PF\", \"VF\", \"SF\""},
        {DEVICE("\"card\": \"\""),
         "devices[0].card is \"\", allowed: printable text of 1 to 63 bytes"},
        {DEVICE("\"card\": [1]"),
         "devices[0].card is an array, allowed: printable text of 1 to 63 bytes"},
        {DEVICE("\"vuid\": \"a\\u001fb\""),
         "devices[0].vuid is \"a\\u001Fb\", allowed: printable text of 1 to 127 bytes"},
        {DEVICE("\"iface\": \"../x\""), "devices[0].iface is \"../x\", allowed: a name without "
                                        "spaces, '/' and ':' of 1 to 255 bytes"},
        {DEVICE("\"data_direct_pci\": \"5:0.0\""),
         "devices[0].data_direct_pci is \"5:0.0\", allowed: a PCI address such as \"0000:03:00.0\" "
         "or \"03:00.0\""},
        {DEVICE("\"mac\": \"2:0:0:0:0:1\""), "devices[0].mac is \"2:0:0:0:0:1\", allowed: a "
                                             "unicast MAC address such as \"02:00:00:00:00:01\""},
        {DEVICE("\"mac\": \"03:00:00:00:00:01\""),
         "devices[0].mac is \"03:00:00:00:00:01\", allowed: a unicast MAC address such as "
         "\"02:00:00:00:00:01\""},
        {DEVICE("\"ipv4\": \"10.1\""),
         "devices[0].ipv4 is \"10.1\", allowed: an IPv4 address such as \"192.0.2.1\""},
        {DEVICE("\"ipv6\": \"10.0.0.1\""),
         "devices[0].ipv6 is \"10.0.0.1\", allowed: an IPv6 address such as \"2001:db8::1\""},
        {DEVICE("\"urom_service\": \"tcp:dpu-1:0\""),
         "devices[0].urom_service is \"tcp:dpu-1:0\", allowed: /PATH, unix:/PATH, HOST, HOST:PORT "
         "or "
         "tcp:HOST:PORT of 1 to 239 bytes"},
        {DEVICE("\"urom_service\": 18610"),
         "devices[0].urom_service is 18610, allowed: /PATH, unix:/PATH, HOST, HOST:PORT or "
         "tcp:HOST:PORT of 1 to 239 bytes"},
        {DEVICE("\"comment\": 1"), "devices[0].comment is 1, allowed: text"},
        {DEVICE("\"caps\": true"), "devices[0].caps is true, allowed: an object of capabilities"},
        {DEVICE("\"caps\": {\"dma_max_buf_size\": \"2X\"}"),
         "devices[0].caps.dma_max_buf_size is \"2X\", allowed: a whole number from 1 to "
         "9223372036854775807, or text such as \"64K\", \"2M\", \"1G\""},
        {DEVICE("\"caps\": {\"dma_max_list_len\": 0}"),
         "devices[0].caps.dma_max_list_len is 0, allowed: a whole number from 1 to 65535"},
        {DEVICE("\"copy\": {\"engine\": \"gpu\"}"),
         "devices[0].copy.engine is \"gpu\", allowed: \"inline\", \"threads\", \"error\""},
        {DEVICE("\"copy\": {\"error_base\": \"error\"}"),
         "devices[0].copy.error_base is \"error\", allowed: \"inline\", \"threads\""},
        {DEVICE("\"profile\": \"bf9\""), "devices[0].profile is \"bf9\", allowed: \"default\", "
                                         "\"bf2\", \"bf3\", \"cx7\", \"unlimited\""},
        {DEVICE("\"profile\": 3"),
         "devices[0].profile is 3, allowed: \"default\", \"bf2\", \"bf3\", \"cx7\", \"unlimited\""},
        {DEVICE("\"sf_index\": 1"),
         "devices[0].sf_index is 1, allowed: only with \"func_type\": \"SF\""},
        {DEVICE("\"vf_index\": 1"),
         "devices[0].vf_index is 1, allowed: only with \"func_type\": \"VF\""},
        {DEVICE("\"lid\": 1"),
         "devices[0].lid is 1, allowed: only with \"link_layer\": \"infiniband\""},
        {DEVICE("\"representors\": []"),
         "devices[0].representors is an array, allowed: only with \"role\": \"dpu\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char reason[SOFT_REASON_SIZE];

        snprintf(reason, sizeof(reason), "x.json:4: %s", cases[i].reason);
        assert_refused(cases[i].text, reason);
    }
}

static void unknown_fields_are_refused_everywhere(void **state)
{
    (void)state;
    assert_refused("{\"devices\": [],\n\"device\": []}",
                   "x.json:2: device is an unknown field, allowed: comment, bf_mode, bfb_file, "
                   "profiles, devices");
    assert_refused_at(DEVICE("\"speed\":\n1"),
                      "x.json:4: devices[0].speed is an unknown field, allowed: role, pci, card, ");
    assert_refused_at(
        DEVICE("\"caps\": {\n\"dma\": {}}"),
        "x.json:5: devices[0].caps.dma is an unknown field, allowed: mmap_export_pci");
    assert_refused(DEVICE("\"copy\": {\n\"lanes\": 2}"),
                   "x.json:5: devices[0].copy.lanes is an unknown field, allowed: engine, "
                   "error_base, threads, split_above, faults");
    assert_refused("{\"profiles\": {\n\"a.b\": {\n\"x\": 1}}, \"devices\": []}",
                   "x.json:3: profiles.a.b.x is an unknown field, allowed: comment, base, "
                   "active_rate, caps, copy");
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    assert_refused("[]", "x.json:1: the file is an array, allowed: an object of profiles and "
                         "devices");
    assert_refused("\n{}", "x.json:2: devices is missing, required: an array of devices, [] for "
                           "none");
    assert_refused("{\"devices\": {}}",
                   "x.json:1: devices is an object, allowed: an array of devices");
    assert_refused("{\"devices\": [\n7]}",
                   "x.json:2: devices[0] is 7, allowed: an object of device fields");
    assert_refused("{\"devices\": [" HOST ",\n{\"pci\": \"01:00.0\"}]}",
                   "x.json:2: devices[1].role is missing, required: \"host\" or \"dpu\"");
    assert_refused("{\"devices\": [\n\n{\"role\": \"dpu\"}]}",
                   "x.json:3: devices[0].pci is missing, required: a PCI address such as "
                   "\"0000:03:00.0\"");
    assert_refused(DEVICE("\"func_type\": \"SF\""),
                   "x.json:3: devices[0].sf_index is missing, required: the number of the sub "
                   "function");
}

static void devices_must_differ(void **state)
{
    (void)state;
    assert_refused("{\"devices\": [" HOST "," DPU
                   ",\n{\"role\":\"host\",\n\"pci\":\"0000:B1:00.0\"}]}",
                   "x.json:3: devices[2].pci is \"0000:B1:00.0\", allowed: an address that no "
                   "other host device has; devices[0] has it");
    assert_refused("{\"devices\": [{\"role\":\"host\",\"pci\":\"01:00.0\",\"ibdev\":\"r\"},\n"
                   "{\"role\":\"host\",\"pci\":\"02:00.0\",\"ibdev\":\"r\"}]}",
                   "x.json:2: devices[1].ibdev is \"r\", allowed: a name that no other host device "
                   "has; devices[0] has it");
    /* Host and DPU number their buses each for itself. */
    soft_device_topology_free(
        parse("{\"devices\": [" HOST ",{\"role\":\"dpu\",\"pci\":\"b1:00.0\"}]}"));
}

#define WITH_REPS(reps)                                                                            \
    "{\"devices\": [" HOST ",{\"role\":\"host\",\"pci\":\"b2:00.0\",\"card\":\"B\"},\n"            \
    "{\"role\":\"dpu\",\"pci\":\"03:00.0\",\"representors\": " reps "}]}"

static void representors_must_exist(void **state)
{
    (void)state;
    assert_refused(WITH_REPS("7"), "x.json:2: devices[2].representors is 7, allowed: an array of "
                                   "addresses of host devices");
    assert_refused(WITH_REPS("[\n\"b1:00.1\"]"),
                   "x.json:3: devices[2].representors[0] is \"b1:00.1\", allowed: the address of a "
                   "host device of this file");
    assert_refused(WITH_REPS("[\"b1:00.0\",\n\"b1:00.0/sf1\"]"),
                   "x.json:3: devices[2].representors[1] is \"b1:00.0/sf1\", allowed: the address "
                   "of a host device of this file");
    assert_refused(WITH_REPS("[\"03:00.0\"]"),
                   "x.json:2: devices[2].representors[0] is \"03:00.0\", allowed: the address of a "
                   "host device of this file");
    assert_refused(WITH_REPS("[\"mlx5_0\"]"),
                   "x.json:2: devices[2].representors[0] is \"mlx5_0\", allowed: the address of a "
                   "host device such as \"0000:b1:00.0\" or \"0000:b1:00.0/sf1\"");
    assert_refused(WITH_REPS("[\"b1:00.0\", \"0000:b1:00.0\"]"),
                   "x.json:2: devices[2].representors[1] is \"0000:b1:00.0\", allowed: each host "
                   "device once");
    assert_refused(WITH_REPS("[\"b2:00.0\"]"),
                   "x.json:2: devices[2].representors[0] is \"b2:00.0\", allowed: host devices of "
                   "card \"card0\"; this one is of \"B\"");
}

static void profiles_are_checked(void **state)
{
    (void)state;
    assert_refused("{\"profiles\": {\n\"bf3\": {}}, \"devices\": []}",
                   "x.json:2: profiles.bf3 redefines a built-in profile, choose another name");
    assert_refused("{\"profiles\": {\"a\": {\n\"base\": \"b\"}, \"b\": {}}, \"devices\": []}",
                   "x.json:2: profiles.a.base is \"b\", allowed: \"default\", \"bf2\", \"bf3\", "
                   "\"cx7\", \"unlimited\"");
    assert_refused("{\"profiles\": {\"\": {}}, \"devices\": []}",
                   "x.json:1: profiles. is a name of 0 bytes, allowed: 1 to 63");
    /* A profile may build on one that stands before it. */
    soft_device_topology_free(
        parse("{\"profiles\": {\"a\": {}, \"b\": {\"base\": \"a\"}}, \"devices\": []}"));
}

/* The line comes from a second walk through the text, which must not be misled. */
static void lines_are_found_behind_anything(void **state)
{
    (void)state;
    assert_refused("{\"comment\": \"}], {[ \\\" \\\\\",\n\"profiles\": {\"q\\\"]\": {}},\n"
                   "\"devices\": [" DPU ",\n" HOST ",\n{\"role\": \"host\", \"pci\": \"02:00.0\",\n"
                   "\"caps\": {\"max_opens\": 1, \"dma_memcpy\": true,\n\"rep_filter_net\": 0}}]}",
                   "x.json:7: devices[2].caps.rep_filter_net is 0, allowed: true or false");
    assert_refused("{\"devices\": [],\n\"pro\\u0066iles\": 1}",
                   "x.json:2: profiles is 1, allowed: an object of profiles");
    assert_refused_at("{\"devices\": [\n{\"a\\nb\": 1}]}",
                      "x.json:2: devices[0].a b is an unknown field");
}

static void long_input_is_cut_in_messages(void **state)
{
    char text[4096], name[600];
    struct soft_topology *topology;

    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(text, sizeof(text), "{\"devices\": [{\"%s\": \"%s\", \"vuid\": 1}]}", name, name);
    assert_int_equal(soft_device_parse(text, strlen(text), name, &topology), -EINVAL);
    assert_non_null(strstr(soft_reason(), "is an unknown field, allowed: role"));
}

static void limits_of_the_format(void **state)
{
    char text[1024 * 3 + 64];
    size_t len = (size_t)snprintf(text, sizeof(text), "{\"devices\": [{}");

    (void)state;
    for (int i = 0; i < 1024; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, ",{}");
    snprintf(text + len, sizeof(text) - len, "]}");
    assert_refused(text, "x.json:1: devices has 1025 devices, allowed: at most 1024");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_that_cannot_be_meant_is_a_mistake_of_the_file),
        cmocka_unit_test(an_empty_list_is_no_error),
        cmocka_unit_test(two_lines_make_a_pair),
        cmocka_unit_test(everything_can_be_said),
        cmocka_unit_test(processors_are_checked),
        cmocka_unit_test(given_names_are_not_taken_twice),
        cmocka_unit_test(representors_default_to_the_card),
        cmocka_unit_test(a_service_belongs_to_the_card),
        cmocka_unit_test(syntax_errors_name_the_line),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(unknown_fields_are_refused_everywhere),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(devices_must_differ),
        cmocka_unit_test(representors_must_exist),
        cmocka_unit_test(profiles_are_checked),
        cmocka_unit_test(lines_are_found_behind_anything),
        cmocka_unit_test(long_input_is_cut_in_messages),
        cmocka_unit_test(limits_of_the_format),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
