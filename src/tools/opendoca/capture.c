/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of a port that a running program has, into a file that tcpdump and wireshark read. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soft/nic/capture.h"
#include "soft/nic/page.h"
#include "soft/nic/pcap/pcap_file.h"
#include "tools/opendoca/opendoca_tool.h"
#include "util/parse.h"

#define WAIT_MS 1

static volatile sig_atomic_t is_interrupted;

struct request {
    const char *device; /* PCI address, or what the port is attached to */
    const char *file;
    uint64_t count; /* 0: until it is interrupted */
    uint64_t pid;   /* 0: any */
    struct soft_nic_capture_conf conf;
};

struct found {
    const struct request *request;
    char wanted[SOFT_DEVICE_ID_SIZE];
    char device[SOFT_DEVICE_ID_SIZE];
    uint32_t pid;
    uint32_t num;
};

static void on_signal(int signal)
{
    (void)signal;
    is_interrupted = 1;
}

/* ---- whose port ---- */

static void see(const struct soft_nic_page *page, void *arg)
{
    struct found *found = arg;

    if (strcmp(page->device, found->wanted) != 0 &&
        strcmp(page->where, found->request->device) != 0)
        return;
    if (found->request->pid != 0 && page->pid != found->request->pid)
        return;
    found->num++;
    found->pid = page->pid;
    snprintf(found->device, sizeof(found->device), "%s", page->device);
}

static bool find(const struct request *request, struct found *found)
{
    struct od_pci_addr addr;

    *found = (struct found){.request = request};
    snprintf(found->wanted, sizeof(found->wanted), "%s", request->device);
    if (od_parse_pci_addr(request->device, &addr) == 0)
        od_format_pci_addr(&addr, found->wanted);
    if (soft_nic_pages_read(see, found) != 0) {
        fprintf(stderr, "opendoca port: %s\n", soft_reason());
        return false;
    }
    if (found->num == 1)
        return true;
    fprintf(stderr,
            found->num == 0
                ? "opendoca port: no running program has a port %s; see opendoca stats\n"
                : "opendoca port: several programs have a port %s; choose one with --pid\n",
            request->device);
    return false;
}

/* ---- frames ---- */

static bool write_frame(FILE *out, const struct soft_nic_captured *frame, const uint8_t *bytes)
{
    uint8_t record[SOFT_PCAP_RECORD];

    soft_pcap_record(record, frame->len, frame->time);
    return fwrite(record, sizeof(record), 1, out) == 1 &&
           (frame->len == 0 || fwrite(bytes, frame->len, 1, out) == 1);
}

/* 0, or a negative errno of the capture: -EPIPE when the program has ended. `*failed` is set when
 * the file could not be written. */
static int copy_frames(struct soft_nic_capture *capture, FILE *out, uint64_t count, uint64_t *num,
                       int *failed)
{
    static uint8_t bytes[SOFT_NIC_FRAME_MAX];
    struct soft_nic_captured frame;
    bool was_on = false;

    while (!is_interrupted && (count == 0 || *num < count)) {
        int got = soft_nic_capture_next(capture, &frame, bytes);

        if (got < 0)
            return got;
        if (!was_on && soft_nic_capture_is_on(capture)) {
            was_on = true;
            fprintf(stderr, "capturing\n");
        }
        if (got == 0 ? fflush(out) != 0 : !write_frame(out, &frame, bytes)) {
            *failed = errno;
            return 0;
        }
        if (got == 0)
            poll(NULL, 0, WAIT_MS);
        else
            ++*num;
    }
    return 0;
}

static void say_unwritable(const char *path, int err)
{
    fprintf(stderr, "opendoca port capture: cannot write %s: %s\n",
            strcmp(path, "-") == 0 ? "standard output" : path, strerror(err));
    clearerr(stdout); /* that is said */
}

static FILE *create(const char *path)
{
    uint8_t head[SOFT_PCAP_HEAD];
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");

    soft_pcap_head(head);
    if (out != NULL && fwrite(head, sizeof(head), 1, out) == 1 && fflush(out) == 0)
        return out;
    say_unwritable(path, errno);
    if (out != NULL && out != stdout)
        fclose(out);
    return NULL;
}

static int run(const struct request *request, struct soft_nic_capture *capture)
{
    FILE *out = create(request->file);
    uint64_t num = 0;
    int err, failed = 0;

    if (out == NULL)
        return EXIT_FAILURE;
    err = copy_frames(capture, out, request->count, &num, &failed);
    if ((out == stdout ? fflush(out) : fclose(out)) != 0 && failed == 0)
        failed = errno;
    fprintf(stderr, "%llu frames captured, %llu lost%s\n", (unsigned long long)num,
            (unsigned long long)soft_nic_capture_lost(capture),
            err == -EPIPE     ? "; the program has ended"
            : err == -EBADMSG ? "; the program writes nonsense"
                              : "");
    if (failed != 0)
        say_unwritable(request->file, failed);
    return failed == 0 && (err == 0 || err == -EPIPE) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- the command line ---- */

/* For the return. */
static bool wrong(const char *what, const char *value, const char *allowed)
{
    fprintf(stderr, "opendoca port capture: %s is '%s', allowed: %s; see opendoca port --help\n",
            what, value, allowed);
    return false;
}

static bool read_number(const char *option, const char *text, uint64_t max, uint64_t *number)
{
    char allowed[64];

    if (od_parse_size(text, number) == 0 && *number <= max)
        return true;
    snprintf(allowed, sizeof(allowed), "a number up to %llu", (unsigned long long)max);
    return wrong(option, text, allowed);
}

static bool read_direction(const char *text, uint32_t *directions)
{
    if (strcmp(text, "rx") != 0 && strcmp(text, "tx") != 0)
        return wrong("--only", text, "rx, tx");
    *directions = text[0] == 'r' ? SOFT_NIC_CAPTURE_RX : SOFT_NIC_CAPTURE_TX;
    return true;
}

static bool read_option(struct request *request, const char *option, const char *value)
{
    uint64_t queue;

    if (strcmp(option, "-c") == 0)
        return read_number(option, value, UINT64_MAX, &request->count);
    if (strcmp(option, "--pid") == 0)
        return read_number(option, value, INT32_MAX, &request->pid);
    if (strcmp(option, "--only") == 0)
        return read_direction(value, &request->conf.directions);
    if (strcmp(option, "--queue") == 0) {
        if (!read_number(option, value, UINT16_MAX, &queue))
            return false;
        request->conf.queue = (int32_t)queue;
        return true;
    }
    if (strcmp(option, "-w") != 0)
        return wrong("an option", option, "-w, -c, --queue, --only, --pid");
    request->file = value;
    return true;
}

static bool read_request(struct request *request, int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-')
        return wrong("the device", argc < 2 ? "" : argv[1],
                     "a PCI address or an interface, before all options");
    request->device = argv[1];
    for (int i = 2; i < argc; i += 2) {
        if (i + 1 == argc)
            return wrong(argv[i], "", "a value");
        if (!read_option(request, argv[i], argv[i + 1]))
            return false;
    }
    return request->file != NULL || wrong("-w", "", "a file, or - for standard output");
}

int tool_port_capture(int argc, char **argv)
{
    struct request request = {
        .conf = {.directions = SOFT_NIC_CAPTURE_RX | SOFT_NIC_CAPTURE_TX, .queue = -1}};
    struct sigaction action = {.sa_handler = on_signal};
    struct soft_nic_capture *capture;
    struct found found;
    int status;

    if (!read_request(&request, argc, argv))
        return TOOL_USAGE;
    if (!find(&request, &found))
        return EXIT_FAILURE;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (soft_nic_capture_open(found.pid, found.device, &request.conf, &capture) != 0) {
        fprintf(stderr, "opendoca port: %s\n", soft_reason());
        return EXIT_FAILURE;
    }
    status = run(&request, capture);
    soft_nic_capture_close(capture);
    return status;
}
