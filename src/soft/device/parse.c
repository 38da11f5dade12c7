/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Limits of the format. The number of devices bounds the comparisons of each with each. */
#define MAX_DEVICES  1024
#define MAX_PROFILES 256
#define MAX_CPUS     1024 /* a cpu_set_t has so many */

struct reader {
    struct soft_device_table *table;
    struct soft_profile *profiles; /* those that the file defines */
    size_t nprofiles;
};

int soft_device_no_memory(void)
{
    return soft_fail(-ENOMEM, "no memory for the device table");
}

void soft_device_topology_free(struct soft_topology *topology)
{
    struct soft_device_table *table = (struct soft_device_table *)topology;

    if (table == NULL)
        return;
    for (uint32_t i = 0; table->devices != NULL && i < topology->ndevices; i++)
        free(table->devices[i].reps);
    free(table->devices);
    free(table->source);
    free(table->bf_mode);
    free(table->bfb_file);
    free(table);
}

/* ------------------------------------------------------------------------------------------------
 * Profiles
 */

static int read_part(const struct soft_field_node *object, const char *key, const char *what,
                     const struct soft_field_table *table, void *target)
{
    struct soft_field_node part = soft_field_member(object, key);
    uint32_t ignored = 0;
    int err;

    if (part.json == NULL)
        return 0;
    err = soft_field_expect(&part, JSON_OBJECT, what);
    return err != 0 ? err : soft_field_read(&part, table, target, &ignored);
}

static int read_caps_and_copy(const struct soft_field_node *object, struct soft_caps *caps,
                              struct soft_copy_conf *copy)
{
    int err = read_part(object, "caps", "capabilities", &soft_device_caps_table, caps);

    return err != 0
               ? err
               : read_part(object, "copy", "copy engine settings", &soft_device_copy_table, copy);
}

static int fail_profile(const struct reader *reader, const struct soft_field_node *node)
{
    char buf[256];
    struct od_text text;

    od_text_init(&text, buf, sizeof(buf));
    for (const char *const *name = soft_device_profiles(); *name != NULL; name++)
        od_text_printf(&text, "%s\"%s\"", text.len == 0 ? "" : ", ", *name);
    for (size_t i = 0; i < reader->nprofiles; i++)
        od_text_printf(&text, ", \"%s\"", reader->profiles[i].name);
    return soft_field_fail_value(node, "%s", buf);
}

/* The profile that a member names; the default one when there is no such member. */
static int read_profile_name(const struct reader *reader, const struct soft_field_node *node,
                             const struct soft_profile **profile)
{
    const char *name = node->json == NULL ? SOFT_PROFILE_DEFAULT : json_string_value(node->json);

    *profile = name != NULL ? soft_device_profile_find(name) : NULL;
    for (size_t i = 0; name != NULL && *profile == NULL && i < reader->nprofiles; i++) {
        if (strcmp(reader->profiles[i].name, name) == 0)
            *profile = &reader->profiles[i];
    }
    return *profile != NULL ? 0 : fail_profile(reader, node);
}

static int read_profile(const struct reader *reader, const struct soft_field_node *node,
                        struct soft_profile *profile)
{
    struct soft_field_node base_node = soft_field_member(node, "base");
    const struct soft_profile *base;
    uint32_t ignored = 0;
    int err;

    if (strlen(node->key) == 0 || strlen(node->key) >= sizeof(profile->name))
        return soft_field_fail(node, "is a name of %zu bytes, allowed: 1 to %zu", strlen(node->key),
                               sizeof(profile->name) - 1);
    if (soft_device_profile_find(node->key) != NULL)
        return soft_field_fail(node, "redefines a built-in profile, choose another name");
    err = soft_field_expect(node, JSON_OBJECT, "profile settings");
    if (err == 0)
        err = read_profile_name(reader, &base_node, &base);
    if (err != 0)
        return err;
    *profile = *base;
    snprintf(profile->name, sizeof(profile->name), "%s", node->key);
    err = soft_field_read(node, &soft_device_profile_table, profile, &ignored);
    return err != 0 ? err : read_caps_and_copy(node, &profile->caps, &profile->copy);
}

static int read_profiles(struct reader *reader, const struct soft_field_node *profiles)
{
    const char *key;
    json_t *json;
    int err;

    if (profiles->json == NULL)
        return 0;
    err = soft_field_expect(profiles, JSON_OBJECT, "profiles");
    if (err != 0)
        return err;
    if (json_object_size(profiles->json) > MAX_PROFILES)
        return soft_field_fail(profiles, "has %zu profiles, allowed: at most %d",
                               json_object_size(profiles->json), MAX_PROFILES);
    reader->profiles = calloc(json_object_size(profiles->json) + 1, sizeof(*reader->profiles));
    if (reader->profiles == NULL)
        return soft_device_no_memory();
    json_object_foreach(profiles->json, key, json)
    {
        struct soft_field_node node = soft_field_member(profiles, key);

        err = read_profile(reader, &node, &reader->profiles[reader->nprofiles]);
        if (err != 0)
            return err;
        reader->nprofiles++;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * One device
 */

static void set_defaults(struct soft_device *device, const struct soft_profile *profile)
{
    snprintf(device->card, sizeof(device->card), "card0");
    snprintf(device->profile, sizeof(device->profile), "%s", profile->name);
    device->active_rate = profile->active_rate;
    device->caps = profile->caps;
    device->copy = profile->copy;
    device->port_state = SOFT_PORT_ACTIVE;
    device->mtu = 1500;
    device->uplink_ib_port = 1;
}

static int check_required(const struct soft_field_node *node)
{
    static const struct {
        const char *key;
        const char *wanted;
    } required[] = {
        {"role", "\"host\" or \"dpu\""},
        {"pci", "a PCI address such as \"0000:03:00.0\""},
    };

    for (size_t i = 0; i < OD_ARRAY_SIZE(required); i++) {
        struct soft_field_node member = soft_field_member(node, required[i].key);

        if (member.json == NULL)
            return soft_field_fail(&member, "is missing, required: %s", required[i].wanted);
    }
    return 0;
}

/* Fields that mean nothing for this kind of device are mistakes, not decoration. */
static int check_fitting(const struct soft_field_node *node, const struct soft_device *device)
{
    const struct {
        const char *key;
        uint32_t given;
        bool fits;
        const char *only;
    } rules[] = {
        {"sf_index", GIVEN_SF_INDEX, device->func_type == SOFT_FUNC_SF, "\"func_type\": \"SF\""},
        {"vf_index", GIVEN_VF_INDEX, device->func_type == SOFT_FUNC_VF, "\"func_type\": \"VF\""},
        {"total_vfs", GIVEN_TOTAL_VFS, device->func_type == SOFT_FUNC_PF, "\"func_type\": \"PF\""},
        {"lid", GIVEN_LID, device->link_layer == SOFT_LINK_INFINIBAND,
         "\"link_layer\": \"infiniband\""},
        {"mac", GIVEN_MAC, device->link_layer == SOFT_LINK_ETHERNET,
         "\"link_layer\": \"ethernet\""},
        {"data_direct_pci", GIVEN_DATA_DIRECT_PCI, device->data_direct, "\"data_direct\": true"},
        {"representors", GIVEN_REPRESENTORS, device->role == SOFT_ROLE_DPU, "\"role\": \"dpu\""},
        {"uplink", GIVEN_UPLINK, device->role == SOFT_ROLE_HOST, "\"role\": \"host\""},
        {"rep_iface", GIVEN_REP_IFACE, device->role == SOFT_ROLE_HOST, "\"role\": \"host\""},
        {"rep_iface_index", GIVEN_REP_IFACE_INDEX, device->role == SOFT_ROLE_HOST,
         "\"role\": \"host\""},
        {"rep_ib_port", GIVEN_REP_IB_PORT, device->role == SOFT_ROLE_HOST, "\"role\": \"host\""},
    };

    for (size_t i = 0; i < OD_ARRAY_SIZE(rules); i++) {
        struct soft_field_node member = soft_field_member(node, rules[i].key);

        if ((device->given & rules[i].given) != 0 && !rules[i].fits)
            return soft_field_fail_value(&member, "only with %s", rules[i].only);
    }
    if (device->func_type == SOFT_FUNC_SF && (device->given & GIVEN_SF_INDEX) == 0) {
        struct soft_field_node member = soft_field_member(node, "sf_index");

        return soft_field_fail(&member, "is missing, required: the number of the sub function");
    }
    return 0;
}

static int read_cpus(const struct soft_field_node *cpus, struct soft_engine_conf *engine)
{
    int err = soft_field_expect(cpus, JSON_ARRAY, "numbers of processors");

    if (err != 0)
        return err;
    engine->ncpus = (uint32_t)json_array_size(cpus->json);
    if (engine->ncpus == 0 || engine->ncpus > SOFT_ENGINE_THREADS)
        return soft_field_fail(cpus, "has %u processors, allowed: 1 to %u", engine->ncpus,
                               SOFT_ENGINE_THREADS);
    for (uint32_t i = 0; i < engine->ncpus; i++) {
        struct soft_field_node cpu = soft_field_element(cpus, i);
        json_int_t number = json_is_integer(cpu.json) ? json_integer_value(cpu.json) : -1;

        if (number < 0 || number >= MAX_CPUS)
            return soft_field_fail_value(&cpu, "a whole number from 0 to %d", MAX_CPUS - 1);
        engine->cpus[i] = (uint16_t)number;
    }
    return 0;
}

static int read_engine(const struct soft_field_node *device, struct soft_engine_conf *engine)
{
    struct soft_field_node node = soft_field_member(device, "engine"), cpus;
    int err = read_part(device, "engine", "settings of threads", &soft_device_engine_table, engine);

    if (err != 0 || node.json == NULL)
        return err;
    cpus = soft_field_member(&node, "cpus");
    return cpus.json == NULL ? 0 : read_cpus(&cpus, engine);
}

static int check_port(const struct soft_field_node *device_node, const struct soft_device *device)
{
    const struct soft_field_node node = soft_field_member(device_node, "port");
    char why[SOFT_REASON_SIZE];

    if (node.json == NULL || soft_device_check_port(device) == 0)
        return 0;
    snprintf(why, sizeof(why), "%s", soft_reason());
    return soft_field_fail(&node, "is \"%.60s%s\": %s; see docs/ports.md", device->port,
                           strlen(device->port) > 60 ? "..." : "", why);
}

static int read_device(const struct reader *reader, const struct soft_field_node *node,
                       struct soft_device *device)
{
    struct soft_field_node profile_node = soft_field_member(node, "profile");
    const struct soft_profile *profile;
    int err;

    err = soft_field_expect(node, JSON_OBJECT, "device fields");
    if (err == 0)
        err = read_profile_name(reader, &profile_node, &profile);
    if (err != 0)
        return err;
    set_defaults(device, profile);
    err = soft_field_read(node, &soft_device_device_table, device, &device->given);
    if (err == 0)
        err = check_required(node);
    if (err == 0)
        err = check_fitting(node, device);
    if (err != 0)
        return err;
    device->has_ipv4 = (device->given & GIVEN_IPV4) != 0;
    device->has_ipv6 = (device->given & GIVEN_IPV6) != 0;
    device->has_data_direct_pci = (device->given & GIVEN_DATA_DIRECT_PCI) != 0;
    err = check_port(node, device);
    if (err == 0)
        err = read_engine(node, &device->engine);
    return err != 0 ? err : read_caps_and_copy(node, &device->caps, &device->copy);
}

/* ------------------------------------------------------------------------------------------------
 * The file
 */

static int read_devices(const struct reader *reader, const struct soft_field_node *devices)
{
    struct soft_device_table *table = reader->table;
    size_t num;
    int err;

    if (devices->json == NULL)
        return soft_field_fail(devices, "is missing, required: an array of devices, [] for none");
    err = soft_field_expect(devices, JSON_ARRAY, "devices");
    if (err != 0)
        return err;
    num = json_array_size(devices->json);
    if (num > MAX_DEVICES)
        return soft_field_fail(devices, "has %zu devices, allowed: at most %d", num, MAX_DEVICES);
    table->devices = calloc(num + 1, sizeof(*table->devices));
    if (table->devices == NULL)
        return soft_device_no_memory();
    table->topology.devices = table->devices;
    table->topology.ndevices = (uint32_t)num;
    for (size_t i = 0; i < num; i++) {
        struct soft_field_node node = soft_field_element(devices, i);

        err = read_device(reader, &node, &table->devices[i]);
        if (err != 0)
            return err;
    }
    return soft_device_connect(table, devices);
}

static int set_text(char **out, const char *text, const char **visible)
{
    *out = strdup(text);
    *visible = *out;
    return *out != NULL ? 0 : soft_device_no_memory();
}

static int read_head(struct soft_device_table *table, const struct soft_field_node *root)
{
    struct soft_device_head head = {{0}, {0}};
    uint32_t ignored = 0;
    int err;

    err = soft_field_read(root, &soft_device_file_table, &head, &ignored);
    if (err == 0)
        err = set_text(&table->source, root->source->name, &table->topology.source);
    if (err == 0 && head.bf_mode[0] != '\0')
        err = set_text(&table->bf_mode, head.bf_mode, &table->topology.bf_mode);
    if (err == 0 && head.bfb_file[0] != '\0')
        err = set_text(&table->bfb_file, head.bfb_file, &table->topology.bfb_file);
    return err;
}

static int read_file(struct soft_device_table *table, const struct soft_field_node *root)
{
    struct soft_field_node profiles = soft_field_member(root, "profiles");
    struct soft_field_node devices = soft_field_member(root, "devices");
    struct reader reader = {.table = table};
    int err;

    err = soft_field_expect(root, JSON_OBJECT, "profiles and devices");
    if (err == 0)
        err = read_head(table, root);
    if (err == 0)
        err = read_profiles(&reader, &profiles);
    if (err == 0)
        err = read_devices(&reader, &devices);
    free(reader.profiles);
    return err;
}

static int fail_syntax(const struct soft_field_text *source, const json_error_t *error)
{
    char text[JSON_ERROR_TEXT_LENGTH + 32];

    snprintf(text, sizeof(text), "not valid JSON: %s", error->text);
    return soft_field_fail_line(source, error->line > 0 ? (unsigned int)error->line : 1, text);
}

int soft_device_parse(const char *text, size_t len, const char *name,
                      struct soft_topology **topology)
{
    struct soft_field_text source = {name, text, len};
    struct soft_field_node root = {.source = &source};
    struct soft_device_table *table;
    json_error_t error;
    int err;

    root.json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (root.json == NULL)
        return fail_syntax(&source, &error);
    table = calloc(1, sizeof(*table));
    err = table != NULL ? read_file(table, &root) : soft_device_no_memory();
    json_decref(root.json);
    if (err != 0) {
        soft_device_topology_free((struct soft_topology *)table);
        return err;
    }
    *topology = &table->topology;
    return 0;
}
