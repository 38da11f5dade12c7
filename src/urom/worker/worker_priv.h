/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UROM_WORKER_WORKER_PRIV_H_
#define OD_UROM_WORKER_WORKER_PRIV_H_

/* What the files of the worker program share.
 *
 *   main.c      options, the order of life
 *   loop.c      the loop, and when it sleeps
 *   plugin.c    loading, opening, closing
 *   probe.c     looking at a plugin for the daemon
 *   channel.c   clients and their links
 *   dispatch.c  commands to plugins, notifications to clients
 *   domain.c    domains, and what plugins look up in them
 *   control.c   what the daemon says
 *
 * One thread runs all of it and calls the plugins; only look-ups come from other threads too. */

#include <stdatomic.h>

#include <doca_urom_ext.h>
#include <doca_urom_plugin.h>

#include "soft/link/link.h"
#include "urom/wire/channel.h"
#include "urom/wire/domain.h"
#include "urom/wire/frames.h"
#include "urom/wire/hello.h"
#include "urom/wire/page.h"
#include "urom/wire/spawn.h"
#include "util/list.h"

struct worker;

/* ---- plugins ---- */

/* A command that a plugin has been offered, kept outside of the block that it may free. */
struct worker_offer {
    const struct urom_worker_cmd_desc *desc; /* compared, never read once the plugin had it */
    uint64_t dest;
    uint64_t token;
};

struct worker_plugin {
    struct urom_worker_ctx ctx; /* first: plugins give it back */
    struct worker *worker;
    void *handle;
    const char *path;
    char name[DOCA_UROM_PLUGIN_NAME_MAX_LEN];
    uint64_t id;
    uint64_t version;
    uint64_t api_version;
    bool is_open;
    void *addr; /* NULL when it has none */
    size_t addr_len;
    ucs_list_link_t commands;
    struct worker_offer *offers; /* of `commands`, in order */
    size_t noffers;
    size_t max_offers;
    urom_plugin_ext_runtime_t ext_runtime; /* NULL: not exported, as all of these */
    urom_plugin_ext_conn_closed_t ext_conn_closed;
    urom_plugin_ext_arm_t ext_arm;
};

/* Why something failed, in words for the daemon's log and the client. */
struct worker_reason {
    doca_error_t error;
    char text[UROM_WIRE_TEXT_SIZE];
};

/* Sets the reason and returns false. */
bool worker_fail(struct worker_reason *reason, doca_error_t error, const char *fmt, ...)
    OD_PRINTF(3, 4);

/* Maps the object and asks for version and interface; calls nothing else of it. */
bool worker_plugin_load(struct worker_plugin *plugin, struct worker_reason *reason);
/* open, then the address. */
bool worker_plugin_open(struct worker_plugin *plugin, struct worker_reason *reason);
/* close, when it is open. Threads of the plugin may still run, so it stays mapped. */
void worker_plugin_close(struct worker_plugin *plugin);
/* Version of the UCX that the plugin brought along; false when it did not. */
bool worker_plugin_ucx(const struct worker_plugin *plugin, char *text, size_t size);

int worker_probe(const char *path);

/* Around each call into a plugin: what the watchdog reports, and what is measured. */
struct worker_call {
    struct worker_plugin *plugin;
    enum urom_page_call call;
    uint64_t begin; /* ns; 0: not measured */
};

void worker_call_begin(struct worker_call *call, struct worker_plugin *plugin,
                       enum urom_page_call which);
void worker_call_end(const struct worker_call *call);

/* ---- channels ---- */

struct worker_slot {
    uint64_t token; /* 0: nothing outstanding */
    struct worker_plugin *plugin;
};

/* A client that the daemon announced; its link comes with the token. */
struct worker_channel {
    struct od_list entry; /* ascending by dest */
    struct urom_admit admit;
    uint64_t dest;
    struct soft_link *link; /* NULL: not connected yet */
    struct worker_slot *slots;
};

void worker_channel_admit(struct worker *worker, const struct urom_admit *admit);
/* Whatever there is of it: its link, its place, commands that no plugin has taken. */
void worker_channel_drop(struct worker *worker, struct worker_channel *channel);
struct worker_channel *worker_channel_by_token(struct worker *worker, const uint8_t *token);
struct worker_channel *worker_channel_by_dest(struct worker *worker, uint64_t dest);
/* Takes in who greets. True when somebody did. */
bool worker_channels_accept(struct worker *worker);
/* Takes commands of all channels. True when there were some. */
bool worker_channels_receive(struct worker *worker);
bool worker_channels_pending(const struct worker *worker);

/* ---- dispatch ---- */

/* A command for a plugin, with a copy of its bytes. False: no memory. */
bool worker_queue_command(struct worker_plugin *plugin, uint64_t dest,
                          const struct urom_worker_cmd *head, const void *bytes);
/* Commands of a channel that its plugins have not taken. */
void worker_discard_commands(struct worker *worker, uint64_t dest);
/* Offers commands, and lets all plugins progress. True when something was done. */
bool worker_run_plugins(struct worker *worker);
/* The end of a command that no plugin announced. */
void worker_synthesise(struct worker *worker, struct worker_channel *channel, uint64_t type,
                       uint64_t token, doca_error_t status);

/* ---- domains ---- */

/* Immutable; look-ups of any thread use the one that is published. */
struct worker_tables {
    size_t count;
    struct urom_table *tables[];
};

/* Takes over the link, or closes it. */
void worker_domain_accept(struct worker *worker, struct soft_link *link);
bool worker_domains_progress(struct worker *worker);
bool worker_domains_pending(const struct worker *worker);
void worker_domains_free(struct worker *worker);
extern const struct urom_domain_lookups_iface worker_lookups;

/* ---- the worker ---- */

/* What plugins may have pointers into: kept until the end. */
struct worker_retired {
    struct worker_retired *next;
    struct worker_tables *tables;
    struct urom_table *table;
};

struct worker {
    uint64_t id;
    struct urom_page *page;
    int control; /* socket to the daemon */
    bool busy_poll;
    bool may_spin; /* there is a CPU for it */
    bool stopping;
    struct od_waker waker;
    struct soft_link_listener *local;
    struct soft_link_listener *remote;    /* NULL: this machine only */
    const char *local_addr;               /* "local:NAME", of plain letters */
    char local_path[UROM_WIRE_ADDR_SIZE]; /* the same as seen from everywhere */
    const char *remote_addr;
    struct worker_plugin *plugins;
    size_t nplugins;
    struct worker_plugin *by_bit[UROM_WIRE_PLUGINS_MAX];
    struct od_list channels;
    uint64_t last_dest;
    uint32_t max_msg; /* of all channels so far */
    uint8_t *packed;  /* one notification, as long as a message can be */
    struct od_list domains;
    struct worker_tables *_Atomic tables;
    struct worker_retired *retired;
    struct urom_ext_runtime runtime;
};

/* ---- control.c ---- */

/* Everything that the daemon has said; the end of the socket ends the worker. */
void worker_control_read(struct worker *worker);
/* False when the daemon is gone. */
bool worker_control_send(struct worker *worker, enum urom_type type, const void *body, size_t len);

/* ---- loop.c ---- */

void worker_loop(struct worker *worker);
uint64_t worker_now_ns(void);

#endif /* OD_UROM_WORKER_WORKER_PRIV_H_ */
