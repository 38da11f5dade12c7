/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices and representors.
 *
 * A devinfo describes a device that this process may use; a device (doca_dev) is one that it has
 * opened. A representor stands, on the DPU side, for a function of the host side, and has the same
 * two forms: doca_devinfo_rep and doca_dev_rep. Which devices exist follows from the devices file
 * and from the role of the process, host or DPU; only DPU devices have representors.
 *
 * Legal order: doca_devinfo_create_list, query the elements, doca_dev_open, and
 * doca_devinfo_destroy_list at any time after; doca_dev_close when nothing uses the device any
 * more. The same for representors of an open device.
 *
 * Elements die with their list; opened devices do not. Of an open device use doca_dev_as_devinfo().
 * Every function answers DOCA_ERROR_INVALID_VALUE for a devinfo whose list was destroyed. Outputs
 * are written only on success. Every is_/cap_ output is 0 (no) or 1 (yes). Every string output is
 * NUL-terminated, and its buffer must hold at least the size constant named with it.
 *
 * Threads: every function may be called from any thread, also concurrently, as long as nobody
 * destroys or closes an object that another thread uses.
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stdint.h>

#include <doca_types.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes in bytes of the outputs of the getters; those of strings include the final NUL. */
#define DOCA_DEVINFO_VUID_SIZE         128 /**< VUID */
#define DOCA_DEVINFO_IPV4_ADDR_SIZE    4   /**< IPv4 address, binary */
#define DOCA_DEVINFO_IPV6_ADDR_SIZE    16  /**< IPv6 address, binary */
#define DOCA_DEVINFO_MAC_ADDR_SIZE     6   /**< MAC address, binary */
#define DOCA_DEVINFO_IFACE_NAME_SIZE   256 /**< network interface name */
#define DOCA_DEVINFO_IBDEV_NAME_SIZE   64  /**< RDMA device name */
#define DOCA_DEVINFO_PCI_ADDR_SIZE     13  /**< PCI address with domain, XXXX:XX:XX.X */
#define DOCA_DEVINFO_PCI_BDF_SIZE      8   /**< PCI address without domain, XX:XX.X */
#define DOCA_DEVINFO_REP_VUID_SIZE     128 /**< VUID of a represented function */
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13  /**< its PCI address with domain */
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE  8   /**< its PCI address without domain */

struct doca_devinfo;
struct doca_devinfo_rep;
struct doca_dev;
struct doca_dev_rep;

/** Which representors doca_devinfo_rep_create_list() lists; bits that can be combined. */
enum doca_devinfo_rep_filter {
    DOCA_DEVINFO_REP_FILTER_ALL = 0,      /**< every representor of the device */
    DOCA_DEVINFO_REP_FILTER_NET = 2,      /**< network functions */
    DOCA_DEVINFO_REP_FILTER_EMULATED = 4, /**< emulated functions */
};

/**
 * List the devices that this process may use, in an order that is the same in every call.
 *
 * No device at all is a success with an empty list, which must be destroyed as any other.
 *
 * @dev_list: set to an array of nb_devs elements, owned by the caller until
 *   doca_devinfo_destroy_list()
 * @nb_devs: set to the number of elements
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev_list or nb_devs is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_FOUND: the devices file cannot be read or is malformed
 */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * Destroy a list and its elements. Devices opened from it stay open.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev_list is NULL or not a living list
 *   DOCA_ERROR_IN_USE: the library itself still holds an element; an open device holds none
 */
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * List the representors of an open DPU device.
 *
 * @filter: bitwise or of enum doca_devinfo_rep_filter
 * @dev_list_rep: set to an array of nb_devs_rep elements, owned by the caller until
 *   doca_devinfo_rep_destroy_list()
 * @nb_devs_rep: set to the number of elements, which may be 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or filter has an unknown bit
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: a device of the host role, or one without this filter
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep);

/**
 * Destroy a list of representors and its elements. Representors opened from it stay open.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev_list_rep is NULL or not a living list
 *   DOCA_ERROR_IN_USE: the device that the list came from is damaged
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/**
 * Open a device, or take one more reference to it if this process has opened it before.
 *
 * @dev: set to the device, the same pointer for every open of one device; each successful open
 *   needs its own doca_dev_close()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or dev is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_NOT_CONNECTED: the device cannot be reached
 *   DOCA_ERROR_INITIALIZATION: the limit of open devices is reached
 *   DOCA_ERROR_NOT_SUPPORTED: devinfo belongs to a bridged device, which cannot be opened
 */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Give one reference to a device back; the last one frees it. NULL is a success.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev is not an open device
 *   DOCA_ERROR_IN_USE: it is the last reference, and contexts, memory maps or representors still
 *     use the device
 */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * Ask a device to free what it still holds for objects that are gone.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_AGAIN: the device is busy, retry later
 *   DOCA_ERROR_NOT_SUPPORTED: the device has nothing to reclaim; always the case for devices in
 *     software
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/**
 * Open a representor. The device that it was listed from must stay open meanwhile.
 *
 * @dev_rep: set to the representor, to be closed by doca_dev_rep_close()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or dev_rep is NULL, or the device was closed
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);

/**
 * Close a representor.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: dev is NULL
 *   DOCA_ERROR_IN_USE: a server still uses the representor
 */
DOCA_STABLE
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/**
 * Get the devinfo of an open device.
 *
 * Returns a devinfo that belongs to the device and lives until its last close; NULL for NULL.
 */
DOCA_STABLE
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/**
 * Get the devinfo of an open representor.
 *
 * Returns a devinfo that belongs to the representor and lives until its close; NULL for NULL.
 */
DOCA_STABLE
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/**
 * Get the PCI address as lower-case text with domain, such as 0000:03:00.0.
 *
 * @pci_addr_str: buffer of DOCA_DEVINFO_PCI_ADDR_SIZE bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or pci_addr_str is NULL
 *   DOCA_ERROR_OPERATING_SYSTEM: the address could not be read from the system
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * Get the type of the PCI function: physical, virtual or sub function.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or pci_func_type is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type);

/**
 * Compare the PCI address of a device with a text.
 *
 * @pci_addr_str: XXXX:XX:XX.X or XX:XX.X, hexadecimal in either case; without a domain 0000 is
 *   meant
 * @is_equal: set to 1 if it is the same address, else to 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or pci_addr_str has neither form
 *   DOCA_ERROR_OPERATING_SYSTEM: the address could not be read from the system
 */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal);

/**
 * Get the IPv4 address of the device's network interface.
 *
 * @ipv4_addr: receives DOCA_DEVINFO_IPV4_ADDR_SIZE bytes in network order
 * @size: size of ipv4_addr in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or size is too small
 *   DOCA_ERROR_NOT_FOUND: the interface has no IPv4 address
 *   DOCA_ERROR_OPERATING_SYSTEM: the system could not be asked
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size);

/**
 * Get the IPv6 address of the device's network interface.
 *
 * @ipv6_addr: receives DOCA_DEVINFO_IPV6_ADDR_SIZE bytes in network order
 * @size: size of ipv6_addr in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or size is too small
 *   DOCA_ERROR_OPERATING_SYSTEM: there is no address or the system could not be asked
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size);

/**
 * Get the MAC address of the device.
 *
 * @mac_addr: receives DOCA_DEVINFO_MAC_ADDR_SIZE bytes in transmission order
 * @size: size of mac_addr in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or size is too small
 *   DOCA_ERROR_NOT_SUPPORTED: the link layer is not Ethernet
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size);

/**
 * Get the name of the device's network interface.
 *
 * @iface_name: receives the name
 * @size: size of iface_name in bytes, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or size is too small
 *   DOCA_ERROR_OPERATING_SYSTEM: the device has no network interface
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size);

/**
 * Get the RDMA device name, such as mlx5_0.
 *
 * @ibdev_name: receives the name
 * @size: size of ibdev_name in bytes, at least DOCA_DEVINFO_IBDEV_NAME_SIZE
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or size is too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size);

/**
 * Get the index of a sub function.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or sf_index is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: the device is not a sub function
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

/**
 * Get the local identifier of the device's InfiniBand port.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or lid is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: the link layer is not InfiniBand
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/**
 * Get the present rate of the device's port.
 *
 * @active_rate: set to the rate in bits per second
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or active_rate is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                                          uint64_t *active_rate);

/**
 * Get the VHCA identifier of the device.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or vhca_id is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/**
 * Get the RDMA port number of the uplink that the device sends through.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or ib_port is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_uplink_ib_port(const struct doca_devinfo *devinfo, uint16_t *ib_port);

/**
 * Get the system's index of the device's network interface.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or iface_index is NULL, or there is no interface
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_iface_index(const struct doca_devinfo *devinfo,
                                          uint32_t *iface_index);

/**
 * Get the PCI address of the data-direct function that serves the device.
 *
 * @pci_addr_str: buffer of DOCA_DEVINFO_PCI_ADDR_SIZE bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or pci_addr_str is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no data-direct path
 *   DOCA_ERROR_NOT_FOUND: it has one, but the function is not present
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_data_direct_pci_dev(struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * Ask whether the device can plug and unplug functions at run time.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or is_hotplug_manager is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_STABLE
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager);

/**
 * Ask whether the device can moderate its notifications.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or is_notification_moderation_supported is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);

/**
 * Ask whether DOCA_DEVINFO_REP_FILTER_ALL can be used with the device.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or filter_all_supported is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: a device of the host role, which has no representors
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported);

/**
 * Ask whether DOCA_DEVINFO_REP_FILTER_NET can be used with the device.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or filter_net_supported is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: a device of the host role, which has no representors
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported);

/**
 * Ask whether DOCA_DEVINFO_REP_FILTER_EMULATED can be used with the device.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or filter_emulated_supported is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 *   DOCA_ERROR_NOT_SUPPORTED: a device of the host role, which has no representors
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported);

/**
 * Ask whether doca_dev_accelerate_resource_reclaim() works on the device.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or is_accelerate_resource_reclaim is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *is_accelerate_resource_reclaim);

/**
 * Get the VUID, the vendor's unique name, of the represented function.
 *
 * @rep_vuid: receives the text; DOCA_DEVINFO_REP_VUID_SIZE bytes hold any
 * @size: size of rep_vuid in bytes, enough for the text and its NUL
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or size is too small
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size);

/**
 * Get the PCI address, as seen by the host, of the represented function.
 *
 * @pci_addr_str: buffer of DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes; lower-case text with domain
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or pci_addr_str is NULL
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_UNEXPECTED: internal inconsistency
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str);

/**
 * Get the type of the represented PCI function: physical, virtual or sub function.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or pci_func_type is NULL
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type);

/**
 * Ask whether the represented function was plugged in at run time.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or is_hotplug is NULL
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug);

/**
 * Get the name of the representor's network interface on the DPU.
 *
 * @iface_name: receives the name
 * @size: size of iface_name in bytes, at least DOCA_DEVINFO_IFACE_NAME_SIZE
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or size is too small
 *   DOCA_ERROR_OPERATING_SYSTEM: the representor has no network interface
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size);

/**
 * Get the system's index of the representor's network interface on the DPU.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or iface_index is NULL, or there is no interface
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep,
                                              uint32_t *iface_index);

/**
 * Get the RDMA port number of the representor on the DPU device.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or ib_port is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_ib_port(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *ib_port);

/**
 * Get the index of the host that the represented function belongs to.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or host_index is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep,
                                             uint32_t *host_index);

/**
 * Get the index, on its host, of the physical function that the represented one is or belongs to.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or pf_index is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *pf_index);

/**
 * Get the index of a represented virtual function within its physical function.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or vf_index is NULL, or it is not a virtual function
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *vf_index);

/**
 * Get the index of a represented sub function.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or sf_index is NULL, or it is not a sub function
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *sf_index);

/**
 * Get the VHCA identifier of the represented function.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or vhca_id is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id);

/**
 * Get how many virtual functions a represented physical function can have.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or total_vfs is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the represented function is not a physical one
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_total_vfs(const struct doca_devinfo_rep *devinfo_rep,
                                            uint32_t *total_vfs);

/**
 * Get the VUID of the physical function that the represented one is or belongs to.
 *
 * @pf_vuid: receives the text; DOCA_DEVINFO_REP_VUID_SIZE bytes hold any
 * @size: size of pf_vuid in bytes, enough for the text and its NUL
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or size is too small
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_vuid(struct doca_devinfo_rep *devinfo_rep, char *pf_vuid,
                                          uint32_t size);

/**
 * Get the PCI address of the data-direct function that serves the represented one.
 *
 * @pci_addr_str: buffer of DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or pci_addr_str is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: the device has no data-direct path
 *   DOCA_ERROR_NOT_FOUND: it has one, but the function is not present
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_data_direct_pci_dev(struct doca_devinfo_rep *devinfo_rep,
                                                      char *pci_addr_str);

/**
 * Ask whether the representor stands for the uplink port and not for a function of the host.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo_rep or is_uplink_representor is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: the device cannot tell
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_uplink_representor(const struct doca_devinfo_rep *devinfo_rep,
                                                        uint8_t *is_uplink_representor);

/**
 * Compare the PCI address, as seen by the host, of the represented function with a text.
 *
 * @pci_addr_str: XXXX:XX:XX.X or XX:XX.X, hexadecimal in either case; without a domain 0000 is
 *   meant
 * @is_equal: set to 1 if it is the same address, else to 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL or pci_addr_str has neither form
 *   DOCA_ERROR_NO_MEMORY: memory is exhausted
 *   DOCA_ERROR_UNEXPECTED: internal inconsistency
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H_ */
