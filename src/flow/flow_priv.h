/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_FLOW_FLOW_PRIV_H_
#define OD_FLOW_FLOW_PRIV_H_

/* What the files of Flow share.
 *
 *   cfg.c, flow.c      settings of the library, its life
 *   port.c             ports
 *   pipe_cfg.c, pipe.c pipes
 *   entry.c            entries, queues, callbacks
 *   match.c            a match of the API as mask and value over soft/nic's keys
 *   actions.c, fwd.c   actions and forwards, likewise
 *   query.c            counters
 *   mpls.c             labels
 *   refusals.c         what is not offered */

#include <pthread.h>

#include <doca_flow.h>
/* Here it is defined. */
#undef doca_flow_pipe_control_add_entry

#include "core/core_priv.h"
#include "soft/nic/flow.h"

#define FLOW_QUEUES_MAX   1024u
#define FLOW_COUNTERS_MAX (1u << 24)
#define FLOW_ACTIONS_MAX  8u
#define FLOW_ENTRIES_MAX  (1u << 24)
#define FLOW_NAME_SIZE    64

struct doca_flow_cfg {
    uint16_t queues;
    uint32_t counters;
    uint32_t depth;
    bool has_mode;
    bool is_isolated;
    doca_flow_entry_process_cb entry_cb;
    uint8_t rss_key[SOFT_NIC_RSS_KEY];
    bool has_rss_key;
};

struct doca_flow_port_cfg {
    bool has_id;
    uint16_t id;
    struct doca_dev *dev;
    uint16_t priv_size;
};

/* The library, while it is initialised. */
struct flow_library {
    bool is_up;
    struct doca_flow_cfg cfg;
    struct od_list ports;
    _Atomic uint32_t counters_left;
    pthread_mutex_t lock; /* of the list of ports */
};
extern struct flow_library flow_library;

/* Operations of a queue that were not reported yet. One thread at a time. */
struct flow_queue {
    struct doca_flow_pipe_entry *first, *last;
    uint32_t waiting;
    bool is_reporting; /* a callback runs */
};

struct doca_flow_port {
    struct od_list link;
    uint16_t id;
    struct doca_dev *dev;
    struct soft_nic_port *soft;
    char name[32];
    struct od_list pipes;
    struct doca_flow_pipe *root;
    struct flow_queue *queues;
    bool counts_default_miss;
    _Atomic bool is_told; /* of frames for queues that are not there */
    uint8_t *priv;
};

struct doca_flow_pipe_cfg {
    struct doca_flow_port *port;
    char name[FLOW_NAME_SIZE];
    enum doca_flow_pipe_type type;
    enum doca_flow_pipe_domain domain;
    bool is_root;
    bool has_match, has_mask;
    struct doca_flow_match match, mask;
    size_t nactions;
    struct doca_flow_actions actions[FLOW_ACTIONS_MAX];
    struct doca_flow_actions actions_mask[FLOW_ACTIONS_MAX];
    bool has_actions_mask[FLOW_ACTIONS_MAX];
    bool counts;
    uint32_t nentries;
    bool counts_misses;
    void *user_ctx;
};

/* Which headers a template speaks of: they tell the members of unions. */
struct flow_selectors {
    enum doca_flow_l3_type l3;
    enum doca_flow_l4_type_ext l4;
};

struct flow_action_template {
    struct soft_nic_action fixed;
    struct soft_nic_keys open;            /* bits that entries choose */
    bool opens_vlan_type, opens_vlan_tci; /* of a tag that is put on */
    struct flow_selectors selectors;
};

struct doca_flow_pipe {
    struct od_list link;
    struct doca_flow_port *port;
    char name[FLOW_NAME_SIZE];
    enum doca_flow_pipe_type type;
    bool is_egress; /* without effect */
    bool is_root;
    bool is_dead; /* freed with its last entry */
    bool counts, counts_misses;
    struct soft_nic_keys open; /* BASIC */
    struct flow_selectors selectors;
    bool has_fwd;
    size_t nactions;
    struct flow_action_template actions[FLOW_ACTIONS_MAX];
    struct soft_nic_table *table;
    struct od_list entries;
    pthread_mutex_t lock; /* of the list of entries */
};

struct doca_flow_pipe_entry {
    struct od_list link; /* in the pipe */
    struct doca_flow_pipe *pipe;
    struct soft_nic_entry *soft;
    void *user_ctx;
    enum doca_flow_entry_status status;
    bool counts;
    /* In the queue: operations that wait, as bits by enum doca_flow_entry_op. */
    uint32_t ops;
    bool is_queued;
    bool is_removed;
    bool is_reported; /* right now: its callback runs, which may drop it with its pipe */
    bool is_dropped;  /* freed when the callback has returned */
    struct doca_flow_pipe_entry *next;
};

struct doca_flow_target {
    enum doca_flow_target_type type;
};
extern struct doca_flow_target flow_kernel;

/* ---- match.c ---- */

/* A pipe's template: fixed bits with their value, and the bits that entries choose. NOT_SUPPORTED
 * or INVALID_VALUE, logged. */
doca_error_t flow_match_template(const struct doca_flow_match *match,
                                 const struct doca_flow_match *mask, const char *func,
                                 const char *object, struct soft_nic_keys *fixed,
                                 struct soft_nic_keys *value, struct soft_nic_keys *open);
/* An entry of a CONTROL pipe; there is nothing open. */
doca_error_t flow_match_exact(const struct doca_flow_match *match,
                              const struct doca_flow_match *mask, const char *func,
                              const char *object, struct soft_nic_keys *bits,
                              struct soft_nic_keys *value);
/* The values of an entry of a BASIC pipe; what its template does not leave open counts for nothing.
 */
void flow_match_values(const struct doca_flow_match *match, const struct flow_selectors *selectors,
                       struct soft_nic_keys *value);

/* What actions set, as the fields of a match: open are those whose value is all ones. */
void flow_match_action(const struct doca_flow_match *actions, const struct doca_flow_match *mask,
                       struct soft_nic_keys *fixed, struct soft_nic_keys *value,
                       struct soft_nic_keys *open);
struct flow_selectors flow_match_selectors(const struct doca_flow_match *match);
/* Layers as the keys have them. */
uint8_t flow_soft_l3(const struct flow_selectors *selectors);
uint8_t flow_soft_l4(const struct flow_selectors *selectors);

/* ---- actions.c ---- */

doca_error_t flow_actions_template(const struct doca_flow_actions *actions,
                                   const struct doca_flow_actions *mask, const char *func,
                                   const char *object, struct flow_action_template *out);
doca_error_t flow_actions_values(const struct flow_action_template *of,
                                 const struct doca_flow_actions *actions, const char *func,
                                 const char *object, struct soft_nic_action *out);

/* ---- fwd.c ---- */

/* NULL is NONE. For misses only some kinds are offered. */
doca_error_t flow_fwd(const struct doca_flow_port *port, const struct doca_flow_fwd *fwd,
                      bool is_miss, const char *func, struct soft_nic_fwd *out);
struct doca_flow_port *flow_find_port(uint16_t id);

/* ---- pipe.c ---- */

doca_error_t flow_pipe_check(const struct doca_flow_pipe *pipe, const char *func);
void flow_pipes_end(struct doca_flow_port *port);
/* Without entries. */
void flow_pipe_free(struct doca_flow_pipe *pipe);

/* ---- entry.c ---- */

/* Out of the pipe and its queue, without a report. */
void flow_entries_drop(struct doca_flow_pipe *pipe);
/* True: called from a callback of one of the port's entries. */
bool flow_port_is_reporting(const struct doca_flow_port *port);

/* ---- port.c ---- */

doca_error_t flow_port_check(const struct doca_flow_port *port, const char *func);
/* Says in the log, once, that rules led frames to queues that are not there. */
void flow_port_tell(struct doca_flow_port *port);
/* Stops and frees. */
void flow_port_end(struct doca_flow_port *port);

#endif /* OD_FLOW_FLOW_PRIV_H_ */
