/* SPDX-License-Identifier: BSD-3-Clause */
/* Which device has which port: list them, give a device another one. */

#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soft/device/device.h"
#include "tools/common/json.h"
#include "tools/opendoca/opendoca_tool.h"
#include "util/parse.h"

#define SYSTEM_FILE "/etc/opendoca/devices.json"

struct request {
    const char *iface;
    struct od_pci_addr pci;
    const char *role;
    const char *kind;
    const char *file;
};

static void usage(FILE *out)
{
    fprintf(out,
            "Usage: opendoca port list\n"
            "       opendoca port add INTERFACE --as PCI [--role host|dpu] [--kind KIND]\n"
            "                                   [--file DEVICES]\n"
            "       opendoca port capture DEVICE -w FILE [-c COUNT] [--queue ID] [--only rx|tx]\n"
            "                                    [--pid PID]\n\n"
            "list   devices of the devices file and what carries their frames\n"
            "add    writes into the devices file that the device with this address has this\n"
            "       interface; the device is added when it is not there. KIND is af_packet (the\n"
            "       default), af_xdp or tap. The file is that of --file, else of OPENDOCA_CONFIG, "
            "else\n"
            "       " SYSTEM_FILE "\n\n"
            "capture  frames of a port that a running program has, into a capture file; \"-\" is\n"
            "       standard output. DEVICE is a PCI address, or the interface of the port. Ends\n"
            "       after COUNT frames, with the program, or when it is interrupted. With --queue\n"
            "       only what the receive queue with this id is given\n\n"
            "Example: opendoca port add veth0 --as 0000:03:00.0 --file my.json\n"
            "         OPENDOCA_CONFIG=my.json my_program\n");
}

/* ------------------------------------------------------------------------------------------------
 * list
 */

static const char *port_of(const struct soft_device *device, char text[SOFT_PORT_SIZE])
{
    if (device->port[0] != '\0')
        return device->port;
    if (device->iface[0] == '\0')
        return "loop";
    snprintf(text, SOFT_PORT_SIZE, "af_packet:%s", device->iface);
    return text;
}

static int list_ports(void)
{
    const struct soft_topology *topology;

    if (soft_device_topology(&topology) != 0) {
        fprintf(stderr, "opendoca port: %s\n", soft_reason());
        return EXIT_FAILURE;
    }
    printf("devices: %s\n", topology->source);
    printf("%-5s %-24s %-12s %-10s %s\n", "role", "device", "ibdev", "unmatched", "port");
    for (uint32_t i = 0; i < topology->ndevices; i++) {
        const struct soft_device *device = &topology->devices[i];
        char id[SOFT_DEVICE_ID_SIZE], text[SOFT_PORT_SIZE];

        soft_device_id(device, id);
        printf("%-5s %-24s %-12s %-10s %s\n", soft_role_name(device->role), id, device->ibdev,
               device->unmatched == SOFT_UNMATCHED_QUEUES ? "queues" : "kernel",
               port_of(device, text));
    }
    return EXIT_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * add
 */

/* The file as it is, or a new one without devices. */
static json_t *load(const char *path)
{
    json_error_t error;
    json_t *root;

    if (access(path, F_OK) != 0)
        return json_pack("{s:[]}", "devices");
    root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fprintf(stderr, "opendoca port: %s:%d: %s\n", path, error.line, error.text);
    else if (!json_is_array(json_object_get(root, "devices")))
        fprintf(stderr, "opendoca port: %s: there is no array \"devices\"\n", path);
    else
        return root;
    json_decref(root);
    return NULL;
}

static json_t *find(json_t *devices, const struct request *request)
{
    json_t *device;
    size_t i;

    json_array_foreach(devices, i, device)
    {
        const char *role = json_string_value(json_object_get(device, "role"));
        const char *pci = json_string_value(json_object_get(device, "pci"));
        struct od_pci_addr addr;

        if (role != NULL && pci != NULL && strcmp(role, request->role) == 0 &&
            od_parse_pci_addr(pci, &addr) == 0 && od_pci_addr_equal(&addr, &request->pci) &&
            json_object_get(device, "sf_index") == NULL)
            return device;
    }
    return NULL;
}

static bool change(json_t *root, const struct request *request)
{
    json_t *devices = json_object_get(root, "devices"), *device = find(devices, request);
    char pci[OD_PCI_ADDR_TEXT];

    if (device == NULL) {
        od_format_pci_addr(&request->pci, pci);
        device = json_pack("{s:s, s:s}", "role", request->role, "pci", pci);
        if (device == NULL || json_array_append_new(devices, device) != 0)
            return false;
    }
    return json_object_set_new(device, "iface", json_string(request->iface)) == 0 &&
           json_object_set_new(device, "port",
                               json_sprintf("%s:%s", request->kind, request->iface)) == 0;
}

/* What was written must be what the library reads. */
static bool is_good(const json_t *root, const char *path)
{
    char *text = json_dumps(root, 0);
    struct soft_topology *topology;
    bool good = text != NULL && soft_device_parse(text, strlen(text), path, &topology) == 0;

    if (good)
        soft_device_topology_free(topology);
    else
        fprintf(stderr, "opendoca port: %s\n", text != NULL ? soft_reason() : "no memory");
    free(text);
    return good;
}

/* Whole or not at all. */
static int save(const json_t *root, const char *path)
{
    char next[4096];

    if (snprintf(next, sizeof(next), "%s.new", path) >= (int)sizeof(next)) {
        fprintf(stderr, "opendoca port: the name of the file is too long\n");
        return EXIT_FAILURE;
    }
    if (json_dump_file(root, next, JSON_INDENT(2)) != 0 || rename(next, path) != 0) {
        fprintf(stderr, "opendoca port: cannot write %s: %s\n", path, strerror(errno));
        unlink(next);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

static int add_port(const struct request *request)
{
    json_t *root = load(request->file);
    char pci[OD_PCI_ADDR_TEXT];
    int status = EXIT_FAILURE;

    if (root == NULL)
        return status;
    if (!change(root, request))
        fprintf(stderr, "opendoca port: no memory\n");
    else if (is_good(root, request->file))
        status = save(root, request->file);
    json_decref(root);
    if (status != EXIT_SUCCESS)
        return status;
    od_format_pci_addr(&request->pci, pci);
    printf("%s: %s device %s has port %s:%s\n", request->file, request->role, pci, request->kind,
           request->iface);
    if (strcmp(request->kind, "tap") != 0 && if_nametoindex(request->iface) == 0)
        fprintf(stderr,
                "opendoca port add: there is no interface %s in this network namespace; queues of "
                "the device do not start before there is\n",
                request->iface);
    return EXIT_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * The command line
 */

/* For the return. */
static bool wrong(const char *fmt, ...) OD_PRINTF(1, 2);

static bool wrong(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fprintf(stderr, "opendoca port add: ");
    vfprintf(stderr, fmt, ap);
    fprintf(stderr, "; see opendoca port --help\n");
    va_end(ap);
    return false;
}

static bool read_option(struct request *request, const char *option, const char *value)
{
    if (strcmp(option, "--as") == 0)
        return od_parse_pci_addr(value, &request->pci) == 0 ||
               wrong("--as is '%s', allowed: a PCI address such as 0000:03:00.0", value);
    if (strcmp(option, "--role") == 0)
        request->role = value;
    else if (strcmp(option, "--kind") == 0)
        request->kind = value;
    else if (strcmp(option, "--file") == 0)
        request->file = value;
    else
        return wrong("there is no option '%s'", option);
    return true;
}

static bool check_choices(const struct request *request)
{
    if (strcmp(request->role, "host") != 0 && strcmp(request->role, "dpu") != 0)
        return wrong("--role is '%s', allowed: host, dpu", request->role);
    if (strcmp(request->kind, "af_packet") != 0 && strcmp(request->kind, "af_xdp") != 0 &&
        strcmp(request->kind, "tap") != 0)
        return wrong("--kind is '%s', allowed: af_packet, af_xdp, tap", request->kind);
    return true;
}

static bool read_request(struct request *request, int argc, char **argv)
{
    bool has_address = false;

    if (argc < 2 || argv[1][0] == '-')
        return wrong("the interface is missing; it comes first");
    request->iface = argv[1];
    for (int i = 2; i < argc; i += 2) {
        if (i + 1 == argc)
            return wrong("nothing stands behind '%s'", argv[i]);
        if (!read_option(request, argv[i], argv[i + 1]))
            return false;
        has_address |= strcmp(argv[i], "--as") == 0;
    }
    return has_address ? check_choices(request) : wrong("--as PCI is missing");
}

static bool is_help(const char *word)
{
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

static int add(int argc, char **argv)
{
    const char *config = getenv("OPENDOCA_CONFIG");
    struct request request = {.role = "host", .kind = "af_packet"};

    request.file = config != NULL && config[0] != '\0' ? config : SYSTEM_FILE;
    return read_request(&request, argc, argv) ? add_port(&request) : TOOL_USAGE;
}

int tool_port(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (argc > 1 && is_help(argv[argc - 1])) {
        usage(stdout);
        return EXIT_SUCCESS;
    }
    if (argc == 2 && strcmp(word, "list") == 0)
        return list_ports();
    if (strcmp(word, "add") == 0)
        return add(argc - 1, argv + 1);
    if (strcmp(word, "capture") == 0)
        return tool_port_capture(argc - 1, argv + 1);
    usage(stderr);
    return TOOL_USAGE;
}
