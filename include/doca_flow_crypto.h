/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cryptography of packets: types that rules and actions name. All calls refuse.
 */
#ifndef DOCA_FLOW_CRYPTO_H_
#define DOCA_FLOW_CRYPTO_H_

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_flow_port;
struct doca_flow_crypto_psp_spi_key_bulk;

/** What a cryptographic resource belongs to. */
enum doca_flow_crypto_resource_type {
    DOCA_FLOW_CRYPTO_RESOURCE_NONE = 0,     /**< no cryptography */
    DOCA_FLOW_CRYPTO_RESOURCE_IPSEC_SA = 1, /**< a security association of IPsec */
    DOCA_FLOW_CRYPTO_RESOURCE_PSP = 2,      /**< a key of PSP */
};

/** What becomes of the payload. */
enum doca_flow_crypto_action_type {
    DOCA_FLOW_CRYPTO_ACTION_NONE = 0,    /**< it stays as it is */
    DOCA_FLOW_CRYPTO_ACTION_ENCRYPT = 1, /**< encrypted and authenticated */
    DOCA_FLOW_CRYPTO_ACTION_DECRYPT = 2, /**< checked and decrypted */
};

/** What becomes of the headers around it. */
enum doca_flow_crypto_encap_action_type {
    DOCA_FLOW_CRYPTO_REFORMAT_NONE = 0,  /**< they stay */
    DOCA_FLOW_CRYPTO_REFORMAT_ENCAP = 1, /**< headers are put on */
    DOCA_FLOW_CRYPTO_REFORMAT_DECAP = 2, /**< headers are taken off */
};

/** Which headers are put on or taken off. */
enum doca_flow_crypto_encap_net_type {
    DOCA_FLOW_CRYPTO_HEADER_NONE = 0,              /**< none */
    DOCA_FLOW_CRYPTO_HEADER_ESP_TUNNEL = 1,        /**< ESP with an IP header of its own */
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_IPV4 = 2,     /**< ESP behind the IPv4 header of the packet */
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_IPV6 = 3,     /**< ESP behind the IPv6 header of the packet */
    DOCA_FLOW_CRYPTO_HEADER_UDP_ESP_OVER_IPV4 = 4, /**< UDP and ESP behind the IPv4 header */
    DOCA_FLOW_CRYPTO_HEADER_UDP_ESP_OVER_IPV6 = 5, /**< UDP and ESP behind the IPv6 header */
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_LAN = 6,      /**< ESP behind the Ethernet header */
    DOCA_FLOW_CRYPTO_HEADER_PSP_TUNNEL = 7,        /**< PSP over UDP with an IP header of its own */
    DOCA_FLOW_CRYPTO_HEADER_PSP_OVER_IPV4 = 8,     /**< UDP and PSP behind the IPv4 header */
    DOCA_FLOW_CRYPTO_HEADER_PSP_OVER_IPV6 = 9,     /**< UDP and PSP behind the IPv6 header */
    DOCA_FLOW_CRYPTO_HEADER_NON_ESP_MARKER =
        10, /**< the zeros that keep other packets apart from ESP in UDP */
};

/** How long a key is. */
enum doca_flow_crypto_key_type {
    DOCA_FLOW_CRYPTO_KEY_128 = 0, /**< 128 bits */
    DOCA_FLOW_CRYPTO_KEY_256 = 1, /**< 256 bits */
};

/** How long the proof behind the payload is. */
enum doca_flow_crypto_icv_len {
    DOCA_FLOW_CRYPTO_ICV_LENGTH_8 = 0,  /**< 8 bytes */
    DOCA_FLOW_CRYPTO_ICV_LENGTH_12 = 1, /**< 12 bytes */
    DOCA_FLOW_CRYPTO_ICV_LENGTH_16 = 2, /**< 16 bytes */
};

/** How many packets may come late without counting as replayed. */
enum doca_flow_crypto_replay_win_size {
    DOCA_FLOW_CRYPTO_REPLAY_WIN_SIZE_32 = 0,  /**< 32 packets */
    DOCA_FLOW_CRYPTO_REPLAY_WIN_SIZE_64 = 1,  /**< 64 packets */
    DOCA_FLOW_CRYPTO_REPLAY_WIN_SIZE_128 = 2, /**< 128 packets */
    DOCA_FLOW_CRYPTO_REPLAY_WIN_SIZE_256 = 3, /**< 256 packets */
};

/** What is done with sequence numbers. */
enum doca_flow_crypto_sn_offload_type {
    DOCA_FLOW_CRYPTO_SN_OFFLOAD_INC = 0, /**< each packet gets the next one */
    DOCA_FLOW_CRYPTO_SN_OFFLOAD_AR = 1,  /**< those seen before are refused */
};

/** A key. */
struct doca_flow_crypto_key_cfg {
    enum doca_flow_crypto_key_type key_type; /**< its length */
    uint32_t *key;                           /**< its bytes, the caller's */
};

/**
 * Replace the master key that keys of PSP are derived from. Packets are neither encrypted nor
 * decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_crypto_psp_master_key_rotate(struct doca_flow_port *port);

/**
 * Make a place for a number of PSP keys with their indexes. Packets are neither encrypted nor
 * decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_crypto_psp_spi_key_bulk_alloc(
    struct doca_flow_port *port, enum doca_flow_crypto_key_type key_type, uint32_t nr_spi_keys,
    struct doca_flow_crypto_psp_spi_key_bulk **spi_key_bulk);

/**
 * Fill such a place with new keys. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_flow_crypto_psp_spi_key_bulk_generate(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk);

/**
 * Tell one of the keys. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_flow_crypto_psp_spi_key_bulk_get(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk,
                                      uint32_t spi_key_idx, uint32_t *spi, uint32_t *key);

/**
 * Overwrite one of the keys. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_flow_crypto_psp_spi_key_wipe(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk,
                                  uint32_t spi_key_idx);

/**
 * Overwrite all keys of a place. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_flow_crypto_psp_spi_key_bulk_clear(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk);

/**
 * Give a place back. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_flow_crypto_psp_spi_key_bulk_free(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk);

/**
 * Report security associations whose sequence numbers run out. Packets are neither encrypted nor
 * decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_crypto_ipsec_resource_handle(struct doca_flow_port *port, uint64_t quota,
                                                    uint32_t max_processed_resources);

/**
 * Set the next sequence number of a security association. Packets are neither encrypted nor
 * decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_crypto_ipsec_update_sn(uint32_t shared_res_id, uint64_t sequence_number);

/**
 * Set the next sequence number of a security association of a port. Packets are neither encrypted
 * nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_port_crypto_ipsec_update_sn(struct doca_flow_port *port,
                                                   uint32_t shared_res_id,
                                                   uint64_t sequence_number);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_FLOW_CRYPTO_H_ */
