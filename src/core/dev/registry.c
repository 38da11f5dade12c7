/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dev/dev_priv.h"

void core_registry_add(struct core_registry *registry, struct core_registry_entry *entry)
{
    pthread_mutex_lock(&registry->lock);
    od_list_append(&registry->entries, &entry->link);
    pthread_mutex_unlock(&registry->lock);
}

struct core_registry_entry *core_registry_take(struct core_registry *registry, const void *handle)
{
    struct core_registry_entry *taken = NULL;

    pthread_mutex_lock(&registry->lock);
    OD_LIST_FOR_EACH(link, &registry->entries)
    {
        struct core_registry_entry *entry = OD_LIST_ENTRY(link, struct core_registry_entry, link);

        if (entry->handle == handle) {
            od_list_remove(link);
            taken = entry;
            break;
        }
    }
    pthread_mutex_unlock(&registry->lock);
    return taken;
}

static bool has_element(const struct core_registry_entry *entry, uintptr_t element)
{
    uintptr_t offset = element - (uintptr_t)entry->first;

    return offset < entry->size * entry->num && offset % entry->size == 0;
}

bool core_registry_has(struct core_registry *registry, const void *element)
{
    bool found = false;

    pthread_mutex_lock(&registry->lock);
    OD_LIST_FOR_EACH(link, &registry->entries)
    {
        found =
            has_element(OD_LIST_ENTRY(link, struct core_registry_entry, link), (uintptr_t)element);
        if (found)
            break;
    }
    pthread_mutex_unlock(&registry->lock);
    return found;
}
