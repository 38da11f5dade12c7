/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Small types and constants that several families of the API share. Values only: nothing here
 * owns anything or is bound to a thread.
 */

#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <stdint.h>
#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Value of a doca_event_handle_t or doca_notification_handle_t that refers to nothing. */
#define doca_event_invalid_handle (-1)

/** Size of a RoCE or InfiniBand global identifier in bytes. */
#define DOCA_GID_BYTE_LENGTH 16

/** Something to wait on: a file descriptor that poll, select and epoll accept. */
typedef int doca_event_handle_t;

/** The event handle of a progress engine, readable while something is pending. */
typedef doca_event_handle_t doca_notification_handle_t;

/** Whatever the program attaches to an object; the library hands it back and never looks at it. */
union doca_data {
    void *ptr;    /**< as a pointer */
    uint64_t u64; /**< as a number */
};

/** One piece of memory in a singly linked list of pieces. */
struct doca_gather_list {
    void *addr;                    /**< start of the piece */
    uint64_t len;                  /**< its length in bytes */
    struct doca_gather_list *next; /**< next piece, NULL at the end */
};

/**
 * Who may do what with memory. Flags, joined with "|"; local read-only is the empty set, and the
 * two PCI access flags exclude each other.
 */
enum doca_access_flag {
    DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,       /**< the owner reads */
    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1,      /**< the owner reads and writes */
    DOCA_ACCESS_FLAG_RDMA_READ = 2,             /**< a remote peer reads */
    DOCA_ACCESS_FLAG_RDMA_WRITE = 4,            /**< a remote peer writes */
    DOCA_ACCESS_FLAG_RDMA_ATOMIC = 8,           /**< a remote peer does atomic operations */
    DOCA_ACCESS_FLAG_PCI_READ_ONLY = 16,        /**< the other side of the card reads */
    DOCA_ACCESS_FLAG_PCI_READ_WRITE = 32,       /**< the other side reads and writes */
    DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 64, /**< its accesses may overtake each other */
};

/** Kind of a PCI function. */
enum doca_pci_func_type {
    DOCA_PCI_FUNC_TYPE_PF = 0, /**< physical function */
    DOCA_PCI_FUNC_TYPE_VF = 1, /**< virtual function */
    DOCA_PCI_FUNC_TYPE_SF = 2, /**< scalable function */
};

typedef __be16 doca_be16_t; /**< 16-bit number in network byte order */
typedef __be32 doca_be32_t; /**< 32-bit number in network byte order */
typedef __be64 doca_be64_t; /**< 64-bit number in network byte order */

/** Where memory of a GPU lies, and who else reaches it. */
enum doca_gpu_mem_type {
    DOCA_GPU_MEM_TYPE_GPU = 0,     /**< on the GPU, for the GPU */
    DOCA_GPU_MEM_TYPE_GPU_CPU = 1, /**< on the GPU, mapped for the CPU too */
    DOCA_GPU_MEM_TYPE_CPU_GPU = 2, /**< on the host, mapped for the GPU too */
};

/** How a device makes a packet wait until its time of sending. */
enum doca_eth_wait_on_time_type {
    DOCA_ETH_WAIT_ON_TIME_TYPE_NONE = 0,   /**< not offered */
    DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE = 1, /**< by the device itself */
    DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK = 2,   /**< with the help of DPDK's clock queue */
};

/** Largest payload of one packet of a connection. */
enum doca_mtu_size {
    DOCA_MTU_SIZE_256_BYTES = 0,    /**< 256 bytes */
    DOCA_MTU_SIZE_512_BYTES = 1,    /**< 512 bytes */
    DOCA_MTU_SIZE_1K_BYTES = 2,     /**< 1024 bytes */
    DOCA_MTU_SIZE_2K_BYTES = 3,     /**< 2048 bytes */
    DOCA_MTU_SIZE_4K_BYTES = 4,     /**< 4096 bytes */
    DOCA_MTU_SIZE_RAW_ETHERNET = 5, /**< that of the Ethernet port */
};

/** An IP address of either family. */
struct doca_ip {
    uint32_t ip[4];  /**< network byte order; an IPv4 address is in the first word */
    uint8_t is_ipv4; /**< 1: IPv4, 0: IPv6 */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
