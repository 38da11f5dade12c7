/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_CORE_LOG_PRIV_H_
#define OD_CORE_LOG_PRIV_H_

/* Between the files of the log: log.c makes lines out of records, log_backend.c has the limits,
 * log_sink.c writes the lines, log_source.c has the names. Emission takes no lock but those of the
 * sinks and allocates nothing; everything is initialised statically or at the first use, so that
 * constructors of any priority may log. */

#include <pthread.h>
#include <stdio.h>

#include "core/core_priv.h"

/* A line is at most this long, newline and zero included; longer records are cut. */
#define LOG_LINE_SIZE 8192

/* Reads the environment, once. Every public call of the log begins with it. */
void log_ready(void);

static inline bool log_level_is_valid(uint32_t level)
{
    return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

doca_error_t log_fail_level(const char *func, const char *attribute, uint32_t level);

/* ------------------------------------------------------------------------------------------------
 * log_backend.c
 */

#define LOG_LEVEL_UNSET 0

/* What the environment asks for, LOG_LEVEL_UNSET for nothing. Called by log_ready(). */
void log_tier_start(enum core_log_tier tier, int environment_level);

/* The verbosity that the environment guarantees; LOG_LEVEL_UNSET without one. */
int log_tier_floor(enum core_log_tier tier);

/* Does some backend print this level? */
bool log_tier_wants(enum core_log_tier tier, enum doca_log_level level);

/* Hands a line that ends in a newline to each backend that prints the level. */
void log_tier_write(enum core_log_tier tier, enum doca_log_level level, const char *line,
                    size_t len);

/* ------------------------------------------------------------------------------------------------
 * log_sink.c
 */

#define LOG_SYSLOG_NAME_SIZE 64

/* Where the lines of a backend go. */
struct log_sink {
    /* Writes one line. Trouble is swallowed: no program shall fail because of its log. */
    void (*write)(struct log_sink *sink, enum doca_log_level level, const char *line, size_t len);
    pthread_mutex_t lock; /* a line at a time; streams have their own lock */
    union {
        FILE *file;
        int fd;
        struct {
            char *buf;
            size_t capacity;
            log_flush_callback handler;
        } buf;
        struct {
            char name[LOG_SYSLOG_NAME_SIZE];
            int fd; /* -1 = not connected */
        } syslog;
    };
};

void log_write_file(struct log_sink *sink, enum doca_log_level level, const char *line, size_t len);
void log_write_fd(struct log_sink *sink, enum doca_log_level level, const char *line, size_t len);
void log_write_buf(struct log_sink *sink, enum doca_log_level level, const char *line, size_t len);
void log_write_syslog(struct log_sink *sink, enum doca_log_level level, const char *line,
                      size_t len);

/* ------------------------------------------------------------------------------------------------
 * log_source.c
 */

/* Least severe level that a source lets through, 0 when no source has this id. */
int log_source_level(int id);
int log_sdk_source_level(enum core_log_source source);

#endif /* OD_CORE_LOG_PRIV_H_ */
