/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_NIC_MKEY_H_
#define OD_SOFT_NIC_MKEY_H_

/* Memory keys: the numbers by which work that kernels write names memory of the program. A key
 * belongs to one memory map and one device. Nothing that a kernel writes is believed: unknown keys,
 * other devices' keys and ranges outside of the map reach nothing.
 *
 * A key is 24 bits of place and 8 bits that change whenever the place is used again; never 0 and
 * never all ones. */

#include "soft/gpu/gpu.h"
#include "soft/device/device.h"

struct soft_peer_map;

struct soft_nic_mkey {
    const struct soft_device *device;
    char *addr; /* as the program named it */
    size_t len;
    bool can_read;
    bool can_write;
    uint32_t access;                /* of a peer's: what its owner granted, as the API has it */
    struct soft_peer_map *peer;     /* it is a peer's, and `addr` the peer's own; else NULL */
    struct soft_gpu_memory *memory; /* that has all of it; NULL: memory of the process */
};

/* A number that names nothing yet. -ENOMEM with a reason. */
SOFT_API int soft_nic_mkey_new(uint32_t *key);
SOFT_API void soft_nic_mkey_free(uint32_t key);

SOFT_API void soft_nic_mkey_set(uint32_t key, const struct soft_nic_mkey *what);
/* When it returns nobody reads the memory any more. */
SOFT_API void soft_nic_mkey_clear(uint32_t key);

/* Between these two what was reached stays. Not in turns with the calls above. */
void soft_nic_mkeys_enter(void);
void soft_nic_mkeys_leave(void);
/* Where the library reads `len` bytes at `addr`; NULL: the key does not cover them. */
const char *soft_nic_mkey_reach(uint32_t key, const struct soft_device *device, uint64_t addr,
                                uint32_t len);
/* The same for any memory, also that of peers and what only a GPU reaches; NULL: the key does not
 * cover it. */
const struct soft_nic_mkey *soft_nic_mkey_find(uint32_t key, const struct soft_device *device,
                                               uint64_t addr, uint64_t len);

#endif /* OD_SOFT_NIC_MKEY_H_ */
