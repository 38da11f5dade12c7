/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/bench.h"

#define GENERATOR "gen0"
#define SINK      "sink0"
#define REPEAT    262144u /* frames a call: each call costs about half a millisecond by itself */
#define BATCH     64u
#define PORT_AT   34 /* of the source port in the frame */

static volatile struct traffic_result *shared; /* with the child */
static pid_t child;

const char *traffic_make_interfaces(void)
{
    FILE *quiet;

    if (unshare(CLONE_NEWNET) != 0)
        return "no right to make a network namespace (CAP_SYS_ADMIN)";
    quiet = fopen("/proc/sys/net/ipv6/conf/default/disable_ipv6", "w");
    if (quiet != NULL) {
        fputs("1", quiet);
        fclose(quiet);
    }
    if (system("ip link add " GENERATOR " type veth peer name " TRAFFIC_RX " 2>/dev/null &&"
               " ip link add " TRAFFIC_TX " type veth peer name " SINK " 2>/dev/null &&"
               " for i in " GENERATOR " " TRAFFIC_RX " " TRAFFIC_TX " " SINK
               "; do ip link set $i up promisc on || exit 1; done") != 0)
        return "no veth pair can be made (is iproute2 there?)";
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared != MAP_FAILED ? NULL : "no memory";
}

int traffic_ifindex(const char *name)
{
    return (int)if_nametoindex(name);
}

void traffic_frame(uint8_t *frame, uint32_t size)
{
    static const uint8_t head[] = {2,   0,    0, 0, 0,   2, 2, 0, 0, 0,  0,    1,   8,
                                   0,   0x45, 0, 0, 0,   0, 0, 0, 0, 64, 17,   0,   0,
                                   192, 0,    2, 1, 192, 0, 2, 2, 0, 7,  0x13, 0x88};
    uint16_t word;

    memset(frame, 0x5a, size);
    memcpy(frame, head, sizeof(head));
    word = htons((uint16_t)(size - 14));
    memcpy(frame + 16, &word, 2);
    word = htons((uint16_t)(size - 34));
    memcpy(frame + 38, &word, 2);
    memset(frame + 40, 0, 2);
}

/* ---- BPF ---- */

int traffic_bpf(int command, union bpf_attr *attr)
{
    int rc = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

    return rc < 0 ? -errno : rc;
}

int traffic_load_program(const struct bpf_insn *insns, uint32_t n)
{
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_XDP,
                           .insn_cnt = n,
                           .insns = (uintptr_t)insns,
                           .license = (uintptr_t) "BSD"};

    return traffic_bpf(BPF_PROG_LOAD, &attr);
}

#define LOAD(dst, src, offset)                                                                     \
    {                                                                                              \
        .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = (dst), .src_reg = (src), .off = (offset)     \
    }
#define MOVE(dst, src)                                                                             \
    {                                                                                              \
        .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (dst), .src_reg = (src)                    \
    }
#define SET(dst, value)                                                                            \
    {                                                                                              \
        .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (dst), .imm = (value)                      \
    }
#define ADD(dst, value)                                                                            \
    {                                                                                              \
        .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (dst), .imm = (value)                      \
    }
#define AND(dst, value)                                                                            \
    {                                                                                              \
        .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = (dst), .imm = (value)                      \
    }
#define CALL(what)                                                                                 \
    {                                                                                              \
        .code = BPF_JMP | BPF_CALL, .imm = (what)                                                  \
    }
#define EXIT                                                                                       \
    {                                                                                              \
        .code = BPF_JMP | BPF_EXIT                                                                 \
    }
#define SKIP_GT(a, b, n)                                                                           \
    {                                                                                              \
        .code = BPF_JMP | BPF_JGT | BPF_X, .dst_reg = (a), .src_reg = (b), .off = (n)              \
    }
#define STORE16(dst, src, offset)                                                                  \
    {                                                                                              \
        .code = BPF_STX | BPF_MEM | BPF_H, .dst_reg = (dst), .src_reg = (src), .off = (offset)     \
    }

/* Out of the generator's interface, from one flow or many. */
static int load_redirect(uint32_t flows)
{
    const struct bpf_insn insns[] = {
        MOVE(6, 1),
        CALL(BPF_FUNC_get_prandom_u32),
        AND(0, (int)(flows - 1)),
        LOAD(2, 6, offsetof(struct xdp_md, data)),
        LOAD(3, 6, offsetof(struct xdp_md, data_end)),
        MOVE(4, 2),
        ADD(4, PORT_AT + 2),
        SKIP_GT(4, 3, 1),
        STORE16(2, 0, PORT_AT),
        SET(1, traffic_ifindex(GENERATOR)),
        SET(2, 0),
        CALL(BPF_FUNC_redirect),
        EXIT,
    };

    return traffic_load_program(insns, sizeof(insns) / sizeof(insns[0]));
}

static void send_fast(const struct traffic *traffic, double end)
{
    uint8_t frame[2048];
    int program = load_redirect(traffic->flows);

    if (program < 0)
        bench_die("the generator's program", strerror(-program));
    traffic_frame(frame, traffic->size);
    while (bench_now() < end) {
        union bpf_attr attr = {.test = {.prog_fd = (uint32_t)program,
                                        .data_in = (uintptr_t)frame,
                                        .data_size_in = traffic->size,
                                        .repeat = REPEAT,
                                        .flags = BPF_F_TEST_XDP_LIVE_FRAMES,
                                        .batch_size = BATCH}};
        int rc = traffic_bpf(BPF_PROG_TEST_RUN, &attr);

        if (rc < 0)
            bench_die("the generator's run", strerror(-rc));
        shared->frames += REPEAT;
    }
}

/* ---- a packet socket ---- */

static void send_ordinary(const struct traffic *traffic, double end)
{
    const struct sockaddr_ll addr = {.sll_family = AF_PACKET,
                                     .sll_ifindex = traffic_ifindex(GENERATOR)};
    static struct mmsghdr messages[BATCH];
    uint8_t frame[2048];
    struct iovec iov = {frame, traffic->size};
    int fd = socket(AF_PACKET, SOCK_RAW, 0), yes = 1;

    if (fd < 0 || bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0)
        bench_die("the generator's socket", strerror(errno));
    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &yes, sizeof(yes));
    traffic_frame(frame, traffic->size);
    for (unsigned int i = 0; i < BATCH; i++)
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &iov, .msg_iovlen = 1};
    while (bench_now() < end) {
        int sent = sendmmsg(fd, messages, BATCH, 0);

        shared->frames += sent > 0 ? sent : 0;
    }
}

void traffic_start(const struct traffic *traffic, double seconds)
{
    *shared = (struct traffic_result){0};
    child = fork();
    if (child < 0)
        bench_die("fork", strerror(errno));
    if (child == 0) {
        double begin = bench_now();

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        bench_pin(TRAFFIC_CORE);
        if (traffic->kind == TRAFFIC_FAST)
            send_fast(traffic, begin + seconds);
        else
            send_ordinary(traffic, begin + seconds);
        shared->seconds = bench_now() - begin;
        _exit(0);
    }
}

bool traffic_is_over(void)
{
    return shared->seconds > 0;
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

void traffic_wait(struct traffic_result *result)
{
    struct rusage usage;
    int status = 0;

    wait4(child, &status, 0, &usage);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bench_die("the generator", "it failed");
    *result = *shared;
    result->cpu = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
}

double traffic_sunk(void)
{
    FILE *file = fopen("/proc/self/net/dev", "r");
    char line[512];
    double frames = 0;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        sscanf(line, " " SINK ": %*u %lf", &frames);
    if (file != NULL)
        fclose(file);
    return frames;
}
