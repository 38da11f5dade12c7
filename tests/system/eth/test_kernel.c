/* SPDX-License-Identifier: BSD-3-Clause */
/* The network stack of another namespace talks with queues: a datagram from its socket arrives with
 * its checksums complete and its VLAN tag, and the answer arrives at its socket; what no rule wants
 * is answered by the stack behind the port. */

#include "lib/eth_fixture.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <doca_flow.h>
#include <doca_log.h>

#define ROUNDS 20
#define VLAN   7
#define PORT   5000
#define PLACE  2048u
#define FRAMES (64u * PLACE)

/* ------------------------------------------------------------------------------------------------
 * The other side: a process in a namespace of its own
 */

/* Sends datagrams of growing length until each is answered by the same bytes. */
static int talk(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    char bytes[1400], answer[1400];

    inet_pton(AF_INET, "192.0.2.2", &to.sin_addr);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
        return 3;
    for (int i = 0; i < ROUNDS; i++) {
        size_t len = 1 + (size_t)i * 71;
        struct pollfd wait = {.fd = fd, .events = POLLIN};

        memset(bytes, 'a' + i, len);
        if (send(fd, bytes, len, 0) != (ssize_t)len)
            return 4;
        if (poll(&wait, 1, 20000) != 1)
            return 5;
        if (recv(fd, answer, sizeof(answer), 0) != (ssize_t)len || memcmp(answer, bytes, len) != 0)
            return 6;
    }
    close(fd);
    return 0;
}

#define NEIGHBOUR " 192.0.2.2 lladdr 02:00:00:00:00:22 dev odva"

static bool has_stack; /* the port leaves to it what no rule wants */

/* The stack behind the port says who has the address (ARP), and that nobody listens (TCP). */
static int knock(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    const struct timeval limit = {.tv_sec = 20};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_refused;

    inet_pton(AF_INET, "192.0.2.2", &to.sin_addr);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) != 0 ||
        system("ip neigh del" NEIGHBOUR) != 0)
        return 8;
    is_refused = connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 && errno == ECONNREFUSED;
    close(fd);
    return is_refused && system("ip neigh replace" NEIGHBOUR) == 0 ? 0 : 9;
}

/* What goes out gets a tag, which is left to the interface to write; what comes in loses it. -1:
 * the kernel cannot do that (before 6.6). The program runs as long as this process. */
static int attach_tags(int ifindex, bool goes_out)
{
    enum { VLAN_PUSH = 18, VLAN_POP = 19, TCX_INGRESS = 46, TCX_EGRESS = 47 };
    const struct bpf_insn code[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = htons(0x8100)},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = VLAN},
        {.code = BPF_JMP | BPF_CALL, .imm = goes_out ? VLAN_PUSH : VLAN_POP},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0}, /* go on */
        {.code = BPF_JMP | BPF_EXIT},
    };
    union bpf_attr load, link;
    int fd, err = EAGAIN;

    memset(&load, 0, sizeof(load));
    load.prog_type = BPF_PROG_TYPE_SCHED_CLS;
    load.insns = (uintptr_t)code;
    load.insn_cnt = sizeof(code) / sizeof(code[0]);
    load.license = (uintptr_t) "BSD";
    for (fd = -1; fd < 0 && err == EAGAIN; err = errno)
        fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
    memset(&link, 0, sizeof(link));
    link.link_create.prog_fd = (uint32_t)fd;
    link.link_create.target_ifindex = (uint32_t)ifindex;
    link.link_create.attach_type = goes_out ? TCX_EGRESS : TCX_INGRESS;
    return fd < 0 ? -1 : (int)syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link));
}

static bool has_tags; /* can be made, and are not lost */
static FILE *logged;
static bool loses_tags; /* the port, when they are left to the interface */

static int talk_with_tags(void)
{
    const int ifindex = (int)if_nametoindex("odva");

    if (attach_tags(ifindex, true) < 0 || attach_tags(ifindex, false) < 0)
        return 7;
    return talk();
}

/* In the child: `ready` says that the namespace is there, `go` that it is time to talk. */
static int be_other_side(int ready, int go)
{
    char byte = 0;

    if (unshare(CLONE_NEWNET) != 0)
        return 2;
    if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
        return 2;
    if (system("ip addr add 192.0.2.1/24 dev odva && ip link set odva up &&"
               " ip neigh replace" NEIGHBOUR) != 0)
        return 2;
    byte = (char)talk();
    if (byte == 0 && has_stack)
        byte = (char)knock();
    return byte != 0 || !has_tags ? byte : talk_with_tags();
}

static pid_t other;
static int other_goes;

/* Before this process has threads; the interface odva moves into the namespace of the child. */
static void fork_other_side(void)
{
    int ready[2], go[2];
    char command[96], byte = 0;

    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    fflush(NULL);
    other = fork();
    if (other == 0) {
        close(ready[0]);
        close(go[1]);
        _exit(be_other_side(ready[1], go[0]));
    }
    assert_true(other > 0);
    close(ready[1]);
    close(go[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    snprintf(command, sizeof(command), "ip link set odva netns %d", (int)other);
    assert_int_equal(system(command), 0);
    other_goes = go[1];
}

static void let_other_side_go(void)
{
    char byte = 0;

    assert_int_equal(write(other_goes, &byte, 1), 1);
    close(other_goes);
}

/* ------------------------------------------------------------------------------------------------
 * This side: receives and answers
 */

static struct {
    struct eth_fix fix;
    struct doca_eth_rxq *rxq;
    struct doca_ctx *rx_ctx;
    struct eth_sender sender;
    struct doca_flow_port *port;
    uint32_t received, good, tagged;
} s;

static void swap_bytes(char *a, char *b, size_t len)
{
    char kept[16];

    memcpy(kept, a, len);
    memcpy(a, b, len);
    memcpy(b, kept, len);
}

/* The same datagram the other way round; its sums are left to the queue. */
static void answer(const char *frame, size_t len)
{
    static const char tag[4] = {(char)0x81, 0, 0, VLAN};
    const bool is_tagged = memcmp(frame + 12, tag, sizeof(tag)) == 0;
    size_t offset = FRAMES + s.received % 32 * PLACE;
    char *at = s.fix.mem + offset, *ip = at + 14 + (is_tagged ? sizeof(tag) : 0);

    s.tagged += is_tagged ? 1 : 0;
    memcpy(at, frame, len);
    swap_bytes(at, at + 6, 6);
    swap_bytes(ip + 12, ip + 16, 4);
    swap_bytes(ip + 20, ip + 22, 2);
    memset(ip + 10, 0x77, 2);
    memset(ip + 26, 0x77, 2);
    eth_send_buf(&s.sender, eth_buf(&s.fix, offset, len, len));
}

static void received(struct doca_eth_rxq_task_recv *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct doca_task *base = doca_eth_rxq_task_recv_as_doca_task(task);
    uint8_t l3_ok, l4_ok;
    struct doca_buf *buf;
    void *data;
    size_t len;

    (void)task_data;
    (void)ctx_data;
    assert_ok(doca_eth_rxq_task_recv_get_pkt(task, &buf));
    if (doca_task_get_status(base) != DOCA_SUCCESS) {
        doca_task_free(base);
        assert_ok(doca_buf_dec_refcount(buf, NULL));
        return;
    }
    assert_ok(doca_eth_rxq_task_recv_get_l3_ok(task, &l3_ok));
    assert_ok(doca_eth_rxq_task_recv_get_l4_ok(task, &l4_ok));
    assert_ok(doca_buf_get_data(buf, &data));
    assert_ok(doca_buf_get_data_len(buf, &len));
    s.good += l3_ok == 1 && l4_ok == 1 ? 1 : 0;
    answer(data, len);
    s.received++;
    assert_ok(doca_buf_reset_data_len(buf));
    assert_ok(doca_task_submit(base));
}

static void open_receiver(void)
{
    assert_ok(doca_eth_rxq_create(s.fix.b, 32, PLACE, &s.rxq));
    s.rx_ctx = doca_eth_rxq_as_doca_ctx(s.rxq);
    assert_ok(doca_eth_rxq_task_recv_set_conf(s.rxq, received, received, 16));
    assert_ok(doca_pe_connect_ctx(s.fix.pe, s.rx_ctx));
    assert_ok(doca_ctx_start(s.rx_ctx));
    assert_ok(doca_eth_rxq_apply_queue_id(s.rxq, 0));
    for (uint32_t i = 0; i < 16; i++) {
        struct doca_eth_rxq_task_recv *task;

        assert_ok(doca_eth_rxq_task_recv_allocate_init(s.rxq, eth_buf(&s.fix, i * PLACE, PLACE, 0),
                                                       (union doca_data){.u64 = 0}, &task));
        assert_ok(doca_task_submit(doca_eth_rxq_task_recv_as_doca_task(task)));
    }
}

/* From the device that receives; both sums are written. */
static void open_sender(void)
{
    assert_ok(doca_eth_txq_create(s.fix.b, 64, &s.sender.txq));
    s.sender.ctx = doca_eth_txq_as_doca_ctx(s.sender.txq);
    assert_ok(doca_ctx_set_user_data(s.sender.ctx, (union doca_data){.ptr = &s.sender}));
    assert_ok(doca_eth_txq_task_send_set_conf(s.sender.txq, eth_sent, eth_sent, 64));
    assert_ok(doca_eth_txq_set_l3_chksum_offload(s.sender.txq, 1));
    assert_ok(doca_eth_txq_set_l4_chksum_offload(s.sender.txq, 1));
    assert_ok(doca_pe_connect_ctx(s.fix.pe, s.sender.ctx));
    assert_ok(doca_ctx_start(s.sender.ctx));
}

/* UDP to our port goes to the queue, all else to the kernel. */
static void open_steering(void)
{
    const struct doca_flow_match udp = {.outer = {.l3_type = DOCA_FLOW_L3_TYPE_IP4,
                                                  .l4_type_ext = DOCA_FLOW_L4_TYPE_EXT_UDP,
                                                  .udp = {.l4_port = {.dst_port = htons(PORT)}}},
                                        .parser_meta = {.outer_l4_checksum_ok = 1}};
    uint16_t id = 0;
    const struct doca_flow_fwd fwd = {.type = DOCA_FLOW_FWD_RSS,
                                      .rss = {.queues_array = &id, .nr_queues = 1}};
    struct doca_flow_port_cfg *port_cfg;
    struct doca_flow_pipe_cfg *cfg;
    struct doca_flow_cfg *flow_cfg;
    struct doca_flow_pipe *pipe;

    assert_ok(doca_flow_cfg_create(&flow_cfg));
    assert_ok(doca_flow_cfg_set_mode_args(flow_cfg, "vnf,hws"));
    assert_ok(doca_flow_init(flow_cfg));
    assert_ok(doca_flow_cfg_destroy(flow_cfg));
    assert_ok(doca_flow_port_cfg_create(&port_cfg));
    assert_ok(doca_flow_port_cfg_set_port_id(port_cfg, 0));
    assert_ok(doca_flow_port_cfg_set_dev(port_cfg, s.fix.b));
    assert_ok(doca_flow_port_start(port_cfg, &s.port));
    assert_ok(doca_flow_port_cfg_destroy(port_cfg));
    assert_ok(doca_flow_pipe_cfg_create(&cfg, s.port));
    assert_ok(doca_flow_pipe_cfg_set_is_root(cfg, true));
    assert_ok(doca_flow_pipe_cfg_set_match(cfg, &udp, NULL));
    assert_ok(doca_flow_pipe_create(cfg, &fwd, NULL, &pipe));
    assert_ok(doca_flow_pipe_cfg_destroy(cfg));
    assert_ok(doca_flow_pipe_basic_add_entry(0, pipe, NULL, 0, NULL, NULL, NULL, 0, NULL, NULL));
}

static bool has_logged(const char *text)
{
    char bytes[4096];
    size_t len;

    fflush(logged);
    rewind(logged);
    len = fread(bytes, 1, sizeof(bytes) - 1, logged);
    bytes[len] = '\0';
    return strstr(bytes, text) != NULL;
}

static void a_socket_elsewhere_is_answered(void **state)
{
    double end = eth_seconds() + 60;
    int status = -1;
    pid_t ended = 0;

    (void)state;
    fork_other_side();
    eth_fix_open(&s.fix, 2 * FRAMES);
    open_receiver();
    open_sender();
    open_steering();
    let_other_side_go();
    while ((ended = waitpid(other, &status, WNOHANG)) == 0 && eth_seconds() < end)
        doca_pe_progress(s.fix.pe);
    assert_int_equal(ended, other);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(s.received, has_tags ? 2 * ROUNDS : ROUNDS);
    assert_int_equal(s.good, s.received);
    assert_int_equal(s.tagged, s.received - ROUNDS);
    assert_int_equal(has_logged("txvlan off"), loses_tags);
    eth_wait(&s.fix, &s.sender.done, s.received);
    assert_int_equal(s.sender.failed, 0);

    doca_flow_destroy();
    eth_stop(&s.fix, s.rx_ctx);
    assert_ok(doca_eth_rxq_destroy(s.rxq));
    eth_sender_close(&s.fix, &s.sender);
    eth_fix_close(&s.fix);
}

/* From here on the interface is not left to write them: they are in the frames. */
static bool write_tags_at_once(const char *iface)
{
    struct ethtool_value flags = {.cmd = ETHTOOL_GFLAGS};
    struct ifreq ifr = {.ifr_data = (char *)&flags};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool fine;

    snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", iface);
    fine = ioctl(fd, SIOCETHTOOL, &ifr) == 0;
    flags.cmd = ETHTOOL_SFLAGS;
    flags.data &= ~(uint32_t)ETH_FLAG_TXVLAN;
    fine = fine && ioctl(fd, SIOCETHTOOL, &ifr) == 0;
    close(fd);
    return fine;
}

/* A program in the driver learns of tags beside the frame from newer kernels only, one in the stack
 * never. */
static bool keeps_tags(const char *kind)
{
    int out = attach_tags((int)if_nametoindex("odva"), true);

    if (out < 0)
        return false;
    close(out);
    loses_tags = strcmp(kind, "af_xdp_generic") == 0 ||
                 (strcmp(kind, "af_xdp") == 0 &&
                  system("grep -qw bpf_xdp_metadata_rx_vlan_tag /proc/kallsyms") != 0);
    return !loses_tags || write_tags_at_once("odva");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_socket_elsewhere_is_answered)};
    const char *kind = argc > 1 ? argv[1] : "af_packet";
    struct doca_log_backend *backend;
    int rc = eth_wire_up(kind);

    if (rc != 0)
        return rc;
    has_stack = strncmp(kind, "af_xdp", 6) == 0;
    if (has_stack)
        assert_int_equal(system("ip addr add 192.0.2.2/24 dev odvb"), 0);
    logged = tmpfile();
    assert_ok(doca_log_backend_create_with_file_sdk(logged, &backend));
    assert_ok(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING));
    has_tags = keeps_tags(kind);
    if (!has_tags)
        print_message("without tags: they cannot be made, or this kernel loses them\n");
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    eth_wire_down();
    return rc;
}
