/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void soft_device_id(const struct soft_device *device, char id[SOFT_DEVICE_ID_SIZE])
{
    char pci[OD_PCI_ADDR_TEXT];

    od_format_pci_addr(&device->pci, pci);
    if (device->func_type == SOFT_FUNC_SF)
        snprintf(id, SOFT_DEVICE_ID_SIZE, "%s/sf%" PRIu32, pci, device->sf_index);
    else
        snprintf(id, SOFT_DEVICE_ID_SIZE, "%s", pci);
}

/* ------------------------------------------------------------------------------------------------
 * Devices among each other
 */

static bool is_function(const struct soft_device *device, enum soft_role role,
                        const struct od_pci_addr *pci, bool is_sf, uint32_t sf_index)
{
    return device->role == role && od_pci_addr_equal(&device->pci, pci) &&
           (device->func_type == SOFT_FUNC_SF) == is_sf && (!is_sf || device->sf_index == sf_index);
}

static int check_unique(const struct soft_device_table *table,
                        const struct soft_field_node *devices, uint32_t i)
{
    const struct soft_device *device = &table->devices[i];
    struct soft_field_node node = soft_field_element(devices, i);
    struct soft_field_node pci = soft_field_member(&node, "pci");
    struct soft_field_node ibdev = soft_field_member(&node, "ibdev");

    for (uint32_t j = 0; j < i; j++) {
        const struct soft_device *other = &table->devices[j];

        if (is_function(other, device->role, &device->pci, device->func_type == SOFT_FUNC_SF,
                        device->sf_index))
            return soft_field_fail_value(&pci,
                                         "an address that no other %s device has; "
                                         "devices[%" PRIu32 "] has it",
                                         soft_role_name(device->role), j);
        if (device->ibdev[0] != '\0' && device->role == other->role &&
            strcmp(device->ibdev, other->ibdev) == 0)
            return soft_field_fail_value(&ibdev,
                                         "a name that no other %s device has; "
                                         "devices[%" PRIu32 "] has it",
                                         soft_role_name(device->role), j);
    }
    return 0;
}

static bool has_ibdev(const struct soft_device_table *table, enum soft_role role, const char *name)
{
    for (uint32_t i = 0; i < table->topology.ndevices; i++) {
        if (table->devices[i].role == role && strcmp(table->devices[i].ibdev, name) == 0)
            return true;
    }
    return false;
}

/* An address of its own, the same in every process: locally administered, from a hash (FNV-1a) of
 * what tells the device apart. */
static void derive_mac(struct soft_device *device)
{
    char id[SOFT_DEVICE_ID_SIZE], text[SOFT_NAME_SIZE + SOFT_DEVICE_ID_SIZE + 8];
    uint64_t hash = 0xcbf29ce484222325u;

    soft_device_id(device, id);
    snprintf(text, sizeof(text), "%s/%s/%s", device->card, soft_role_name(device->role), id);
    for (const char *p = text; *p != '\0'; p++)
        hash = (hash ^ (uint8_t)*p) * 0x100000001b3u;
    device->mac[0] = 0x02;
    for (int i = 1; i < 6; i++)
        device->mac[i] = (uint8_t)(hash >> (8 * i));
}

/* What the file leaves open and what has to differ between devices. */
static void fill_in(struct soft_device_table *table, uint32_t i, uint32_t next_ibdev[3])
{
    struct soft_device *device = &table->devices[i];
    char id[SOFT_DEVICE_ID_SIZE];

    soft_device_id(device, id);
    while ((device->given & GIVEN_IBDEV) == 0) {
        char name[SOFT_IBDEV_NAME_SIZE];

        snprintf(name, sizeof(name), "mlx5_%" PRIu32, next_ibdev[device->role]++);
        if (!has_ibdev(table, device->role, name)) {
            memcpy(device->ibdev, name, sizeof(name));
            break;
        }
    }
    if ((device->given & GIVEN_PF_INDEX) == 0)
        device->pf_index = device->func_type == SOFT_FUNC_PF ? device->pci.function : 0;
    if ((device->given & GIVEN_VHCA_ID) == 0)
        device->vhca_id = (uint16_t)i;
    if ((device->given & GIVEN_LID) == 0 && device->link_layer == SOFT_LINK_INFINIBAND)
        device->lid = (uint16_t)(i + 1);
    if ((device->given & GIVEN_REP_IB_PORT) == 0)
        device->rep_ib_port = (uint16_t)(i + 1);
    if ((device->given & GIVEN_VUID) == 0)
        snprintf(device->vuid, sizeof(device->vuid), "%s-%s-%s", device->card,
                 soft_role_name(device->role), id);
    if ((device->given & GIVEN_MAC) == 0 && device->link_layer == SOFT_LINK_ETHERNET)
        derive_mac(device);
}

/* ------------------------------------------------------------------------------------------------
 * Representors
 */

/* "DDDD:BB:DD.F", for a sub function followed by "/sfN": what soft_device_id() prints. */
static bool parse_id(const char *id, struct od_pci_addr *pci, bool *is_sf, uint32_t *sf_index)
{
    char text[SOFT_DEVICE_ID_SIZE];
    uint64_t value = 0;
    char *slash;

    if (id == NULL || strlen(id) >= sizeof(text))
        return false;
    memcpy(text, id, strlen(id) + 1);
    slash = strchr(text, '/');
    *is_sf = slash != NULL;
    if (slash != NULL) {
        if (strncmp(slash, "/sf", 3) != 0 || od_parse_u64(slash + 3, &value) != 0 ||
            value > UINT32_MAX)
            return false;
        *slash = '\0';
    }
    *sf_index = (uint32_t)value;
    return od_parse_pci_addr(text, pci) == 0;
}

static int read_representor(const struct soft_device_table *table,
                            const struct soft_field_node *node, struct soft_device *device)
{
    const struct soft_device *rep = NULL;
    struct od_pci_addr pci;
    uint32_t sf_index;
    bool is_sf;

    if (!parse_id(json_string_value(node->json), &pci, &is_sf, &sf_index))
        return soft_field_fail_value(node, "the address of a host device such as "
                                           "\"0000:b1:00.0\" or \"0000:b1:00.0/sf1\"");
    for (uint32_t i = 0; rep == NULL && i < table->topology.ndevices; i++) {
        if (is_function(&table->devices[i], SOFT_ROLE_HOST, &pci, is_sf, sf_index))
            rep = &table->devices[i];
    }
    if (rep == NULL)
        return soft_field_fail_value(node, "the address of a host device of this file");
    if (strcmp(rep->card, device->card) != 0)
        return soft_field_fail_value(node, "host devices of card \"%s\"; this one is of \"%s\"",
                                     device->card, rep->card);
    for (uint32_t i = 0; i < device->nreps; i++) {
        if (device->reps[i] == rep)
            return soft_field_fail_value(node, "each host device once");
    }
    device->reps[device->nreps++] = rep;
    return 0;
}

/* A physical function represents all of its card's other side unless the file says which. */
static void take_all_representors(const struct soft_device_table *table, struct soft_device *device)
{
    for (uint32_t i = 0; i < table->topology.ndevices; i++) {
        const struct soft_device *other = &table->devices[i];

        if (other->role == SOFT_ROLE_HOST && strcmp(other->card, device->card) == 0)
            device->reps[device->nreps++] = other;
    }
}

static int read_representors(const struct soft_device_table *table,
                             const struct soft_field_node *node, struct soft_device *device)
{
    int err;

    if (device->role != SOFT_ROLE_DPU)
        return 0;
    device->reps = calloc(table->topology.ndevices, sizeof(struct soft_device *));
    if (device->reps == NULL)
        return soft_device_no_memory();
    if (node->json == NULL) {
        if (device->func_type == SOFT_FUNC_PF)
            take_all_representors(table, device);
        return 0;
    }
    err = soft_field_expect(node, JSON_ARRAY, "addresses of host devices");
    for (size_t i = 0; err == 0 && i < json_array_size(node->json); i++) {
        struct soft_field_node element = soft_field_element(node, i);

        err = read_representor(table, &element, device);
    }
    return err;
}

/* ------------------------------------------------------------------------------------------------
 * Services
 */

/* A service belongs to a card: who states none has that of the card's first device that does. */
static void take_service(const struct soft_device_table *table, struct soft_device *device)
{
    for (uint32_t i = 0; i < table->topology.ndevices && device->urom_service[0] == '\0'; i++) {
        const struct soft_device *other = &table->devices[i];

        if (strcmp(other->card, device->card) == 0)
            memcpy(device->urom_service, other->urom_service, sizeof(device->urom_service));
    }
}

int soft_device_connect(struct soft_device_table *table, const struct soft_field_node *devices)
{
    uint32_t next_ibdev[3] = {0}; /* by role */
    int err;

    for (uint32_t i = 0; i < table->topology.ndevices; i++) {
        err = check_unique(table, devices, i);
        if (err != 0)
            return err;
    }
    for (uint32_t i = 0; i < table->topology.ndevices; i++) {
        struct soft_field_node node = soft_field_element(devices, i);
        struct soft_field_node reps = soft_field_member(&node, "representors");

        fill_in(table, i, next_ibdev);
        take_service(table, &table->devices[i]);
        err = read_representors(table, &reps, &table->devices[i]);
        if (err != 0)
            return err;
    }
    return 0;
}
