/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_CORE_DEV_DEV_PRIV_H_
#define OD_CORE_DEV_DEV_PRIV_H_

/* What the files of this room share: which of the pointers that users hold are still alive. */

#include <pthread.h>

#include "core/core_priv.h"

/* One allocation whose elements users may point at. */
struct core_registry_entry {
    struct od_list link;
    const void *handle; /* by which the user gives it back: an array, an object */
    const void *first;  /* element */
    size_t size;        /* of an element */
    size_t num;
};

/* Pointers are compared, never followed: asking about freed memory is harmless. */
struct core_registry {
    pthread_mutex_t lock;
    struct od_list entries;
};

#define CORE_REGISTRY_INIT(registry)                                                               \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER,                                                                 \
        {                                                                                          \
            &(registry).entries, &(registry).entries                                               \
        }                                                                                          \
    }

void core_registry_add(struct core_registry *registry, struct core_registry_entry *entry);
/* The entry, which is the caller's now; NULL when there is none of that handle. */
struct core_registry_entry *core_registry_take(struct core_registry *registry, const void *handle);
bool core_registry_has(struct core_registry *registry, const void *element);

/* Keeps the open device of that function, if there is one. */
struct doca_dev *core_dev_hold_open(const struct soft_device *soft, enum core_dev_user user);

/* What the getters of both kinds of info share. They log once when they fail. */
doca_error_t core_dev_check_size(const char *func, const char *object, uint32_t size,
                                 size_t needed);
doca_error_t core_dev_compare_pci(const char *func, const char *object,
                                  const struct od_pci_addr *pci, const char *text,
                                  uint8_t *is_equal);
doca_error_t core_dev_get_data_direct(const char *func, const char *object,
                                      const struct soft_device *soft, char *pci_addr_str);

static inline enum doca_pci_func_type core_dev_func_type(const struct soft_device *soft)
{
    return soft->func_type == SOFT_FUNC_PF   ? DOCA_PCI_FUNC_TYPE_PF
           : soft->func_type == SOFT_FUNC_VF ? DOCA_PCI_FUNC_TYPE_VF
                                             : DOCA_PCI_FUNC_TYPE_SF;
}

#endif /* OD_CORE_DEV_DEV_PRIV_H_ */
