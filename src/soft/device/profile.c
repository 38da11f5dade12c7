/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/device_priv.h"

#include <string.h>

/* Bytes that one copy may have. The cards of both generations are known for 2 MiB, so programs that
 * stay within it here stay within it there. */
#define CARD_MAX_BUF_SIZE ((uint64_t)2 << 20)

/* Segments of one side of a copy. Enough for every published program; the sum of both sides' counts
 * is compared with it by some. */
#define CARD_MAX_LIST_LEN 64

/* Tasks of one context: what a queue with 16-bit indices can count. */
#define CARD_MAX_TASKS 65535

/* Longest descriptor of an exported memory map, promised to applications that put it in a message.
 */
#define MAX_ACCESS_TOKEN_SIZE 512

#define GBIT_PER_S ((uint64_t)1000 * 1000 * 1000)

/* Messages: what the published programs need, and the sizes that cards are known for. A message of
 * the largest size still fits on a stack. */
#define CARD_COMCH                                                                                 \
    .comch = true, .comch_max_name_len = 120, .comch_max_msg_size = 4080,                          \
    .comch_max_recv_queue = 8192, .comch_max_send_tasks = 8192, .comch_max_clients = 512,          \
    .comch_connect_timeout = 10000, .comch_fast_path = true, .comch_max_fast_tasks = 65535,        \
    .comch_max_buf_size = (uint32_t)1 << 31, .comch_max_imm_len = 32, .comch_max_consumers = 256,  \
    .comch_max_producers = 256

/* What a card with processors of its own has: memory of the other side, representors, and copies.
 */
#define CARD_CAPS                                                                                  \
    .mmap_export_pci = true, .mmap_from_export_pci = true, .rep_filter_all = true,                 \
    .rep_filter_net = true, .sync_event = true, .sync_event_remote_pci = true,                     \
    .mmap_advise_cache_invalidate = true, .mmap_advise_max_buf_size = (uint64_t)2 << 30,           \
    .completion_vectors = 1, .max_access_token_size = MAX_ACCESS_TOKEN_SIZE, .dma_memcpy = true,   \
    .dma_max_buf_size = CARD_MAX_BUF_SIZE, .dma_max_list_len = CARD_MAX_LIST_LEN,                  \
    .dma_max_tasks = CARD_MAX_TASKS, CARD_COMCH

/* Which engine copies is left open: soft/copy chooses. */
static const struct soft_profile profiles[] = {
    {
        /* Everything that the software offers, with the limits of a card. */
        .name = SOFT_PROFILE_DEFAULT,
        .active_rate = 400 * GBIT_PER_S,
        .caps = {CARD_CAPS, .sync_event_remote_net = true},
    },
    {
        /* BlueField-2: two ports of 100 Gb/s. */
        .name = "bf2",
        .active_rate = 100 * GBIT_PER_S,
        .caps = {CARD_CAPS},
    },
    {
        /* BlueField-3: two ports of 200 Gb/s; sync events also between hosts. */
        .name = "bf3",
        .active_rate = 200 * GBIT_PER_S,
        .caps = {CARD_CAPS, .sync_event_remote_net = true},
    },
    {
        /* ConnectX-7: a network card. Without processors of its own there is no other side whose
         * memory it could export, represent or copy. */
        .name = "cx7",
        .active_rate = 400 * GBIT_PER_S,
        .caps = {.sync_event = true,
                 .sync_event_remote_net = true,
                 .completion_vectors = 1,
                 .max_access_token_size = MAX_ACCESS_TOKEN_SIZE},
    },
    {
        /* No limit but those of the counters that hold them. */
        .name = "unlimited",
        .active_rate = 800 * GBIT_PER_S,
        .caps = {.mmap_export_pci = true,
                 .mmap_from_export_pci = true,
                 .rep_filter_all = true,
                 .rep_filter_net = true,
                 .rep_filter_emulated = true,
                 .sync_event = true,
                 .sync_event_remote_pci = true,
                 .sync_event_remote_net = true,
                 .mmap_advise_cache_invalidate = true,
                 .mmap_advise_max_buf_size = INT64_MAX,
                 .completion_vectors = 1024,
                 .max_access_token_size = MAX_ACCESS_TOKEN_SIZE,
                 .dma_memcpy = true,
                 .dma_max_buf_size = INT64_MAX,
                 .dma_max_list_len = 65535,
                 .dma_max_tasks = 1 << 24,
                 .comch = true,
                 .comch_max_name_len = 1024,
                 .comch_max_msg_size = 65536,
                 .comch_max_recv_queue = 65535,
                 .comch_max_send_tasks = 65535,
                 .comch_max_clients = 65535,
                 .comch_connect_timeout = 10000,
                 .comch_fast_path = true,
                 .comch_max_fast_tasks = 1 << 20,
                 .comch_max_buf_size = UINT32_MAX,
                 .comch_max_imm_len = 1024,
                 .comch_max_consumers = 32767,
                 .comch_max_producers = 32767},
    },
};

const struct soft_profile *soft_device_profile_find(const char *name)
{
    for (size_t i = 0; i < OD_ARRAY_SIZE(profiles); i++) {
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    }
    return NULL;
}

const char *const *soft_device_profiles(void)
{
    static const char *const names[] = {
        profiles[0].name, profiles[1].name, profiles[2].name,
        profiles[3].name, profiles[4].name, NULL,
    };

    _Static_assert(OD_ARRAY_SIZE(names) == OD_ARRAY_SIZE(profiles) + 1, "a name for each profile");
    return names;
}
