/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soft/copy/copy_priv.h"
#include "soft/copy/choice.h"
#include "soft/copy/pool.h"
#include "util/parse.h"

#define DEFAULT_ENGINE "threads"

_Static_assert(sizeof(((struct soft_copy_conf *)0)->engine) ==
                   sizeof(((struct soft_copy_conf *)0)->error_base),
               "an engine's name fits into both fields");

const struct soft_copy_ops *const *soft_copy_engines(void)
{
    return soft_copy_engine_table;
}

const struct soft_copy_ops *soft_copy_find(const char *name)
{
    for (const struct soft_copy_ops *const *ops = soft_copy_engine_table; *ops != NULL; ops++) {
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    }
    return NULL;
}

/* An unset variable and an empty one are the same. */
static const char *setting(const char *variable)
{
    const char *value = getenv(variable);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

static int override_text(char *field, size_t size, const char *variable)
{
    const char *value = setting(variable);
    size_t len = value != NULL ? strlen(value) : 0;

    if (value == NULL)
        return 0;
    if (len >= size)
        return soft_fail(-EINVAL, "%s is longer than %zu bytes", variable, size - 1);
    memcpy(field, value, len + 1);
    return 0;
}

static int override_threads(struct soft_copy_conf *conf)
{
    const char *value = setting("OPENDOCA_COPY_THREADS");
    uint64_t threads;

    if (value == NULL)
        return 0;
    if (od_parse_u64(value, &threads) != 0 || threads < 1 || threads > SOFT_COPY_LANES)
        return soft_fail(-EINVAL, "OPENDOCA_COPY_THREADS is '%s', not a number from 1 to %u", value,
                         SOFT_COPY_LANES);
    conf->threads = (uint32_t)threads;
    return 0;
}

/* A fault list in the environment selects the error engine around the one that was chosen. */
static void wrap_in_error(struct soft_copy_conf *conf)
{
    if (setting("OPENDOCA_FAULTS") == NULL || strcmp(conf->engine, "error") == 0)
        return;
    memcpy(conf->error_base, conf->engine, sizeof(conf->engine));
    memcpy(conf->engine, "error", sizeof("error"));
}

static int apply_environment(struct soft_copy_conf *conf)
{
    int err = override_text(conf->engine, sizeof(conf->engine), "OPENDOCA_COPY_ENGINE");

    if (conf->engine[0] == '\0')
        memcpy(conf->engine, DEFAULT_ENGINE, sizeof(DEFAULT_ENGINE));
    if (err == 0)
        err = override_text(conf->faults, sizeof(conf->faults), "OPENDOCA_FAULTS");
    if (err == 0)
        err = override_threads(conf);
    if (err == 0)
        err = soft_copy_choice_force(setting("OPENDOCA_COPY_LOOP"));
    if (err == 0)
        wrap_in_error(conf);
    return err;
}

static int no_such_engine(const char *name)
{
    char known[128] = "";
    size_t len = 0;

    for (const struct soft_copy_ops *const *ops = soft_copy_engine_table; *ops != NULL; ops++)
        len += (size_t)snprintf(known + len, sizeof(known) - len, " %s", (*ops)->name);
    return soft_fail(-EINVAL, "there is no copy engine '%s'; there are:%s", name, known);
}

int soft_copy_open(const struct soft_copy_conf *conf, uint32_t depth, struct od_waker *waker,
                   struct soft_copy_chan **chan)
{
    struct soft_copy_conf effective = *conf;
    const struct soft_copy_ops *ops;
    int err = apply_environment(&effective);

    if (err != 0)
        return err;
    ops = soft_copy_find(effective.engine);
    if (ops == NULL)
        return no_such_engine(effective.engine);
    return ops->open(&effective, depth, waker, chan);
}
