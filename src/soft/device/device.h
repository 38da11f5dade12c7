/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_DEVICE_DEVICE_H_
#define OD_SOFT_DEVICE_DEVICE_H_

/* The device table: which functions exist, which card they belong to, what they can do.
 *
 * Source of the table, first that is there: the file named by OPENDOCA_CONFIG, then
 * /etc/opendoca/devices.json, then the built-in topology (one card: DPU device 0000:03:00.0
 * "mlx5_0" paired with host device 0000:b1:00.0, which is also its representor). It is read once a
 * process, at the first call, and never changes; all functions may be called from any thread. */

#include <limits.h>

#include "soft/soft.h"
#include "util/parse.h"

enum soft_role {
    SOFT_ROLE_HOST = 1,
    SOFT_ROLE_DPU = 2,
};

enum soft_func_type {
    SOFT_FUNC_PF,
    SOFT_FUNC_VF,
    SOFT_FUNC_SF,
};

enum soft_link_layer {
    SOFT_LINK_ETHERNET, /* RoCE */
    SOFT_LINK_INFINIBAND,
};

enum soft_port_state {
    SOFT_PORT_UNKNOWN,
    SOFT_PORT_ACTIVE,
    SOFT_PORT_DOWN,
};

/* Can the device be opened? Lets programs be tested against devices that are listed and refuse. */
enum soft_access {
    SOFT_ACCESS_NORMAL,
    SOFT_ACCESS_UNREACHABLE, /* the device layer does not answer */
    SOFT_ACCESS_BRIDGE,      /* owned by another protection domain, cannot be opened by itself */
};

/* What becomes of received frames that no steering rule speaks of. */
enum soft_unmatched {
    SOFT_UNMATCHED_KERNEL, /* left to the network stack */
    SOFT_UNMATCHED_QUEUES, /* spread over all receive queues of the port */
};

/* What becomes of a frame that is longer than the slots of a queue of kernels. */
enum soft_oversize {
    SOFT_OVERSIZE_DROP,  /* it is counted */
    SOFT_OVERSIZE_ERROR, /* and uses up its slot, with a completion that says so */
};

/* What threads do that look at what kernels write, when there is nothing. */
enum soft_poll {
    SOFT_POLL_ADAPTIVE, /* sleep for some microseconds at a time */
    SOFT_POLL_SPIN,     /* look on */
};

#define SOFT_ENGINE_THREADS 16

/* Threads that serve the queues of kernels. */
struct soft_engine_conf {
    uint32_t threads; /* of the device's port; 0 as 1 */
    enum soft_poll poll;
    uint32_t ncpus; /* 0: they run anywhere */
    uint16_t cpus[SOFT_ENGINE_THREADS];
};

/* What a device can do. A profile fills it, single fields may be overridden in the devices file. */
struct soft_caps {
    bool mmap_export_pci;
    bool mmap_from_export_pci;
    bool rep_filter_all;
    bool rep_filter_net;
    bool rep_filter_emulated;
    bool hotplug_manager;
    bool notification_moderation;
    bool sync_event;
    bool sync_event_remote_pci; /* export to and create from a remote PCI export */
    bool sync_event_remote_net;
    bool mmap_advise_cache_invalidate;
    uint64_t mmap_advise_max_buf_size;
    uint32_t completion_vectors;
    size_t max_access_token_size;
    uint32_t max_opens; /* distinct open functions a process; 0 = no limit */

    bool dma_memcpy;
    uint64_t dma_max_buf_size; /* bytes a task */
    uint32_t dma_max_list_len; /* segments a side */
    uint32_t dma_max_tasks;    /* a context */
    uint32_t dma_queue_depth;  /* 0 = as deep as the task pool */

    bool comch;                     /* server on the DPU, client on the host */
    uint32_t comch_max_name_len;    /* bytes, NUL included */
    uint32_t comch_max_msg_size;    /* bytes */
    uint32_t comch_max_recv_queue;  /* messages */
    uint32_t comch_max_send_tasks;  /* a context */
    uint32_t comch_max_clients;     /* a server */
    uint32_t comch_connect_timeout; /* ms that a client waits for its server; 0 = one attempt */
    bool comch_fast_path;           /* producers and consumers */
    uint32_t comch_max_fast_tasks;  /* a producer or consumer */
    uint32_t comch_max_buf_size;    /* bytes a fast path task */
    uint32_t comch_max_imm_len;     /* bytes of immediate data */
    uint32_t comch_max_consumers;   /* one side of a connection */
    uint32_t comch_max_producers;
};

/* How this device's copies are executed. */
struct soft_copy_conf {
    char engine[16];      /* "inline", "threads", "error"; "" = the default, "threads" */
    char error_base[16];  /* engine that "error" wraps */
    uint32_t threads;     /* copy lanes, the progressing thread included; 0 = by core count */
    uint64_t split_above; /* copies larger than this are split over the lanes; 0 = default */
    char faults[256];     /* fault list of the error engine, see soft/copy/error */
};

#define SOFT_IBDEV_NAME_SIZE 64
#define SOFT_IFACE_NAME_SIZE 256
#define SOFT_VUID_SIZE       128
#define SOFT_PORT_SIZE       512
#define SOFT_PLACE_SIZE      240 /* of a service */
#define SOFT_NAME_SIZE       64
#define SOFT_DEVICE_ID_SIZE  32 /* "0000:03:00.0/sf4294967295" and NUL */

struct soft_device {
    enum soft_role role;
    char card[SOFT_NAME_SIZE]; /* identity of the card; same card = paired */
    char profile[SOFT_NAME_SIZE];
    struct od_pci_addr pci; /* a sub function has that of its parent */
    enum soft_func_type func_type;
    enum soft_access access;
    uint32_t sf_index; /* SF only */
    char ibdev[SOFT_IBDEV_NAME_SIZE];
    char iface[SOFT_IFACE_NAME_SIZE]; /* "" = none */
    uint32_t iface_index;             /* 0 = none */
    uint8_t mac[6];
    bool has_ipv4;
    uint8_t ipv4[4];
    bool has_ipv6;
    uint8_t ipv6[16];
    enum soft_link_layer link_layer;
    uint16_t lid;
    uint64_t active_rate; /* bits a second */
    uint16_t vhca_id;
    uint16_t uplink_ib_port;
    char vuid[SOFT_VUID_SIZE];
    bool hotplug;
    bool uplink;                          /* as a representor: stands for the uplink */
    char rep_iface[SOFT_IFACE_NAME_SIZE]; /* of its representor, on the DPU; "" = none */
    uint32_t rep_iface_index;             /* 0 = none */
    uint16_t rep_ib_port;
    bool data_direct;
    bool has_data_direct_pci;
    struct od_pci_addr data_direct_pci;
    uint32_t host_index, pf_index, vf_index;
    uint32_t total_vfs;
    enum soft_port_state port_state;
    uint32_t mtu; /* bytes */
    struct soft_caps caps;
    struct soft_copy_conf copy;
    char port[SOFT_PORT_SIZE]; /* what carries its frames, see soft/nic/spec.h; "" = by iface */
    enum soft_unmatched unmatched;
    enum soft_oversize oversize;
    struct soft_engine_conf engine;
    char urom_service[SOFT_PLACE_SIZE]; /* where UROM's is, see od_is_place(); "" = by card */
    uint32_t nreps;                     /* DPU role: host functions that this device represents */
    const struct soft_device **reps;    /* host-role devices of the same table */
    uint32_t given;                     /* private to soft/device: fields that the file states */
};

struct soft_topology {
    const char *source;   /* path of the devices file, or "built-in" */
    const char *bf_mode;  /* "dpu", "smartnic", "switch", or NULL */
    const char *bfb_file; /* version file of the DPU image; NULL = /etc/mlnx-release */
    uint32_t ndevices;
    const struct soft_device *devices; /* both roles, in order of the file */
};

/* The table of this process. -EINVAL with a reason that names file, line and field when the file is
 * malformed; -ENOENT, -EACCES, ... when a file named by OPENDOCA_CONFIG cannot be read. */
SOFT_API int soft_device_topology(const struct soft_topology **topology);

/* Reads a devices file from memory; the caller frees the result. Used by the function above, by
 * `opendoca doctor` and by the fuzz target. `name` is only for messages. Asks the system nothing:
 * what the table of the process takes from network interfaces has its default here. */
SOFT_API int soft_device_parse(const char *text, size_t len, const char *name,
                               struct soft_topology **topology);
SOFT_API void soft_device_topology_free(struct soft_topology *topology);

/* Role of this process: OPENDOCA_ROLE=host|dpu, else the role note that the program was compiled
 * with, else host. Fixed at the first call. An unknown value of the variable is reported by the
 * return value (-EINVAL, reason), `role` is then the compiled one. */
SOFT_API int soft_device_role(enum soft_role *role);

/* What tells the devices of one role apart: the PCI address, for a sub function followed by "/sfN".
 */
SOFT_API void soft_device_id(const struct soft_device *device, char id[SOFT_DEVICE_ID_SIZE]);

/* The text of the device's port, or what its interface makes of it, can be meant: 0, or -EINVAL
 * with a reason that says what is wrong. Defined by the room of ports, which knows. */
SOFT_API int soft_device_check_port(const struct soft_device *device);

/* Names of the built-in profiles, NULL-terminated. */
SOFT_API const char *const *soft_device_profiles(void);

SOFT_API const char *soft_role_name(enum soft_role role);
SOFT_API const char *soft_func_type_name(enum soft_func_type type);

#endif /* OD_SOFT_DEVICE_DEVICE_H_ */
