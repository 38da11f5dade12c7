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

/** Crypto resource type. */
enum doca_flow_crypto_resource_type {
    DOCA_FLOW_CRYPTO_RESOURCE_NONE = 0,     /**< none */
    DOCA_FLOW_CRYPTO_RESOURCE_IPSEC_SA = 1, /**< IPsec SA */
    DOCA_FLOW_CRYPTO_RESOURCE_PSP = 2,      /**< PSP */
};

/** Crypto action type. */
enum doca_flow_crypto_action_type {
    DOCA_FLOW_CRYPTO_ACTION_NONE = 0,    /**< none */
    DOCA_FLOW_CRYPTO_ACTION_ENCRYPT = 1, /**< encrypt */
    DOCA_FLOW_CRYPTO_ACTION_DECRYPT = 2, /**< decrypt */
};

/** Crypto encap action type. */
enum doca_flow_crypto_encap_action_type {
    DOCA_FLOW_CRYPTO_REFORMAT_NONE = 0,  /**< none */
    DOCA_FLOW_CRYPTO_REFORMAT_ENCAP = 1, /**< encap */
    DOCA_FLOW_CRYPTO_REFORMAT_DECAP = 2, /**< decap */
};

/** Crypto encap net type. */
enum doca_flow_crypto_encap_net_type {
    DOCA_FLOW_CRYPTO_HEADER_NONE = 0,              /**< none */
    DOCA_FLOW_CRYPTO_HEADER_ESP_TUNNEL = 1,        /**< ESP tunnel */
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_IPV4 = 2,     /**< ESP over IPv4 */
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_IPV6 = 3,     /**< ESP over IPv6 */
    DOCA_FLOW_CRYPTO_HEADER_UDP_ESP_OVER_IPV4 = 4, /**< UDP ESP over IPv4 */
    DOCA_FLOW_CRYPTO_HEADER_UDP_ESP_OVER_IPV6 = 5, /**< UDP ESP over IPv6 */
    DOCA_FLOW_CRYPTO_HEADER_ESP_OVER_LAN = 6,      /**< ESP over LAN */
    DOCA_FLOW_CRYPTO_HEADER_PSP_TUNNEL = 7,        /**< PSP tunnel */
    DOCA_FLOW_CRYPTO_HEADER_PSP_OVER_IPV4 = 8,     /**< PSP over IPv4 */
    DOCA_FLOW_CRYPTO_HEADER_PSP_OVER_IPV6 = 9,     /**< PSP over IPv6 */
    DOCA_FLOW_CRYPTO_HEADER_NON_ESP_MARKER = 10,   /**< non ESP marker */
};

/** Crypto key type. */
enum doca_flow_crypto_key_type {
    DOCA_FLOW_CRYPTO_KEY_128 = 0, /**< 128 */
    DOCA_FLOW_CRYPTO_KEY_256 = 1, /**< 256 */
};

/** Crypto icv length. */
enum doca_flow_crypto_icv_len {
    DOCA_FLOW_CRYPTO_ICV_LENGTH_8 = 0,  /**< 8 */
    DOCA_FLOW_CRYPTO_ICV_LENGTH_12 = 1, /**< 12 */
    DOCA_FLOW_CRYPTO_ICV_LENGTH_16 = 2, /**< 16 */
};

/** Crypto replay win size. */
enum doca_flow_crypto_replay_win_size {
    DOCA_FLOW_CRYPTO_REPLAY_WIN_SIZE_32 = 0,  /**< 32 */
    DOCA_FLOW_CRYPTO_REPLAY_WIN_SIZE_64 = 1,  /**< 64 */
    DOCA_FLOW_CRYPTO_REPLAY_WIN_SIZE_128 = 2, /**< 128 */
    DOCA_FLOW_CRYPTO_REPLAY_WIN_SIZE_256 = 3, /**< 256 */
};

/** Crypto sn offload type. */
enum doca_flow_crypto_sn_offload_type {
    DOCA_FLOW_CRYPTO_SN_OFFLOAD_INC = 0, /**< increment */
    DOCA_FLOW_CRYPTO_SN_OFFLOAD_AR = 1,  /**< anti-replay */
};

/** Crypto key cfg. */
struct doca_flow_crypto_key_cfg {
    enum doca_flow_crypto_key_type key_type; /**< key type */
    uint32_t *key;                           /**< key */
};

/**
 * Crypto psp master key rotate. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_crypto_psp_master_key_rotate(struct doca_flow_port *port);

/**
 * Crypto psp spi key bulk alloc. Packets are neither encrypted nor decrypted here.
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
 * Crypto psp spi key bulk generate. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_flow_crypto_psp_spi_key_bulk_generate(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk);

/**
 * Crypto psp spi key bulk get. Packets are neither encrypted nor decrypted here.
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
 * Crypto psp spi key wipe. Packets are neither encrypted nor decrypted here.
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
 * Crypto psp spi key bulk clear. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_flow_crypto_psp_spi_key_bulk_clear(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk);

/**
 * Crypto psp spi key bulk free. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_flow_crypto_psp_spi_key_bulk_free(struct doca_flow_crypto_psp_spi_key_bulk *spi_key_bulk);

/**
 * Crypto ipsec resource handle. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_crypto_ipsec_resource_handle(struct doca_flow_port *port, uint64_t quota,
                                                    uint32_t max_processed_resources);

/**
 * Crypto ipsec update sn. Packets are neither encrypted nor decrypted here.
 *
 * Returns DOCA_SUCCESS, or
 *   DOCA_ERROR_INVALID_VALUE: a pointer is NULL
 *   DOCA_ERROR_NOT_SUPPORTED: else; there is no cryptography of packets
 */
DOCA_EXPERIMENTAL
doca_error_t doca_flow_crypto_ipsec_update_sn(uint32_t shared_res_id, uint64_t sequence_number);

/**
 * Port crypto ipsec update sn. Packets are neither encrypted nor decrypted here.
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
