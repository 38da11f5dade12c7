/* SPDX-License-Identifier: BSD-3-Clause */
/* doca-validate: looks at what a library would be given, without giving it. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_error.h>

#include "soft/device/device.h"
#include "tools/common/json.h"
#include "tools/common/library.h"
#include "util/cleanup.h"

#define PROGRAM  "doca-validate"
#define SPEC_MAX ((off_t)1 << 20) /* as large as a devices file may be */

enum verdict { PASS, SKIP, FAIL }; /* the greatest one of a list is that of the whole */

struct report {
    json_t *checks;
    enum verdict result;
};

static const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {[PASS] = "pass", [SKIP] = "skip", [FAIL] = "fail"};

    return names[verdict];
}

static void add(struct report *report, const char *name, enum verdict verdict, const char *details,
                const char *remediation)
{
    json_array_append_new(report->checks,
                          json_pack("{s:s, s:s, s:o, s:o}", "name", name, "status",
                                    verdict_name(verdict), "details", tool_json_text(details),
                                    "remediation", tool_json_text_or_null(remediation)));
    if (verdict > report->result)
        report->result = verdict;
}

/* Only what is wrong with the spec itself is a failure of the spec. */
static void add_error(struct report *report, const char *name, doca_error_t error,
                      const char *details, const char *remediation)
{
    bool is_fault = error == DOCA_ERROR_INVALID_VALUE || error == DOCA_ERROR_NOT_SUPPORTED;
    OD_AUTO_FREE char *text = NULL;

    if (asprintf(&text, "%s: %s", doca_error_get_descr(error), details) < 0)
        return;
    add(report, name, is_fault ? FAIL : SKIP, text, remediation);
}

/* ------------------------------------------------------------------------------------------------
 * doca-common: a devices file
 */

static doca_error_t error_of(int err)
{
    switch (err) {
    case EINVAL:
    case EISDIR:
    case EFBIG:
        return DOCA_ERROR_INVALID_VALUE;
    case ENOENT:
    case ENOTDIR:
        return DOCA_ERROR_NOT_FOUND;
    case EACCES:
    case EPERM:
        return DOCA_ERROR_NOT_PERMITTED;
    case ENOMEM:
        return DOCA_ERROR_NO_MEMORY;
    default:
        return DOCA_ERROR_IO_FAILED;
    }
}

/* 0 or a positive errno. A pipe must not make this program wait. */
static int open_spec(const char *path, int *fd, size_t *size)
{
    struct stat st;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 || fstat(*fd, &st) != 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    if (st.st_size > SPEC_MAX)
        return EFBIG;
    *size = (size_t)st.st_size;
    return 0;
}

static int read_spec(const char *path, char **text, size_t *len)
{
    OD_AUTO_FREE char *buf = NULL;
    OD_AUTO_FD int fd = -1;
    size_t size = 0;
    int err = open_spec(path, &fd, &size);
    ssize_t n;

    if (err != 0)
        return err;
    buf = malloc(size + 1);
    if (buf == NULL)
        return ENOMEM;
    n = pread(fd, buf, size, 0);
    if (n < 0)
        return errno;
    *text = od_move_ptr(&buf);
    *len = (size_t)n;
    return 0;
}

static const struct soft_device *first_of(const struct soft_topology *topology, enum soft_role role)
{
    for (uint32_t i = 0; i < topology->ndevices; i++) {
        if (topology->devices[i].role == role)
            return &topology->devices[i];
    }
    return NULL;
}

/* Programs that are told no device take the first one, on either side. */
static void check_first_devices(struct report *report, const struct soft_topology *topology)
{
    const char *name = "first_devices";
    const struct soft_device *host = first_of(topology, SOFT_ROLE_HOST);
    const struct soft_device *dpu = first_of(topology, SOFT_ROLE_DPU);

    if ((host != NULL && !host->caps.dma_memcpy) || (dpu != NULL && !dpu->caps.dma_memcpy))
        add_error(report, name, DOCA_ERROR_NOT_SUPPORTED,
                  "the first device of a role does not offer DMA",
                  "list a device with dma_memcpy first");
    else if (host != NULL && dpu != NULL && strcmp(host->card, dpu->card) != 0)
        add_error(report, name, DOCA_ERROR_NOT_SUPPORTED,
                  "the first host device and the first DPU device are of different cards",
                  "list two devices of one card first");
    else
        add(report, name, PASS, "they can copy, and to each other", "");
}

static void validate_common(struct report *report, const char *path)
{
    OD_AUTO_FREE char *text = NULL;
    struct soft_topology *topology;
    size_t len = 0;
    int err = read_spec(path, &text, &len);

    if (err != 0) {
        add_error(report, "readable", error_of(err), strerror(err),
                  "name a devices file that this user can read");
        return;
    }
    add(report, "readable", PASS, "the file can be read", "");
    err = soft_device_parse(text, len, path, &topology);
    if (err != 0) {
        add_error(report, "devices_file", error_of(-err), soft_reason(),
                  "correct the line that is named");
        return;
    }
    add(report, "devices_file", PASS, "every field is known and has a value that it may have", "");
    check_first_devices(report, topology);
    soft_device_topology_free(topology);
}

/* ------------------------------------------------------------------------------------------------
 * The program
 */

static json_t *validate(const struct tool_library *library, const char *path)
{
    struct report report = {json_array(), PASS};
    char module[TOOL_MODULE_SIZE];

    tool_library_module(library, module);
    if (strcmp(library->name, "common") == 0)
        validate_common(&report, path);
    else
        add(&report, "validator", SKIP, "this library has no check that changes nothing", "");
    return json_pack("{s:s, s:o, s:s, s:o}", "library", module, "spec_path", tool_json_text(path),
                     "result", verdict_name(report.result), "checks", report.checks);
}

int main(int argc, char **argv)
{
    struct tool_options options = {
        .program = PROGRAM,
        .usage = "[--json] LIBRARY SPEC\n\n"
                 "Checks what a library would be given, changes nothing, and prints the result as\n"
                 "one JSON object. doca-common: SPEC is a devices file.\n\n"
                 "  --json         accepted, the output is always JSON\n"
                 "  -h, --help     this text\n"
                 "  -v, --version  version\n",
    };
    const struct tool_library *library;
    int status, operand = tool_parse_options(&options, argc, argv, &status);

    if (operand < 0)
        return status;
    if (argc - operand != 2)
        return tool_bad_usage(&options, "takes a library and a file");
    library = tool_find_library(argv[operand]);
    if (library == NULL)
        return tool_bad_usage(&options, "there is no such DOCA library");
    return tool_json_print(PROGRAM, validate(library, argv[operand + 1]));
}
