/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory map: one range of caller memory, registered with one or more devices.
 *
 * Call order: create, then set_memrange, add_dev and set_permissions in any order, start, take
 * buffers from an inventory or pool, optionally export, return the buffers, destroy. stop is
 * optional; a stopped map may be reconfigured and started again unless it was ever exported. A map
 * made by doca_mmap_create_from_export() is born started: it can be queried, buffered and
 * destroyed.
 *
 * The map never owns the memory and never reads, writes or locks it at registration. The caller may
 * free the memory before doca_mmap_destroy().
 *
 * Threads: one thread at a time. Queries of a started map may run in parallel, buffer creation may
 * after doca_mmap_enable_thread_safety().
 *
 * When several errors apply: bad arguments are reported first, then imported, started, exported.
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct doca_dpa;

/** Handle by which code on a DPA processor names a map */
typedef uint32_t doca_dpa_dev_mmap_t;

/**
 * Tells the owner of the memory that the map is done with it. Called once, from
 * doca_mmap_destroy(), with the map's range; see doca_mmap_set_free_cb().
 *
 * @addr: start of the range
 * @len: length of the range in bytes
 * @cookie: the value given to doca_mmap_set_free_cb()
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);

/**
 * Create an empty map, not started.
 *
 * @mmap: receives the map; the caller ends it with doca_mmap_destroy()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap is NULL
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap);

/**
 * Destroy a map in any state, stopping it first where needed. Descriptors die with an exported map:
 * every import is revoked and remote access has ended when the call returns. Then the free callback
 * runs. Legal after the memory itself is gone.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap is NULL
 *   DOCA_ERROR_NOT_PERMITTED: buffers of this map are still held (thread safety not enabled)
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Register the range with every added device. From here on buffers may be taken and the map may be
 * exported; the configuration is closed.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap is NULL, no range is set, or no device was added (a DPA range
 *     needs none)
 *   DOCA_ERROR_NO_MEMORY: out of memory
 *   DOCA_ERROR_BAD_STATE: already started
 *   DOCA_ERROR_NOT_PERMITTED: the map was exported before, or is imported
 *   DOCA_ERROR_DRIVER: the device layer failed to register the range
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * Undo doca_mmap_start(). On an exported map this frees the descriptors and revokes every import,
 * and the map cannot be started again. A map that is not started stays as it is.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the map is imported, or buffers of it are still held (thread safety
 *     not enabled)
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * Let a device use the map. The device must stay open until the map is destroyed or the device is
 * removed from it. The order of range and devices is free.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or dev is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the map is started, was exported, or is imported
 *   DOCA_ERROR_ALREADY_EXIST: dev was added before
 *   DOCA_ERROR_NO_MEMORY: doca_mmap_get_max_num_devices() devices are added already, or out of
 *     memory
 *   DOCA_ERROR_NOT_SUPPORTED: dev cannot register memory of this kind
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Take a device out of the map again.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or dev is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the map is started, was exported, or is imported
 *   DOCA_ERROR_NOT_FOUND: dev was not added
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Export a started map to paired devices on the other side of PCI. The descriptor is opaque bytes,
 * at most 512, to be carried to the importer by any means; who holds it may access the range.
 * Exporting again, for the same or another device, is fine.
 *
 * @export_desc: receives the descriptor; owned by the map, valid until it is stopped or destroyed
 * @export_desc_len: receives its length in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_PERMITTED: not started, imported, or no DOCA_ACCESS_FLAG_PCI_* permission
 *   DOCA_ERROR_NOT_FOUND: dev was not added
 *   DOCA_ERROR_NOT_SUPPORTED: dev lacks the capability (doca_mmap_cap_is_export_pci_supported())
 *   DOCA_ERROR_NO_MEMORY: out of memory
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len);

/**
 * Export a started map to a peer that is connected over RDMA. Otherwise as doca_mmap_export_pci().
 *
 * @export_desc: receives the descriptor; owned by the map, valid until it is stopped or destroyed
 * @export_desc_len: receives its length in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_PERMITTED: not started, imported, or no DOCA_ACCESS_FLAG_RDMA_* permission
 *   DOCA_ERROR_NOT_FOUND: dev was not added
 *   DOCA_ERROR_NOT_SUPPORTED: dev was opened from a protection domain
 *   DOCA_ERROR_NO_MEMORY: out of memory
 *   DOCA_ERROR_DRIVER: the device layer failed
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len);

/**
 * Get the handle by which code on a DPA processor uses the map.
 *
 * @dpa_mmap_handle: receives the handle, valid while the map is started
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the map is not started
 *   DOCA_ERROR_NOT_FOUND: dev was not added
 *   DOCA_ERROR_NOT_SUPPORTED: dev has no DPA processor
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap_handle);

/**
 * Create a map of another process's memory from its descriptor. It is usable at once, has dev as
 * its only device, and its buffers use the exporter's addresses. Once the exporter stops, destroys
 * or dies, the map stays a valid object and tasks that touch it fail.
 *
 * @user_data: the map's user data; NULL means 0
 * @dev: a device on the same card as the exporting one
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL; the descriptor is empty, cut, extended or altered
 *   DOCA_ERROR_UNSUPPORTED_VERSION: made by a newer version of the library
 *   DOCA_ERROR_NOT_SUPPORTED: dev lacks the capability, or was opened from a protection domain
 *   DOCA_ERROR_NOT_PERMITTED: other card, or the exporter has stopped or destroyed its map
 *   DOCA_ERROR_NO_MEMORY: out of memory
 *   DOCA_ERROR_DRIVER: the exporter cannot be reached
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap);

/**
 * Set the range, once in the life of a map. Any memory of the process will do (heap, stack,
 * mapping), at any alignment.
 *
 * @addr: start of the range
 * @len: length in bytes, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, len is 0, or addr + len overflows
 *   DOCA_ERROR_BAD_STATE: the map is started
 *   DOCA_ERROR_NOT_PERMITTED: a range is set already, or the map was exported or is imported
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * Set the range to part of a dmabuf, or of another file that mmap() takes, such as a memfd. Where
 * the program has that part mapped at addr, its mapping is used and must stay; else the library
 * maps it there until destroy. The descriptor stays the caller's, who may close it after the call.
 *
 * @addr: address by which tasks name the first byte of the range
 * @dmabuf_offset: where the range starts inside the file, in bytes; as far into a page as addr
 * @len: length in bytes, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or addr is NULL, len is 0, addr + len or dmabuf_offset + len
 *     overflows, the descriptor cannot be mapped or is shorter, or something else is at addr
 *   DOCA_ERROR_BAD_STATE: the map is started
 *   DOCA_ERROR_NOT_PERMITTED: a range is set already, or the map was exported or is imported
 *   DOCA_ERROR_NOT_SUPPORTED: the system has no dmabuf
 */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len);

/**
 * Set the range to memory of a DPA processor.
 *
 * @dpa_addr: start of the range in the DPA's address space
 * @len: length in bytes, at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or dpa is NULL, len is 0, or dpa_addr + len overflows
 *   DOCA_ERROR_BAD_STATE: the map is started
 *   DOCA_ERROR_NOT_PERMITTED: a range is set already, or the map was exported or is imported
 *   DOCA_ERROR_NOT_SUPPORTED: there is no DPA processor
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len);

/**
 * Get the range. For an imported map these are the exporter's address and length.
 *
 * @len: receives the length in bytes
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_BAD_STATE: no range is set
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/**
 * Ask to be told, from doca_mmap_destroy(), that the map is done with the range. The call comes
 * only if the map was started at least once since the callback was set.
 *
 * @opaque: handed to free_cb as cookie
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or free_cb is NULL
 *   DOCA_ERROR_BAD_STATE: the map is started
 *   DOCA_ERROR_NOT_PERMITTED: the map was exported, or is imported
 */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque);

/**
 * Get the value set by doca_mmap_set_user_data() or at import; 0 if none was.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or user_data is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/**
 * Get how many devices the map can hold.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or max_num_devices is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/**
 * Get the memory key by which dev names the range in descriptors that a program writes itself.
 * Each pair of map and device has its own key.
 *
 * @mkey: receives the key in host byte order, valid while the map is started
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: an argument is NULL
 *   DOCA_ERROR_BAD_STATE: the map is not started
 *   DOCA_ERROR_NOT_FOUND: dev was not added
 *   DOCA_ERROR_NO_MEMORY: no key left, or out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_mkey(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                uint32_t *mkey);

/**
 * Get how many buffers of the map are held, elements of lists included. Not counted, and so without
 * meaning, once thread safety is enabled.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or num_bufs is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Tell whether the map was ever exported.
 *
 * @exported: receives 1 or 0; a 1 stays
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or exported is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * Tell whether the map was made by doca_mmap_create_from_export().
 *
 * @from_export: receives 1 or 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap or from_export is NULL
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/**
 * Set how many devices the map can hold.
 *
 * @max_num_devices: at least 1
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap is NULL, max_num_devices is 0, or below the devices added so far
 *   DOCA_ERROR_NOT_PERMITTED: the map was started before, or is imported
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/**
 * Set who may do what with the range. Never set, it is DOCA_ACCESS_FLAG_LOCAL_READ_WRITE. Reading
 * by a local device is always allowed; PCI flags need no LOCAL flag beside them.
 *
 * @access_mask: bits of enum doca_access_flag
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap is NULL, a bit is undefined, or both PCI_READ_ONLY and
 *     PCI_READ_WRITE are set
 *   DOCA_ERROR_BAD_STATE: the map is started
 *   DOCA_ERROR_NOT_PERMITTED: the map was exported, or is imported
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * Attach a value of the caller's to the map. The library never looks at it.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap is NULL
 *   DOCA_ERROR_BAD_STATE: the map is started
 *   DOCA_ERROR_NOT_PERMITTED: the map was exported, or is imported
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * Choose the secret of the descriptors exported for dev; by default it is random.
 *
 * @token: the secret; copied
 * @token_sz: its length in bytes, 1 up to doca_mmap_cap_get_max_export_access_token_size()
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or token_sz is out of range
 *   DOCA_ERROR_BAD_STATE: the map is started
 *   DOCA_ERROR_NOT_FOUND: dev was not added
 *   DOCA_ERROR_NOT_PERMITTED: the map was exported, or is imported
 *   DOCA_ERROR_NO_MEMORY: out of memory
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_export_access_token(struct doca_mmap *mmap, const struct doca_dev *dev,
                                               const uint8_t *token, size_t token_sz);

/**
 * Tell whether doca_mmap_export_pci() works for a device. Any thread.
 *
 * @mmap_export: receives 1 or 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or mmap_export is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed to answer
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export);

/**
 * Tell whether doca_mmap_create_from_export() takes PCI descriptors for a device. Any thread.
 *
 * @from_export: receives 1 or 0
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or from_export is NULL
 *   DOCA_ERROR_DRIVER: the device layer failed to answer
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export);

/**
 * Get the longest secret that doca_mmap_set_export_access_token() takes. Any thread.
 *
 * @max_sz: receives the length in bytes; 0 where secrets cannot be chosen
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: devinfo or max_sz is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_cap_get_max_export_access_token_size(const struct doca_devinfo *devinfo,
                                                            size_t *max_sz);

/**
 * Let several threads take and return buffers of the map at once, each from its own inventory. In
 * return the map stops counting them: destroy no longer refuses while buffers are held. This call
 * and destroy themselves stay single-threaded.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: mmap is NULL
 *   DOCA_ERROR_NOT_PERMITTED: the map is started, was exported or is imported, or buffers of it are
 *     held
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
