/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Logging.
 *
 * Two tiers that never mix. Application records come from the DOCA_LOG_* macros of the program,
 * SDK records from inside the libraries; each tier has its own backends and limits. A backend is
 * where records go: a stream, a descriptor, a buffer, the system log. Backends live until the
 * process exits and cannot be destroyed; what they write to stays the caller's and must live as
 * long.
 *
 * Typical order: DOCA_LOG_REGISTER once per source file, doca_log_backend_create_standard() first
 * thing in main(), an SDK backend next to it with doca_log_backend_create_with_file_sdk() and
 * doca_log_backend_set_sdk_level(), then DOCA_LOG_* anywhere.
 *
 * A level is one of enum doca_log_level; a higher number says more. An application record is
 * printed when its level lies between the upper limit (CRIT unless changed, the least verbose
 * bound) and the lower limit (INFO unless changed, the most verbose bound), both included. SDK
 * backends have the one limit.
 *
 * The environment goes before the program: DOCA_LOG_LEVEL (a name such as "debug", or a number)
 * replaces the initial limits of both tiers, and no call of the program makes a backend less
 * verbose than that. It also makes SDK records visible, on stderr, in programs that have no SDK
 * backend. DOCA_LOG_LEVEL_SDK does the same for the SDK tier alone. The log level flags of the
 * argument parser go before the environment.
 *
 * Each record is one line, written at once; what exceeds 8 KiB is cut. All functions may be called
 * from any thread and from callbacks of the libraries, before main() too.
 */

#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdio.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Size of the buffer for the name of a logger in bytes, with the terminating zero. */
#define DOCA_LOGGER_NAME_SIZE 256

/** How grave a record is, and how much is printed. */
enum doca_log_level {
    DOCA_LOG_LEVEL_DISABLE = 10, /**< as a limit: nothing */
    DOCA_LOG_LEVEL_CRIT = 20,    /**< the program cannot go on */
    DOCA_LOG_LEVEL_ERROR = 30,   /**< something failed */
    DOCA_LOG_LEVEL_WARNING = 40, /**< works, but not as well as it should */
    DOCA_LOG_LEVEL_INFO = 50,    /**< what the program does */
    DOCA_LOG_LEVEL_DEBUG = 60,   /**< values that help to find a fault */
    DOCA_LOG_LEVEL_TRACE = 70,   /**< every step */
};

/** Where the records of one tier go. */
struct doca_log_backend;

/**
 * A named place that records come from: a source of the SDK such as "DOCA_DMA", or one of the
 * program. "::" and "." in a name make a tree: "APP::NET" is below "APP".
 */
struct doca_logger;

/**
 * Takes one record from a buffer backend.
 *
 * @buf: the buffer of the backend; holds the record from its start, zero-terminated, and may be
 *       overwritten by the next record as soon as the callback returns.
 */
typedef void (*log_flush_callback)(char *buf);

/**
 * How many application backends a process can have.
 *
 * Never fails.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_get_max_num_backends(void);

/**
 * Sets the most verbose level that an application backend prints.
 *
 * @level: one of enum doca_log_level. Ignored with success where
 *         doca_log_backend_set_level_lower_limit_strict() forbids a more verbose limit.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: backend is NULL, or level is none of the seven.
 * DOCA_ERROR_NOT_PERMITTED: backend is an SDK backend.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level);

/**
 * Sets the least verbose level that an application backend prints.
 *
 * @upper_limit: one of enum doca_log_level. Ignored with success where
 *               doca_log_backend_set_level_upper_limit_strict() forbids to raise the limit.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: backend is NULL, or upper_limit is none of the seven.
 * DOCA_ERROR_NOT_PERMITTED: backend is an SDK backend.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t upper_limit);

/**
 * Freezes the lower limit: from now on neither the global nor the direct setter makes this backend
 * more verbose than it is; such attempts are ignored. There is no way back.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: backend is NULL.
 * DOCA_ERROR_NOT_PERMITTED: backend is an SDK backend.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * Freezes the upper limit: from now on neither the global nor the direct setter raises it towards
 * graver levels; such attempts are ignored. There is no way back.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: backend is NULL.
 * DOCA_ERROR_NOT_PERMITTED: backend is an SDK backend.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * Sets the lower limit of all application backends, and of those created later.
 *
 * @level: one of enum doca_log_level.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: level is none of the seven.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * Sets the upper limit of all application backends, and of those created later.
 *
 * @upper_limit: one of enum doca_log_level.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: upper_limit is none of the seven.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/**
 * The global lower limit of the application tier, DOCA_LOG_LEVEL_INFO unless changed.
 *
 * Never fails.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * The global upper limit of the application tier, DOCA_LOG_LEVEL_CRIT unless changed.
 *
 * Never fails.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * Registers a source of application records; DOCA_LOG_REGISTER does so for a source file.
 *
 * @source_name: a zero-terminated path such as "PROGRAM::PART", copied. The same name may be
 *               registered again; each registration has a valid id.
 * @source: receives the id to pass to doca_log().
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is empty or does not fit into
 *                           DOCA_LOGGER_NAME_SIZE.
 * DOCA_ERROR_NO_MEMORY: the source could not be stored.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * Frees the id of a source; records with this id are refused from now on.
 *
 * @source: an id from doca_log_register_source().
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: no source has this id.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/**
 * Lists the loggers below a given one, those of the SDK and those that the program registered.
 * Parents come before what is below them.
 *
 * @logger: whose descendants to list; NULL for the root of all.
 * @depth: how many levels down the list goes, 1 for direct children only, 0 for no limit.
 * @logger_list: receives an array, terminated by a NULL entry; the caller frees it with
 *               doca_logger_destroy_list(). Its entries are valid until then.
 * @nb_loggers: receives the number of entries without the NULL.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: an output is NULL.
 * DOCA_ERROR_NOT_FOUND: logger is not known, or nothing is below it.
 * DOCA_ERROR_NO_MEMORY: the list could not be allocated.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_create_list(const struct doca_logger *logger, uint8_t depth,
                                     struct doca_logger ***logger_list, uint32_t *nb_loggers);

/**
 * Frees a list of loggers and its entries. Levels that were set stay in force.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: logger_list is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_destroy_list(struct doca_logger **logger_list);

/**
 * Sets the most verbose level that passes this logger, on top of the limits of the backends. It is
 * DOCA_LOG_LEVEL_TRACE at first. What the environment asks for passes all the same.
 *
 * @level: one of enum doca_log_level.
 * @propagate: not 0: the loggers below take the level too, also those that are yet to come.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: logger is NULL, or level is none of the seven.
 * DOCA_ERROR_NOT_FOUND: logger is not known any more.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_set_level(struct doca_logger *logger, int level, uint8_t propagate);

/**
 * Tells the level of a logger.
 *
 * @level: receives one of enum doca_log_level.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * DOCA_ERROR_NOT_FOUND: logger is not known any more.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_get_level(const struct doca_logger *logger, int *level);

/**
 * Tells the full name of a logger.
 *
 * @name: receives the zero-terminated name, at most DOCA_LOGGER_NAME_SIZE bytes with the zero.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL, or logger is no logger.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_get_name(const struct doca_logger *logger,
                                  char name[DOCA_LOGGER_NAME_SIZE]);

/**
 * Finds a logger of a list by its full name.
 *
 * @logger_list: from doca_logger_create_list().
 *
 * Returns the entry of the list, valid as long as the list; NULL when no entry has the name or an
 * argument is NULL.
 */
DOCA_EXPERIMENTAL
struct doca_logger *doca_logger_find_by_name(struct doca_logger **logger_list, const char *name);

/**
 * Creates an application backend that writes to a stream. It starts with the global limits.
 *
 * @fptr: stays open until the process exits; each record is flushed.
 * @backend: receives the backend.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * DOCA_ERROR_NO_MEMORY: no more backends, or the heap is exhausted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);

/**
 * Creates an application backend that writes to a file descriptor. It starts with the global
 * limits.
 *
 * @fd: stays open until the process exits.
 * @backend: receives the backend.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: fd is negative, or backend is NULL.
 * DOCA_ERROR_NO_MEMORY: no more backends, or the heap is exhausted.
 * DOCA_ERROR_NOT_SUPPORTED: this platform has no file descriptors.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * Creates an application backend that hands each record to a callback. It starts with the global
 * limits.
 *
 * @buf: where records are placed, always at the start and zero-terminated.
 * @capacity: size of buf in bytes, with the zero; longer records are cut.
 * @handler: runs once for each record, in the thread that logs, under the lock of the backend. A
 *           record that a handler causes is dropped by the buffer backends that are busy.
 * @backend: receives the backend.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or capacity is 0.
 * DOCA_ERROR_NO_MEMORY: no more backends, or the heap is exhausted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend);

/**
 * Creates an application backend that writes to the system log. It starts with the global limits.
 *
 * @name: identity under which the records appear, copied.
 * @backend: receives the backend.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * DOCA_ERROR_NO_MEMORY: no more backends, or the heap is exhausted.
 * DOCA_ERROR_NOT_SUPPORTED: this platform has no system log.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend);

/**
 * How many SDK backends a process can have.
 *
 * Never fails.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_get_max_num_backends_sdk(void);

/**
 * Sets the most verbose level that an SDK backend prints.
 *
 * @level: one of enum doca_log_level.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: backend is NULL, or level is none of the seven.
 * DOCA_ERROR_NOT_PERMITTED: backend is an application backend.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/**
 * Creates an SDK backend that writes to a stream. It starts with the global SDK limit.
 *
 * @fptr: stays open until the process exits; each record is flushed.
 * @backend: receives the backend.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * DOCA_ERROR_NO_MEMORY: no more backends, or the heap is exhausted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);

/**
 * Creates an SDK backend that writes to a file descriptor. It starts with the global SDK limit.
 *
 * @fd: stays open until the process exits.
 * @backend: receives the backend.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: fd is negative, or backend is NULL.
 * DOCA_ERROR_NO_MEMORY: no more backends, or the heap is exhausted.
 * DOCA_ERROR_NOT_SUPPORTED: this platform has no file descriptors.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/**
 * Creates an SDK backend that hands each record to a callback. It starts with the global SDK limit.
 *
 * @buf: where records are placed, always at the start and zero-terminated.
 * @capacity: size of buf in bytes, with the zero; longer records are cut.
 * @handler: runs once for each record, in the thread that logs, under the lock of the backend. A
 *           record that a handler causes is dropped by the buffer backends that are busy.
 * @backend: receives the backend.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or capacity is 0.
 * DOCA_ERROR_NO_MEMORY: no more backends, or the heap is exhausted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend);

/**
 * Creates an SDK backend that writes to the system log. It starts with the global SDK limit.
 *
 * @name: identity under which the records appear, copied.
 * @backend: receives the backend.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 * DOCA_ERROR_NO_MEMORY: no more backends, or the heap is exhausted.
 * DOCA_ERROR_NOT_SUPPORTED: this platform has no system log.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend);

/**
 * Sets the limit of all SDK backends, and of those created later.
 *
 * @level: one of enum doca_log_level.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_INVALID_VALUE: level is none of the seven.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * The global limit of the SDK tier, DOCA_LOG_LEVEL_INFO unless changed.
 *
 * Never fails.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_sdk_limit(void);

/**
 * Creates the usual pair of application backends: records from the lower limit up to INFO go to
 * stdout, WARNING up to the upper limit to stderr. They follow the global limits.
 *
 * A second call succeeds and changes nothing.
 *
 * Returns DOCA_SUCCESS, or
 * DOCA_ERROR_NO_MEMORY: no more backends, or the heap is exhausted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/**
 * Emits one application record; the DOCA_LOG macros call it.
 *
 * @level: level of the record, not DOCA_LOG_LEVEL_DISABLE.
 * @source: an id from doca_log_register_source().
 * @fname, @line, @func: where the record comes from; fname and func may be NULL.
 * @format: as for printf, without a newline at the end; the arguments follow.
 *
 * Returns DOCA_SUCCESS, also when no backend prints the record or a backend cannot write, or
 * DOCA_ERROR_INVALID_VALUE: level or source is not valid, or format is NULL; nothing is printed.
 * DOCA_ERROR_NO_MEMORY: the record could not be formatted.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

/*
 * The macros for programs. Each takes a printf format and its arguments,
 * DOCA_LOG_INFO("%zu bytes", n), and needs DOCA_LOG_REGISTER in the same source file.
 * The format is part of "..." so that a call without arguments is strictly conforming too.
 */

/** Emits a record of the given level from this source file, line and function. */
#define DOCA_LOG(level, ...) doca_log(level, log_source, __FILE__, __LINE__, __func__, __VA_ARGS__)

#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_LOG_ERR(...)  DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_LOG_DBG(...)  DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)

/** Nothing, arguments included, unless the program defines DOCA_LOGGING_ALLOW_TRACE. */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__)
#else
#define DOCA_LOG_TRC(...)                                                                          \
    do {                                                                                           \
    } while (0)
#endif

/**
 * Names this source file for the log, once at file scope: DOCA_LOG_REGISTER(PROGRAM::PART);
 *
 * Defines the static int log_source, and a constructor that registers it before main() and before
 * constructors of default priority. The declaration at the end only takes the semicolon.
 */
#define DOCA_LOG_REGISTER(source)                                                                  \
    static int log_source = -1;                                                                    \
    static void __attribute__((constructor(101), used)) doca_log_register_this_file_(void)         \
    {                                                                                              \
        (void)doca_log_register_source(#source, &log_source);                                      \
    }                                                                                              \
    struct doca_log_registered_

#ifdef __cplusplus
}
#endif

#endif /* DOCA_LOG_H_ */
