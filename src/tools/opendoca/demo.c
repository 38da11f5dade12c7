/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/demo.h"
#include "tools/opendoca/demo_packets.h"
#include "tools/opendoca/demo_urom.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <opendoca.h>

#include "tools/opendoca/opendoca_tool.h"
#include "util/cleanup.h"
#include "util/parse.h"

#define BLOCK      (4u << 20)
#define SIZE_LIMIT (UINT64_C(1) << 50)

double demo_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Four independent multiply chains: as fast as memory, and every bit and every position counts. */
uint64_t demo_checksum(const void *data, size_t size)
{
    uint64_t lane[4] = {1, 3, 5, 7}, sum = size;
    const char *p = data;

    for (; size >= 32; size -= 32, p += 32) {
        for (int i = 0; i < 4; i++) {
            uint64_t word;

            memcpy(&word, p + i * 8, 8);
            lane[i] = (lane[i] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        }
    }
    for (; size > 0; size--, p++)
        lane[0] = (lane[0] ^ (unsigned char)*p) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 4; i++)
        sum = ((sum ^ lane[i]) * UINT64_C(0xff51afd7ed558ccd)) ^ (lane[i] >> 33);
    return sum;
}

void *demo_memory(size_t size, bool shareable)
{
    OD_AUTO_FD int fd = shareable ? memfd_create("opendoca-demo", MFD_CLOEXEC) : -1;
    void *memory = MAP_FAILED;

    if (!shareable || (fd >= 0 && ftruncate(fd, (off_t)size) == 0))
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      shareable ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "demo: no memory for %zu bytes; try --size 128M\n", size);
        return NULL;
    }
    madvise(memory, size, MADV_HUGEPAGE);
    memset(memory, 0, size); /* page faults are not what the demo measures */
    return memory;
}

void demo_memory_free(void *memory, size_t size)
{
    if (memory != NULL)
        munmap(memory, size);
}

doca_error_t demo_open_device(struct doca_dev **dev)
{
    struct doca_devinfo **list;
    uint32_t count;
    doca_error_t result = doca_devinfo_create_list(&list, &count);

    if (result != DOCA_SUCCESS)
        return result;
    result = count > 0 ? doca_dev_open(list[0], dev) : DOCA_ERROR_NOT_FOUND;
    doca_devinfo_destroy_list(list);
    return result;
}

doca_error_t demo_map(struct doca_dev *dev, void *memory, size_t size, uint32_t access,
                      struct doca_mmap **map)
{
    struct doca_mmap *created;
    doca_error_t result = doca_mmap_create(&created);

    if (result != DOCA_SUCCESS)
        return result;
    result = doca_mmap_add_dev(created, dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(created, memory, size);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(created, access);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(created);
    if (result == DOCA_SUCCESS)
        *map = created;
    else
        doca_mmap_destroy(created);
    return result;
}

bool demo_failed(doca_error_t result, const char *step)
{
    if (result == DOCA_SUCCESS)
        return false;
    fprintf(stderr, "demo: %s: %s\n  %s\n", step, doca_error_get_name(result),
            opendoca_last_error());
    return true;
}

struct demo {
    size_t size;
    char folder[PATH_MAX];
    char input[PATH_MAX + 16];
    char output[PATH_MAX + 16];
    bool keep;
    const char *part; /* NULL: all */
};

static void fill_block(uint64_t *block, size_t words, uint64_t *seed)
{
    for (size_t i = 0; i < words; i++) {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        block[i] = *seed;
    }
}

static int make_file(const struct demo *demo)
{
    OD_AUTO_FD int fd = open(demo->input, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    OD_AUTO_FREE uint64_t *block = malloc(BLOCK);
    uint64_t seed = UINT64_C(0x2545f4914f6cdd1d);

    if (fd < 0 || block == NULL) {
        fprintf(stderr, "demo: cannot create %s: %s\n", demo->input, strerror(errno));
        return -1;
    }
    for (size_t done = 0; done < demo->size;) {
        size_t len = demo->size - done < BLOCK ? demo->size - done : BLOCK;

        fill_block(block, BLOCK / sizeof(*block), &seed);
        if (demo_write(fd, demo->input, block, len) != 0)
            return -1;
        done += len;
    }
    return 0;
}

static int checksum_file(const char *path, size_t size, uint64_t *sum)
{
    OD_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *p;

    if (fd < 0 || fstat(fd, &st) != 0 || (size_t)st.st_size != size)
        return -1;
    p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (p == MAP_FAILED)
        return -1;
    *sum = demo_checksum(p, size);
    munmap(p, size);
    return 0;
}

static int wait_for(pid_t pid)
{
    int status = 0;

    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return EXIT_FAILURE;
    return tool_exit_status(status);
}

static int run_sides(struct demo *demo)
{
    struct tool_env host_env = {.role = "host"}, dpu_env = {.role = "dpu"};
    char *host_argv[] = {(char *)"/proc/self/exe", (char *)"demo-host", demo->input, demo->output,
                         NULL};
    char *dpu_argv[] = {(char *)"/proc/self/exe", (char *)"demo-dpu", NULL};
    int pair[2], host_status, dpu_status;
    pid_t host, dpu;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return EXIT_FAILURE;
    host = tool_spawn(host_argv, &host_env, pair[0], -1, -1);
    dpu = tool_spawn(dpu_argv, &dpu_env, pair[1], -1, -1);
    /* The death of either side must end the other one's read. */
    close(pair[0]);
    close(pair[1]);
    host_status = wait_for(host);
    dpu_status = wait_for(dpu);
    return host_status != 0 ? host_status : dpu_status;
}

static int compare(const struct demo *demo)
{
    uint64_t in = 0, out = 1;

    if (checksum_file(demo->input, demo->size, &in) != 0 ||
        checksum_file(demo->output, demo->size, &out) != 0) {
        fprintf(stderr, "demo: cannot read the files back\n");
        return EXIT_FAILURE;
    }
    printf("checksum  %016" PRIx64 " file, %016" PRIx64 " after the round trip: %s\n", in, out,
           in == out ? "equal" : "DIFFERENT");
    return in == out ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int demo_dma(struct demo *demo)
{
    int status;

    printf("file      %s, %zu MiB\n", demo->input, demo->size >> 20);
    fflush(stdout);
    /* On disk the file and what comes back, in memory the DPU's copy as well. */
    if (demo_check_room(demo->folder, 2 * (uint64_t)demo->size) != 0 ||
        demo_check_memory(3 * (uint64_t)demo->size) != 0 || make_file(demo) != 0)
        return EXIT_FAILURE;
    status = run_sides(demo);
    return status == 0 ? compare(demo) : status;
}

static bool wanted(const struct demo *demo, const char *part)
{
    fflush(stdout);
    return demo->part == NULL || strcmp(demo->part, part) == 0;
}

static int run_demo(struct demo *demo)
{
    double begin = demo_now();
    int status = 0;

    if (wanted(demo, "dma"))
        status = demo_dma(demo);
    if (status == 0 && wanted(demo, "urom"))
        status = demo_urom(demo->folder);
    if (status == 0 && wanted(demo, "packets"))
        status = demo_packets(demo->folder);
    printf("%s in %.1f s\n", status == 0 ? "demo passed" : "demo FAILED", demo_now() - begin);
    return status;
}

#define PATIENCE 6000 /* hundredths of a second */

/* Until nobody is left who could still write. */
static void reap_all(void)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    for (int i = 0; i < PATIENCE; i++) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);

        if (pid < 0)
            return;
        if (pid == 0)
            nanosleep(&pause, NULL);
    }
}

/* 0 when it is the end of a child. */
static int await_signal(const sigset_t *wanted)
{
    int number = sigwaitinfo(wanted, NULL);

    return number == SIGCHLD || number < 0 ? 0 : number;
}

/* Runs the demo in a process of its own, so that this one can tidy up when the user gives up: what
 * is there may be as large as the disk. */
static int supervise(struct demo *demo)
{
    sigset_t wanted, before;
    int signal_number = 0, status = EXIT_FAILURE << 8;
    pid_t worker, parent = getpid();

    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGHUP);
    sigprocmask(SIG_BLOCK, &wanted, &before);
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    worker = fork();
    if (worker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        sigprocmask(SIG_SETMASK, &before, NULL);
        exit(getppid() == parent ? run_demo(demo) : EXIT_FAILURE);
    }
    while (worker > 0 && signal_number == 0 && waitpid(worker, &status, WNOHANG) == 0)
        signal_number = await_signal(&wanted);
    if (signal_number != 0) {
        kill(worker, SIGTERM);
        waitpid(worker, &status, 0);
        reap_all(); /* all die with their parents */
    }
    if (!demo->keep)
        tool_remove_tree(demo->folder);
    /* A signal that comes from now on has nothing to end any more. */
    if (worker < 0)
        return EXIT_FAILURE;
    return signal_number != 0 ? 128 + signal_number : tool_exit_status(status);
}

static void usage(FILE *out)
{
    fprintf(
        out,
        "Usage: opendoca demo [--part PART] [--size SIZE] [--dir FOLDER] [--keep]\n\n"
        "A host process holds a file in its memory; a DPU process copies it over and back with\n"
        "DOCA DMA. Checksums are compared, throughput is shown beside a plain memcpy.\n"
        "Then four programs let the workers of a UROM service put, get, add and reduce.\n"
        "At last a CUDA kernel, on the CPU, answers ping over a pair of interfaces.\n\n"
        "  --part PART    dma, urom or packets only\n"
        "  --size SIZE    bytes, K, M or G (default 1G)\n"
        "  --dir FOLDER   where the files go (default $TMPDIR or /tmp)\n"
        "  --keep         leave the files there\n");
}

int tool_demo(int argc, char **argv)
{
    static const struct option options[] = {
        {"size", required_argument, NULL, 's'}, {"dir", required_argument, NULL, 'd'},
        {"keep", no_argument, NULL, 'k'},       {"part", required_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0}};
    struct demo demo = {.size = 1u << 30};
    const char *folder = getenv("TMPDIR");
    uint64_t size;
    int option;

    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case 's':
            if (od_parse_size(optarg, &size) != 0 || size == 0 || size > SIZE_LIMIT) {
                fprintf(stderr, "opendoca demo: '%s' is no size, such as 256M\n", optarg);
                return TOOL_USAGE;
            }
            demo.size = size;
            break;
        case 'd':
            folder = optarg;
            break;
        case 'p':
            demo.part = optarg;
            if (strcmp(optarg, "dma") == 0 || strcmp(optarg, "urom") == 0 ||
                strcmp(optarg, "packets") == 0)
                break;
            fprintf(stderr, "opendoca demo: '%s' is no part; there are dma, urom, packets\n",
                    optarg);
            return TOOL_USAGE;
        case 'k':
            demo.keep = true;
            break;
        case 'h':
            usage(stdout);
            return EXIT_SUCCESS;
        default:
            usage(stderr);
            return TOOL_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "opendoca demo: takes no operand such as '%s'\n", argv[optind]);
        return TOOL_USAGE;
    }
    snprintf(demo.folder, sizeof(demo.folder), "%s/opendoca-demo-XXXXXX",
             folder != NULL ? folder : "/tmp");
    if (mkdtemp(demo.folder) == NULL) {
        fprintf(stderr, "opendoca demo: cannot create %s: %s\n", demo.folder, strerror(errno));
        return EXIT_FAILURE;
    }
    snprintf(demo.input, sizeof(demo.input), "%s/input", demo.folder);
    snprintf(demo.output, sizeof(demo.output), "%s/output", demo.folder);
    return supervise(&demo);
}
