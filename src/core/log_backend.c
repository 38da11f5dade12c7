/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log_priv.h"

#include <pthread.h>
#include <stdio.h>

#include "util/text.h"

struct doca_log_backend {
    struct log_sink sink;
    /* Only records between these reach the sink, whatever the limits are. */
    enum doca_log_level first;
    enum doca_log_level last;
    _Atomic int upper;
    _Atomic int lower;
    bool upper_is_strict; /* under config_lock */
    bool lower_is_strict;
};

#define MAX_BACKENDS      64
#define STANDARD_BACKENDS 2 /* beside those of the program */

struct log_tier {
    struct doca_log_backend backends[MAX_BACKENDS + STANDARD_BACKENDS];
    _Atomic uint32_t num; /* published with release; a backend stays for good */
    uint32_t num_owned;   /* of these, the program's; under config_lock as all that is not atomic */
    int upper;            /* of new backends */
    int lower;
    _Atomic int floor; /* what the environment guarantees */
    /* Prints to stderr while the program has no backend, if the environment asks for it. */
    struct doca_log_backend fallback;
    _Atomic bool has_fallback;
};

static pthread_mutex_t config_lock = PTHREAD_MUTEX_INITIALIZER;

static struct log_tier tiers[CORE_LOG_TIER_NUM] = {
    [CORE_LOG_TIER_APP] = {.upper = DOCA_LOG_LEVEL_CRIT, .lower = DOCA_LOG_LEVEL_INFO},
    [CORE_LOG_TIER_SDK] = {.upper = DOCA_LOG_LEVEL_CRIT, .lower = DOCA_LOG_LEVEL_INFO},
};

_Atomic int core_log_threshold = DOCA_LOG_LEVEL_TRACE;

/* ------------------------------------------------------------------------------------------------
 * Limits
 */

static int effective_lower(struct log_tier *tier, struct doca_log_backend *backend)
{
    int floor = atomic_load_explicit(&tier->floor, memory_order_relaxed);
    int lower = atomic_load_explicit(&backend->lower, memory_order_relaxed);

    return OD_MAX(lower, floor);
}

static bool accepts(struct log_tier *tier, struct doca_log_backend *backend,
                    enum doca_log_level level)
{
    return level >= backend->first && level <= backend->last &&
           (int)level <= effective_lower(tier, backend) &&
           (int)level >= atomic_load_explicit(&backend->upper, memory_order_relaxed);
}

/* The backends to look at, and how many. */
static struct doca_log_backend *active_backends(struct log_tier *tier, uint32_t *num)
{
    *num = atomic_load_explicit(&tier->num, memory_order_acquire);
    if (*num == 0 && atomic_load_explicit(&tier->has_fallback, memory_order_acquire)) {
        *num = 1;
        return &tier->fallback;
    }
    return tier->backends;
}

bool log_tier_wants(enum core_log_tier tier, enum doca_log_level level)
{
    uint32_t num;
    struct doca_log_backend *backends = active_backends(&tiers[tier], &num);

    for (uint32_t i = 0; i < num; i++) {
        if (accepts(&tiers[tier], &backends[i], level))
            return true;
    }
    return false;
}

void log_tier_write(enum core_log_tier tier, enum doca_log_level level, const char *line,
                    size_t len)
{
    uint32_t num;
    struct doca_log_backend *backends = active_backends(&tiers[tier], &num);

    for (uint32_t i = 0; i < num; i++) {
        if (accepts(&tiers[tier], &backends[i], level))
            backends[i].sink.write(&backends[i].sink, level, line, len);
    }
}

int log_tier_floor(enum core_log_tier tier)
{
    return atomic_load_explicit(&tiers[tier].floor, memory_order_relaxed);
}

/* Under config_lock, after every change of the SDK tier. */
static void update_threshold(void)
{
    struct log_tier *tier = &tiers[CORE_LOG_TIER_SDK];
    int threshold = DOCA_LOG_LEVEL_DISABLE;
    uint32_t num;
    struct doca_log_backend *backends = active_backends(tier, &num);

    for (uint32_t i = 0; i < num; i++)
        threshold = OD_MAX(threshold, effective_lower(tier, &backends[i]));
    atomic_store_explicit(&core_log_threshold, threshold, memory_order_relaxed);
}

static void set_lower(struct doca_log_backend *backend, int level)
{
    if (!backend->lower_is_strict || level < atomic_load(&backend->lower))
        atomic_store(&backend->lower, level);
}

static void set_upper(struct doca_log_backend *backend, int level)
{
    if (!backend->upper_is_strict || level > atomic_load(&backend->upper))
        atomic_store(&backend->upper, level);
}

/* Under config_lock. */
static void set_global_lower(struct log_tier *tier, int level)
{
    tier->lower = level;
    for (uint32_t i = 0; i < atomic_load(&tier->num); i++)
        set_lower(&tier->backends[i], level);
    set_lower(&tier->fallback, level);
    update_threshold();
}

void core_log_set_level_by_flag(enum core_log_tier tier, enum doca_log_level level)
{
    log_ready();
    pthread_mutex_lock(&config_lock);
    atomic_store(&tiers[tier].floor, LOG_LEVEL_UNSET);
    set_global_lower(&tiers[tier], (int)level);
    pthread_mutex_unlock(&config_lock);
}

static doca_error_t set_global_lower_call(enum core_log_tier tier, uint32_t level, const char *func)
{
    log_ready();
    if (!log_level_is_valid(level))
        return log_fail_level(func, "level", level);
    pthread_mutex_lock(&config_lock);
    set_global_lower(&tiers[tier], (int)level);
    pthread_mutex_unlock(&config_lock);
    return DOCA_SUCCESS;
}

static uint32_t get_global_lower(enum core_log_tier tier)
{
    int level;

    log_ready();
    pthread_mutex_lock(&config_lock);
    level = OD_MAX(tiers[tier].lower, log_tier_floor(tier));
    pthread_mutex_unlock(&config_lock);
    return (uint32_t)level;
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
    return set_global_lower_call(CORE_LOG_TIER_APP, level, __func__);
}

uint32_t doca_log_level_get_global_lower_limit(void)
{
    return get_global_lower(CORE_LOG_TIER_APP);
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
    return set_global_lower_call(CORE_LOG_TIER_SDK, level, __func__);
}

uint32_t doca_log_level_get_global_sdk_limit(void)
{
    return get_global_lower(CORE_LOG_TIER_SDK);
}

doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
    struct log_tier *tier = &tiers[CORE_LOG_TIER_APP];

    log_ready();
    if (!log_level_is_valid(upper_limit))
        return log_fail_level(__func__, "upper_limit", upper_limit);
    pthread_mutex_lock(&config_lock);
    tier->upper = (int)upper_limit;
    for (uint32_t i = 0; i < atomic_load(&tier->num); i++)
        set_upper(&tier->backends[i], (int)upper_limit);
    pthread_mutex_unlock(&config_lock);
    return DOCA_SUCCESS;
}

uint32_t doca_log_level_get_global_upper_limit(void)
{
    int level;

    log_ready();
    pthread_mutex_lock(&config_lock);
    level = tiers[CORE_LOG_TIER_APP].upper;
    pthread_mutex_unlock(&config_lock);
    return (uint32_t)level;
}

/* The pointer may be anything. */
static bool is_backend_of(const struct log_tier *tier, const struct doca_log_backend *backend)
{
    const uintptr_t first = (uintptr_t)tier->backends;
    const uintptr_t offset = (uintptr_t)backend - first;

    return (uintptr_t)backend >= first && offset % sizeof(*backend) == 0 &&
           offset / sizeof(*backend) < atomic_load(&tier->num);
}

static doca_error_t check_backend(enum core_log_tier tier, const struct doca_log_backend *backend,
                                  const char *func)
{
    const bool sdk = tier == CORE_LOG_TIER_SDK;

    log_ready();
    if (backend == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "backend");
    if (is_backend_of(&tiers[tier], backend))
        return DOCA_SUCCESS;
    if (is_backend_of(&tiers[sdk ? CORE_LOG_TIER_APP : CORE_LOG_TIER_SDK], backend))
        return CORE_FAIL(DOCA_ERROR_NOT_PERMITTED, CORE_LOG_COMMON, func, NULL, "backend",
                         "of the %s tier" CORE_LIMIT "the %s tier" CORE_REMEDY "%s",
                         sdk ? "application" : "SDK", sdk ? "SDK" : "application",
                         sdk ? "use doca_log_backend_set_level_lower_limit()"
                             : "use doca_log_backend_set_sdk_level()");
    return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, func, NULL, "backend",
                     "no backend" CORE_REMEDY "pass what a doca_log_backend_create call returned");
}

static doca_error_t set_backend_limit(enum core_log_tier tier, struct doca_log_backend *backend,
                                      uint32_t level,
                                      void (*set)(struct doca_log_backend *backend, int level),
                                      const char *func, const char *attribute)
{
    doca_error_t result = check_backend(tier, backend, func);

    if (result != DOCA_SUCCESS)
        return result;
    if (!log_level_is_valid(level))
        return log_fail_level(func, attribute, level);
    pthread_mutex_lock(&config_lock);
    set(backend, (int)level);
    update_threshold();
    pthread_mutex_unlock(&config_lock);
    return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level)
{
    return set_backend_limit(CORE_LOG_TIER_APP, backend, level, set_lower, __func__, "level");
}

doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t upper_limit)
{
    return set_backend_limit(CORE_LOG_TIER_APP, backend, upper_limit, set_upper, __func__,
                             "upper_limit");
}

doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level)
{
    return set_backend_limit(CORE_LOG_TIER_SDK, backend, level, set_lower, __func__, "level");
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
    doca_error_t result = check_backend(CORE_LOG_TIER_APP, backend, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    pthread_mutex_lock(&config_lock);
    backend->lower_is_strict = true;
    pthread_mutex_unlock(&config_lock);
    return DOCA_SUCCESS;
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
    doca_error_t result = check_backend(CORE_LOG_TIER_APP, backend, __func__);

    if (result != DOCA_SUCCESS)
        return result;
    pthread_mutex_lock(&config_lock);
    backend->upper_is_strict = true;
    pthread_mutex_unlock(&config_lock);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Creating
 */

uint32_t doca_log_get_max_num_backends(void)
{
    return MAX_BACKENDS;
}

uint32_t doca_log_get_max_num_backends_sdk(void)
{
    return MAX_BACKENDS;
}

static void init_backend(struct doca_log_backend *backend, const struct log_sink *sink,
                         const struct log_tier *tier)
{
    backend->sink = *sink;
    pthread_mutex_init(&backend->sink.lock, NULL);
    backend->first = DOCA_LOG_LEVEL_CRIT;
    backend->last = DOCA_LOG_LEVEL_TRACE;
    atomic_init(&backend->upper, tier->upper);
    atomic_init(&backend->lower, tier->lower);
}

/* Under config_lock. The caller has looked that there is room. */
static struct doca_log_backend *append_backend(struct log_tier *tier, const struct log_sink *sink)
{
    uint32_t num = atomic_load_explicit(&tier->num, memory_order_relaxed);

    init_backend(&tier->backends[num], sink, tier);
    return &tier->backends[num];
}

/* Under config_lock. Emission may use the backend from here on. */
static void publish_backend(struct log_tier *tier)
{
    atomic_fetch_add_explicit(&tier->num, 1, memory_order_release);
    update_threshold();
}

static doca_error_t create_backend(enum core_log_tier id, const struct log_sink *sink,
                                   struct doca_log_backend **backend, const char *func)
{
    struct log_tier *tier = &tiers[id];
    struct doca_log_backend *created = NULL;

    log_ready();
    pthread_mutex_lock(&config_lock);
    if (tier->num_owned < MAX_BACKENDS) {
        created = append_backend(tier, sink);
        tier->num_owned++;
        publish_backend(tier);
    }
    pthread_mutex_unlock(&config_lock);
    if (created == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMMON, func, NULL, "backend",
                         "one more" CORE_LIMIT "%d" CORE_REMEDY
                         "use existing backends, they cannot be destroyed",
                         MAX_BACKENDS);
    *backend = created;
    return DOCA_SUCCESS;
}

static doca_error_t create_with_file(enum core_log_tier tier, FILE *file,
                                     struct doca_log_backend **backend, const char *func)
{
    const struct log_sink sink = {.write = log_write_file, .file = file};

    if (file == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "fptr");
    if (backend == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "backend");
    return create_backend(tier, &sink, backend, func);
}

static doca_error_t create_with_fd(enum core_log_tier tier, int fd,
                                   struct doca_log_backend **backend, const char *func)
{
    const struct log_sink sink = {.write = log_write_fd, .fd = fd};

    if (fd < 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, func, NULL, "fd",
                         "%d" CORE_LIMIT "0 or more" CORE_REMEDY "pass an open descriptor", fd);
    if (backend == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "backend");
    return create_backend(tier, &sink, backend, func);
}

static doca_error_t create_with_buf(enum core_log_tier tier, char *buf, size_t capacity,
                                    log_flush_callback handler, struct doca_log_backend **backend,
                                    const char *func)
{
    const struct log_sink sink = {.write = log_write_buf, .buf = {buf, capacity, handler}};

    if (buf == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "buf");
    if (capacity == 0)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, func, NULL, "capacity",
                         "0" CORE_LIMIT "1 or more" CORE_REMEDY "pass the size of the buffer");
    if (handler == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "handler");
    if (backend == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "backend");
    return create_backend(tier, &sink, backend, func);
}

static doca_error_t create_with_syslog(enum core_log_tier tier, const char *name,
                                       struct doca_log_backend **backend, const char *func)
{
    struct log_sink sink = {.write = log_write_syslog, .syslog = {.fd = -1}};
    struct od_text text;

    if (name == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "name");
    if (backend == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, func, "backend");
    od_text_init(&text, sink.syslog.name, sizeof(sink.syslog.name));
    od_text_printf(&text, "%s", name);
    return create_backend(tier, &sink, backend, func);
}

doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend)
{
    return create_with_file(CORE_LOG_TIER_APP, fptr, backend, __func__);
}

doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
    return create_with_fd(CORE_LOG_TIER_APP, fd, backend, __func__);
}

doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend)
{
    return create_with_buf(CORE_LOG_TIER_APP, buf, capacity, handler, backend, __func__);
}

doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend)
{
    return create_with_syslog(CORE_LOG_TIER_APP, name, backend, __func__);
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend)
{
    return create_with_file(CORE_LOG_TIER_SDK, fptr, backend, __func__);
}

doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
    return create_with_fd(CORE_LOG_TIER_SDK, fd, backend, __func__);
}

doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend)
{
    return create_with_buf(CORE_LOG_TIER_SDK, buf, capacity, handler, backend, __func__);
}

doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend)
{
    return create_with_syslog(CORE_LOG_TIER_SDK, name, backend, __func__);
}

doca_error_t doca_log_backend_create_standard(void)
{
    static bool created; /* under config_lock */
    const struct log_sink out = {.write = log_write_file, .file = stdout};
    const struct log_sink err = {.write = log_write_file, .file = stderr};
    struct log_tier *tier = &tiers[CORE_LOG_TIER_APP];

    log_ready();
    pthread_mutex_lock(&config_lock);
    if (!created) {
        append_backend(tier, &out)->first = DOCA_LOG_LEVEL_INFO;
        publish_backend(tier);
        append_backend(tier, &err)->last = DOCA_LOG_LEVEL_WARNING;
        publish_backend(tier);
        created = true;
    }
    pthread_mutex_unlock(&config_lock);
    return DOCA_SUCCESS;
}

void log_tier_start(enum core_log_tier id, int environment_level)
{
    const struct log_sink err = {.write = log_write_file, .file = stderr};
    struct log_tier *tier = &tiers[id];

    pthread_mutex_lock(&config_lock);
    if (environment_level != LOG_LEVEL_UNSET) {
        tier->lower = environment_level;
        atomic_store(&tier->floor, environment_level);
        if (id == CORE_LOG_TIER_SDK) {
            init_backend(&tier->fallback, &err, tier);
            atomic_store_explicit(&tier->has_fallback, true, memory_order_release);
        }
    }
    update_threshold();
    pthread_mutex_unlock(&config_lock);
}
