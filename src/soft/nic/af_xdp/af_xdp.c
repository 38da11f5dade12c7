/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports over AF_XDP, the part that is always there: reads the port's text and loads the module.
 * What that makes carries the module's own table. */

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "soft/nic/af_xdp/module.h"

#define MODULE_NAME "libopendoca_nic_af_xdp.so"

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static const struct soft_af_xdp_module *module; /* once loaded */

static int load(void)
{
    const struct soft_module_head wanted = {SOFT_AF_XDP_MODULE_VERSION, sizeof(*module)};
    const void *found;
    int err = 0;

    pthread_mutex_lock(&loading);
    if (module == NULL)
        err = soft_module_load(MODULE_NAME, "ports of kind af_xdp", SOFT_AF_XDP_MODULE_SYMBOL,
                               &wanted, &found);
    if (module == NULL && err == 0)
        module = found;
    pthread_mutex_unlock(&loading);
    return err;
}

static int read_mode(const struct soft_nic_spec *spec, enum soft_af_xdp_mode *mode)
{
    static const char *const names[] = {"auto", "native", "copy", "generic"};
    const char *text = soft_nic_spec_get(spec, "mode");

    *mode = SOFT_AF_XDP_AUTO;
    for (uint32_t i = 0; text != NULL && i < OD_ARRAY_SIZE(names); i++) {
        if (strcmp(text, names[i]) == 0) {
            *mode = (enum soft_af_xdp_mode)i;
            return 0;
        }
    }
    return text == NULL ? 0
                        : soft_fail(-EINVAL,
                                    "mode of kind af_xdp is '%.40s', allowed: auto, native, copy, "
                                    "generic",
                                    text);
}

static int read_spec(const struct soft_nic_spec *spec, const struct soft_device *device,
                     struct soft_af_xdp_conf *conf)
{
    static const char *const keys[] = {"mode", "ring", "queues", NULL};
    const char *iface = spec->where[0] != '\0' ? spec->where : device->iface;
    uint64_t ring = 2048, queues = 0;
    int err = soft_nic_spec_check(spec, keys);

    if (err == 0)
        err = read_mode(spec, &conf->mode);
    if (err == 0)
        err = soft_nic_spec_number(spec, "ring", 64, 65536, &ring);
    if (err == 0)
        err = soft_nic_spec_number(spec, "queues", 1, 64, &queues);
    if (err != 0)
        return err;
    if ((ring & (ring - 1)) != 0)
        return soft_fail(-EINVAL, "ring is %" PRIu64 ", allowed: a power of two", ring);
    if (iface[0] == '\0' || strlen(iface) >= sizeof(conf->iface))
        return soft_fail(-EINVAL, "'%.40s' is no name of an interface; write af_xdp:veth0", iface);
    memcpy(conf->iface, iface, strlen(iface) + 1);
    conf->ring = (uint32_t)ring;
    conf->queues = (uint32_t)queues;
    return 0;
}

static int af_xdp_check_text(const struct soft_nic_spec *spec, const struct soft_device *device)
{
    struct soft_af_xdp_conf unused;

    return read_spec(spec, device, &unused);
}

static int af_xdp_open(const struct soft_nic_spec *spec, const struct soft_device *device,
                       struct soft_nic_backend **backend)
{
    struct soft_af_xdp_conf conf;
    int err = read_spec(spec, device, &conf);

    if (err == 0)
        err = load();
    return err != 0 ? err : module->open(&conf, backend);
}

/* Only a way in: what is opened has the table of the module. */
const struct soft_nic_ops soft_nic_af_xdp_ops = {
    .name = "af_xdp",
    .check = load,
    .check_text = af_xdp_check_text,
    .open = af_xdp_open,
};
