/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/urom_priv.h"

#include <stdlib.h>

#include "soft/service/token.h"
#include "util/parse.h"

#define CONNECT_TIMEOUT_MS 5000
#define ANSWER_TIMEOUT_MS  30000
#define TIMEOUT_MAX_MS     (24u * 3600 * 1000)

_Static_assert(UROM_SECRET_SIZE == SOFT_TOKEN_MAX, "a whole token");

static const char *text(const char *name)
{
    const char *value = secure_getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

static uint32_t milliseconds(const char *name, uint32_t otherwise)
{
    const char *value = text(name);
    uint64_t ms;

    if (value == NULL)
        return otherwise;
    if (od_parse_u64(value, &ms) != 0 || ms > TIMEOUT_MAX_MS) {
        CORE_WARN(CORE_LOG_UROM, "%s is \"%s\", not a number of ms up to %u; taken as %u", name,
                  value, TIMEOUT_MAX_MS, otherwise);
        return otherwise;
    }
    return (uint32_t)ms;
}

void urom_environment_read(struct urom_environment *env)
{
    *env = (struct urom_environment){
        .service_file = text("DOCA_UROM_SERVICE_FILE"),
        .socket = text("DOCA_UROM_SOCKET"),
        .connect_timeout = milliseconds("DOCA_UROM_CONNECT_TIMEOUT_MS", CONNECT_TIMEOUT_MS),
        .answer_timeout = milliseconds("DOCA_UROM_ANSWER_TIMEOUT_MS", ANSWER_TIMEOUT_MS),
        .domain_timeout = milliseconds("DOCA_UROM_DOMAIN_TIMEOUT_MS", 0),
        .has_runtime_dir = text("OPENDOCA_RUNTIME_DIR") != NULL,
    };
}

int urom_environment_secret(uint8_t secret[UROM_SECRET_SIZE], uint32_t *len)
{
    const char *path = text("DOCA_UROM_TOKEN_FILE");

    *len = 0;
    return path != NULL ? soft_token_read("token file", path, secret, len) : 0;
}
