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

/* 0, or a negative errno: -EPIPE when the program has ended. */
static int copy_frames(struct soft_nic_capture *capture, FILE *out, uint64_t count, uint64_t *num)
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
        if (got == 0) {
            fflush(out);
            poll(NULL, 0, WAIT_MS);
            continue;
        }
        if (!write_frame(out, &frame, bytes))
            return -EIO;
        ++*num;
    }
    return 0;
}

static FILE *create(const char *path)
{
    uint8_t head[SOFT_PCAP_HEAD];
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");

    soft_pcap_head(head);
    if (out != NULL && fwrite(head, sizeof(head), 1, out) == 1)
        return out;
    fprintf(stderr, "opendoca port: cannot write %s: %s\n", path, strerror(errno));
    if (out != NULL && out != stdout)
        fclose(out);
    return NULL;
}

static int run(const struct request *request, struct soft_nic_capture *capture)
{
    FILE *out = create(request->file);
    uint64_t num = 0;
    int err;

    if (out == NULL)
        return EXIT_FAILURE;
    err = copy_frames(capture, out, request->count, &num);
    if ((out == stdout ? fflush(out) : fclose(out)) != 0)
        err = -EIO;
    fprintf(stderr, "%llu frames captured, %llu lost%s\n", (unsigned long long)num,
            (unsigned long long)soft_nic_capture_lost(capture),
            err == -EPIPE     ? "; the program has ended"
            : err == -EBADMSG ? "; the program writes nonsense"
            : err != 0        ? "; the file cannot be written"
                              : "");
    return err == 0 || err == -EPIPE ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- the command line ---- */

static bool read_number(const char *text, uint64_t max, uint64_t *number)
{
    return od_parse_size(text, number) == 0 && *number <= max;
}

static bool read_option(struct request *request, const char *option, const char *value)
{
    uint64_t queue = 0;

    if (strcmp(option, "-w") == 0)
        request->file = value;
    else if (strcmp(option, "-c") == 0)
        return read_number(value, UINT64_MAX, &request->count);
    else if (strcmp(option, "--pid") == 0)
        return read_number(value, INT32_MAX, &request->pid);
    else if (strcmp(option, "--only") == 0 && strcmp(value, "rx") == 0)
        request->conf.directions = SOFT_NIC_CAPTURE_RX;
    else if (strcmp(option, "--only") == 0 && strcmp(value, "tx") == 0)
        request->conf.directions = SOFT_NIC_CAPTURE_TX;
    else if (strcmp(option, "--queue") == 0 && read_number(value, UINT16_MAX, &queue))
        request->conf.queue = (int32_t)queue;
    else
        return false;
    return true;
}

int tool_port_capture(int argc, char **argv)
{
    struct request request = {
        .conf = {.directions = SOFT_NIC_CAPTURE_RX | SOFT_NIC_CAPTURE_TX, .queue = -1}};
    struct sigaction action = {.sa_handler = on_signal};
    struct soft_nic_capture *capture;
    struct found found;
    int status;

    if (argc < 2 || argc % 2 != 0 || argv[1][0] == '-')
        return TOOL_USAGE;
    request.device = argv[1];
    for (int i = 2; i < argc; i += 2) {
        if (!read_option(&request, argv[i], argv[i + 1]))
            return TOOL_USAGE;
    }
    if (request.file == NULL)
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
