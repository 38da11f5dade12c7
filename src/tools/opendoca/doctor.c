/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/opendoca/opendoca_tool.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "soft/copy/copy.h"
#include "soft/device/device.h"
#include "soft/nic/nic.h"
#include "soft/service/folder.h"
#include "tools/common/install.h"
#include "util/cleanup.h"

/* Each check really does what the libraries will do, and says how to mend what fails. */

enum verdict {
    FOUND,
    MISSING,  /* something will not work */
    OPTIONAL, /* something would be faster, or a part that is not needed is absent */
};

struct finding {
    enum verdict verdict;
    char what[256]; /* what was found */
    char fix[256];  /* "" when nothing is to be done */
};

struct check {
    const char *name;
    void (*look)(struct finding *finding);
};

static void say(struct finding *finding, enum verdict verdict, const char *what, const char *fix)
{
    finding->verdict = verdict;
    snprintf(finding->what, sizeof(finding->what), "%.255s", what);
    snprintf(finding->fix, sizeof(finding->fix), "%.255s", fix);
}

static void check_kernel(struct finding *finding)
{
    struct utsname name;
    int major = 0, minor = 0;

    uname(&name);
    sscanf(name.release, "%d.%d", &major, &minor);
    if (major > 5 || (major == 5 && minor >= 6))
        say(finding, FOUND, name.release, "");
    else
        say(finding, MISSING, name.release, "5.6 or newer is needed (pidfd)");
}

static void check_cores(struct finding *finding)
{
    cpu_set_t set;
    char text[64];
    int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    snprintf(text, sizeof(text), "%d", n);
    if (n > 1)
        say(finding, FOUND, text, "");
    else
        say(finding, OPTIONAL, text, "large copies are split only with two cores or more");
}

static void check_devices(struct finding *finding)
{
    const struct soft_topology *topology;
    char text[200];

    if (soft_device_topology(&topology) != 0) {
        say(finding, MISSING, soft_reason(), "mend the devices file, or unset OPENDOCA_CONFIG");
        return;
    }
    snprintf(text, sizeof(text), "%u, %.160s", topology->ndevices, topology->source);
    if (topology->ndevices > 0)
        say(finding, FOUND, text, "");
    else
        say(finding, OPTIONAL, text, "the devices file lists none, programs will find none");
}

static void check_role(struct finding *finding)
{
    enum soft_role role;

    if (soft_device_role(&role) != 0)
        say(finding, MISSING, soft_reason(), "set OPENDOCA_ROLE to host or dpu, or unset it");
    else
        say(finding, FOUND,
            getenv("OPENDOCA_ROLE") != NULL ? soft_role_name(role) : "by each program's flavour",
            "");
}

static void check_shared_memory(struct finding *finding)
{
    OD_AUTO_FD int fd = memfd_create("opendoca-doctor", MFD_CLOEXEC);
    void *p = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, 4096) == 0)
        p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        say(finding, MISSING, strerror(errno),
            "memfd_create must be allowed (seccomp, old kernel)");
        return;
    }
    munmap(p, 4096);
    say(finding, FOUND, "memfd works", "");
}

/* Another process of this user must be able to read ours: a child tries. */
static void check_process_vm(struct finding *finding)
{
    static char secret = 'x';
    pid_t parent = getpid(), child = fork();
    int status = 0;

    if (child == 0) {
        char byte = 0;
        struct iovec local = {&byte, 1}, remote = {&secret, 1};

        _exit(process_vm_readv(parent, &local, 1, &remote, 1, 0) == 1 && byte == 'x' ? 0 : errno);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        say(finding, MISSING, strerror(errno), "the check could not run");
        return;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        say(finding, FOUND, "process_vm_readv between processes works", "");
    else
        say(finding, OPTIONAL, strerror(WEXITSTATUS(status)),
            "private memory is then served by the exporter, slower; "
            "sysctl kernel.yama.ptrace_scope=0, or in a container add SYS_PTRACE");
}

static void check_open_files(struct finding *finding)
{
    struct rlimit limit;
    char text[64];

    getrlimit(RLIMIT_NOFILE, &limit);
    snprintf(text, sizeof(text), "%llu", (unsigned long long)limit.rlim_cur);
    if (limit.rlim_cur >= 1024)
        say(finding, FOUND, text, "");
    else
        say(finding, OPTIONAL, text, "each engine and each import takes a few: ulimit -n 4096");
}

static void check_copy_engines(struct finding *finding)
{
    char text[200];

    tool_copy_engines(text, sizeof(text));
    say(finding, FOUND, text, "");
}

static void check_hugepages(struct finding *finding)
{
    OD_AUTO_FILE FILE *f = fopen("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "re");
    unsigned long pages = 0;
    char text[64];

    if (f == NULL || fscanf(f, "%lu", &pages) != 1)
        pages = 0;
    snprintf(text, sizeof(text), "%lu free pages of 2 MiB", pages);
    if (pages > 0)
        say(finding, FOUND, text, "");
    else
        say(finding, OPTIONAL, text, "not needed; sysctl vm.nr_hugepages=128 gives some");
}

static void check_program(struct finding *finding, const char *program, const char *package)
{
    char file[4352];

    if (tool_find(program, file, sizeof(file))) {
        say(finding, FOUND, file, "");
        return;
    }
    snprintf(file, sizeof(file), "apt-get install %s", package);
    say(finding, OPTIONAL, "not found", file);
}

static void check_compiler(struct finding *finding)
{
    check_program(finding, "cc", "gcc");
}

static void check_pkg_config(struct finding *finding)
{
    check_program(finding, "pkg-config", "pkg-config");
}

static void check_meson(struct finding *finding)
{
    check_program(finding, "meson", "meson");
}

static void check_library(struct finding *finding, const char *soname, const char *fix)
{
    void *handle = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);

    if (handle == NULL) {
        say(finding, OPTIONAL, "not found", fix);
        return;
    }
    dlclose(handle);
    say(finding, FOUND, soname, "");
}

static void check_ucx(struct finding *finding)
{
    /* It does not give back all that it has when it is unloaded. */
    void *handle = dlopen("libucp.so.0", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    const char *(*version)(void);
    char text[64];

    if (handle == NULL) {
        say(finding, OPTIONAL, "not found",
            "UROM plugins that move data need libucp.so.0 (Debian: libucx0)");
        return;
    }
    *(void **)&version = dlsym(handle, "ucp_get_version_string");
    snprintf(text, sizeof(text), "UCX %.40s", version != NULL ? version() : "of unknown version");
    say(finding, FOUND, text, "");
    dlclose(handle);
}

static void check_runtime_folder(struct finding *finding)
{
    char dir[PATH_MAX];
    OD_AUTO_FD int fd = soft_service_folder_open(dir, sizeof(dir));

    if (fd >= 0)
        say(finding, FOUND, dir, "");
    else
        say(finding, MISSING, soft_reason(), "programs find each other there");
}

static void check_service(struct finding *finding)
{
    json_t *status = tool_service_status(), *service = json_object_get(status, "service");
    const char *at = json_string_value(json_array_get(json_object_get(service, "sockets"), 0));
    char text[200];

    snprintf(text, sizeof(text), "process %d at %.150s",
             (int)json_integer_value(json_object_get(service, "pid")), at != NULL ? at : "?");
    if (status != NULL)
        say(finding, FOUND, text, "");
    else
        say(finding, OPTIONAL, "none answers",
            "only UROM programs need it: opendoca up; opendoca status says more");
    json_decref(status);
}

static void check_gpu(struct finding *finding)
{
    check_library(finding, "libcuda.so.1", "not needed here; comes with a GPU's driver");
}

/* As far as it goes without an interface: each driver knows for itself whether it can do `native`.
 */
static void check_af_xdp(struct finding *finding)
{
    union bpf_attr map = {
        .map_type = BPF_MAP_TYPE_XSKMAP, .key_size = 4, .value_size = 4, .max_entries = 1};
    struct soft_device device = {.port = "af_xdp:od-none"};
    OD_AUTO_FD int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
    OD_AUTO_FD int map_fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map));
    bool has_map = map_fd >= 0;
    struct soft_nic_port *port;
    int err = soft_nic_port_hold(&device, &port);

    /* There is no such interface, and that is the last thing it asks about. */
    if (err != -ENODEV)
        say(finding, OPTIONAL, soft_reason(), "only ports of kind af_xdp need it");
    else if (fd < 0)
        say(finding, OPTIONAL, "no AF_XDP sockets",
            "CAP_NET_RAW, and a kernel with them; only ports of kind af_xdp need it");
    else if (!has_map)
        say(finding, OPTIONAL, "no XDP programs can be loaded",
            "CAP_BPF and CAP_NET_ADMIN; only ports of kind af_xdp need it");
    else
        say(finding, FOUND, "sockets, maps, the module of ports", "");
}

/* The toolkit that builds kernels for the CPU. */
static void check_kernels(struct finding *finding)
{
    const char *prefix = tool_prefix();
    char nvcc[512], text[700];

    snprintf(nvcc, sizeof(nvcc), "%.480s/simt/bin/nvcc", prefix);
    snprintf(text, sizeof(text), "%s, with CUDA_PATH=%.80s/simt", nvcc, prefix);
    if (access(nvcc, X_OK) == 0)
        say(finding, FOUND, text, "");
    else
        say(finding, OPTIONAL, "no simt/bin/nvcc in this tree",
            "only programs with kernels need it; see docs/simt.md");
}

static const struct check checks[] = {
    {"kernel", check_kernel},
    {"cores", check_cores},
    {"devices", check_devices},
    {"role", check_role},
    {"shared memory", check_shared_memory},
    {"peer memory", check_process_vm},
    {"open files", check_open_files},
    {"copy engines", check_copy_engines},
    {"huge pages", check_hugepages},
    {"AF_XDP", check_af_xdp},
    {"C compiler", check_compiler},
    {"pkg-config", check_pkg_config},
    {"meson", check_meson},
    {"kernels", check_kernels},
    {"UCX", check_ucx},
    {"runtime folder", check_runtime_folder},
    {"UROM service", check_service},
    {"GPU driver", check_gpu},
};

static const char *const verdict_names[] = {
    [FOUND] = "found", [MISSING] = "missing", [OPTIONAL] = "optional"};

static void print_text(const struct check *check, const struct finding *finding)
{
    printf("%-9s %-14s %s\n", verdict_names[finding->verdict], check->name, finding->what);
    if (finding->fix[0] != '\0')
        printf("%-9s %-14s -> %s\n", "", "", finding->fix);
}

static void print_json(json_t *list, const struct check *check, const struct finding *finding)
{
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", check->name, "verdict",
                                          verdict_names[finding->verdict], "found", finding->what,
                                          "fix", finding->fix));
}

int tool_doctor(int argc, char **argv)
{
    bool as_json = argc == 2 && strcmp(argv[1], "--json") == 0;
    json_t *list = NULL;
    bool healthy = true;

    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        printf(
            "Usage: opendoca doctor [--json]\n\n"
            "Tries each thing that the libraries and the build need. Exit status 0 when nothing\n"
            "that is needed is missing.\n");
        return EXIT_SUCCESS;
    }
    if (argc > 1 && !as_json) {
        fprintf(stderr, "opendoca doctor: unknown option '%s'\n", argv[1]);
        return TOOL_USAGE;
    }
    if (as_json)
        list = json_array();
    for (size_t i = 0; i < OD_ARRAY_SIZE(checks); i++) {
        struct finding finding = {FOUND, "", ""};

        checks[i].look(&finding);
        healthy = healthy && finding.verdict != MISSING;
        if (as_json)
            print_json(list, &checks[i], &finding);
        else
            print_text(&checks[i], &finding);
    }
    if (as_json) {
        json_t *root = json_pack("{s:b, s:o}", "healthy", healthy ? 1 : 0, "checks", list);

        json_dumpf(root, stdout, JSON_INDENT(2));
        printf("\n");
        json_decref(root);
    }
    return healthy ? EXIT_SUCCESS : EXIT_FAILURE;
}
