/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_PLUGIN_COMMON_ERRAND_H_
#define OD_UROM_PLUGIN_COMMON_ERRAND_H_

/* What a plugin would have to wait for, done by threads of the worker: the worker itself never
 * waits for another process or host.
 *
 * Errands of one line are run one after the other, in their order; lines side by side, on up to
 * ERRAND_THREADS threads of all plugins, which are started when they are needed. The end is told on
 * the plugin's thread. All calls are the plugin's thread's. */

#include "soft/copy/copy.h"
#include "urom/plugin/common/plugin.h"

#define ERRAND_THREADS 8u

/* To be initialised, and empty when it goes away. */
struct plugin_line {
    struct od_list ready; /* in the list of lines that a thread may take */
    struct od_list queue;
    bool running;
};

struct plugin_errand {
    struct od_list entry;
    struct plugin_base *base;
    struct plugin_line *line;
    /* On a thread of the pool. `copy`: an empty channel of its own; NULL: there is no memory. */
    void (*run)(struct plugin_errand *errand, struct soft_copy_chan *copy);
    /* On the plugin's thread, within plugin_errands_collect() or plugin_errands_end(). The errand
     * is its owner's again. `ran`: else it was taken back. */
    void (*done)(struct plugin_errand *errand, bool ran);
};

static inline void plugin_line_init(struct plugin_line *line)
{
    od_list_init(&line->ready);
    od_list_init(&line->queue);
    line->running = false;
}

/* `run` and `done` are filled in. 0, or a negative errno: no thread can be started. */
PLUGIN_API int plugin_errand_start(struct plugin_base *base, struct plugin_line *line,
                                   struct plugin_errand *errand);
/* For progress: tells what has ended. */
PLUGIN_API void plugin_errands_collect_all(struct plugin_base *base);
/* The plugin closes: takes back what has not begun, waits for the rest, and tells all. */
PLUGIN_API void plugin_errands_end(struct plugin_base *base);

/* Whether there is something to collect. */
static inline bool plugin_errands_pending(const struct plugin_base *base)
{
    return atomic_load_explicit(&base->has_finished, memory_order_acquire);
}

static inline void plugin_errands_collect(struct plugin_base *base)
{
    if (od_unlikely(plugin_errands_pending(base)))
        plugin_errands_collect_all(base);
}

/* One copy, by a channel that is empty. 0 or a negative errno, as jobs of the engine end. */
PLUGIN_API int plugin_copy(struct soft_copy_chan *copy, struct soft_peer_map *to, uint64_t to_va,
                           struct soft_peer_map *from, uint64_t from_va, uint64_t len);

#endif /* OD_UROM_PLUGIN_COMMON_ERRAND_H_ */
