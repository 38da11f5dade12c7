/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log_priv.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Names form a tree: "A::B.C" is below "A::B", which is below "A". A node is made with the first
 * source of its name or of a name below it, and stays for good, so that emission may read it
 * without a lock and a level that was set stays in force. */

struct doca_logger {
    struct doca_logger *parent;
    struct doca_logger *first_child;
    struct doca_logger *last_child;
    struct doca_logger *sibling;
    uint32_t sources;  /* registered, of this name and of the names below */
    _Atomic int level; /* of its own sources */
    int level_below;   /* of nodes that are yet to come below */
    const char *name;
};

#define NODE_INIT(text)                                                                            \
    {                                                                                              \
        .level = DOCA_LOG_LEVEL_TRACE, .level_below = DOCA_LOG_LEVEL_TRACE, .name = text           \
    }

static pthread_mutex_t tree_lock = PTHREAD_MUTEX_INITIALIZER; /* everything but the levels */
static struct doca_logger root = NODE_INIT("");

static struct doca_logger sdk_nodes[CORE_LOG_NUM] = {
    [CORE_LOG_COMMON] = NODE_INIT("DOCA_COMMON"),
    [CORE_LOG_DEV] = NODE_INIT("DOCA_DEV"),
    [CORE_LOG_CTX] = NODE_INIT("DOCA_CTX"),
    [CORE_LOG_PE] = NODE_INIT("DOCA_PE"),
    [CORE_LOG_TASK] = NODE_INIT("DOCA_TASK"),
    [CORE_LOG_MMAP] = NODE_INIT("DOCA_MMAP"),
    [CORE_LOG_BUF] = NODE_INIT("DOCA_BUF"),
    [CORE_LOG_SYNC_EVENT] = NODE_INIT("DOCA_SYNC_EVENT"),
    [CORE_LOG_GRAPH] = NODE_INIT("DOCA_GRAPH"),
    [CORE_LOG_MMAP_ADVISE] = NODE_INIT("DOCA_MMAP_ADVISE"),
    [CORE_LOG_CLOCK] = NODE_INIT("DOCA_CLOCK"),
    [CORE_LOG_DMA] = NODE_INIT("DOCA_DMA"),
    [CORE_LOG_ARGP] = NODE_INIT("DOCA_ARGP"),
    [CORE_LOG_COMCH] = NODE_INIT("DOCA_COMCH"),
    [CORE_LOG_RDMA] = NODE_INIT("DOCA_RDMA"),
    [CORE_LOG_UROM] = NODE_INIT("DOCA_UROM"),
    [CORE_LOG_ETH] = NODE_INIT("DOCA_ETH"),
    [CORE_LOG_FLOW] = NODE_INIT("DOCA_FLOW"),
    [CORE_LOG_GPUNETIO] = NODE_INIT("DOCA_GPUNETIO"),
};

/* Sources of the application by id; NULL = free. */
#define MAX_SOURCES 4096
static struct doca_logger *_Atomic sources[MAX_SOURCES];

const char *core_log_source_name(enum core_log_source source)
{
    return sdk_nodes[source].name;
}

int log_sdk_source_level(enum core_log_source source)
{
    return atomic_load_explicit(&sdk_nodes[source].level, memory_order_relaxed);
}

int log_source_level(int id)
{
    const struct doca_logger *node = NULL;

    if (id >= 0 && id < MAX_SOURCES)
        node = atomic_load_explicit(&sources[id], memory_order_acquire);
    return node != NULL ? atomic_load_explicit(&node->level, memory_order_relaxed) : 0;
}

/* ------------------------------------------------------------------------------------------------
 * The tree; the lock is held
 */

static void add_child(struct doca_logger *parent, struct doca_logger *node)
{
    node->parent = parent;
    if (parent->last_child == NULL)
        parent->first_child = node;
    else
        parent->last_child->sibling = node;
    parent->last_child = node;
}

static void count_sources(struct doca_logger *node, int change)
{
    for (; node != NULL; node = node->parent)
        node->sources += (uint32_t)change;
}

/* Hangs the nodes of the SDK in, the first time. */
static void ensure_sdk_nodes(void)
{
    if (sdk_nodes[0].parent != NULL)
        return;
    for (size_t i = 0; i < CORE_LOG_NUM; i++) {
        add_child(&root, &sdk_nodes[i]);
        count_sources(&sdk_nodes[i], 1);
    }
}

static struct doca_logger *find_child(const struct doca_logger *parent, const char *name,
                                      size_t len)
{
    struct doca_logger *child = parent->first_child;

    while (child != NULL && (strncmp(child->name, name, len) != 0 || child->name[len] != '\0'))
        child = child->sibling;
    return child;
}

static struct doca_logger *make_child(struct doca_logger *parent, const char *name, size_t len)
{
    struct doca_logger *node = calloc(1, sizeof(*node));
    char *copy = strndup(name, len);

    if (node == NULL || copy == NULL) {
        free(node);
        free(copy);
        return NULL;
    }
    node->name = copy;
    node->level_below = parent->level_below;
    atomic_init(&node->level, parent->level_below);
    add_child(parent, node);
    return node;
}

/* The end of the prefix of `name` that is one part longer than the one that ends at `end`: a
 * separator, or the end of the name. */
static size_t next_prefix(const char *name, size_t end)
{
    end += strncmp(name + end, "::", 2) == 0 ? 2 : 1;
    while (name[end] != '\0' && name[end] != '.' && strncmp(name + end, "::", 2) != 0)
        end++;
    return end;
}

/* The node of a name, made with its ancestors when it is new. NULL when there is no memory. */
static struct doca_logger *ensure_node(const char *name)
{
    struct doca_logger *node = &root;
    size_t end = 0;

    ensure_sdk_nodes();
    do {
        struct doca_logger *child;

        end = next_prefix(name, end);
        child = find_child(node, name, end);
        if (child == NULL)
            child = make_child(node, name, end);
        node = child;
    } while (node != NULL && name[end] != '\0');
    return node;
}

/* Next node below `top` in the order of a listing, parents first; NULL at the end. `depth` is that
 * of the node below `top`; nodes deeper than `max_depth` are left out. */
static struct doca_logger *next_below(const struct doca_logger *top, struct doca_logger *node,
                                      uint32_t *depth, uint32_t max_depth)
{
    if (node->first_child != NULL && *depth < max_depth) {
        ++*depth;
        return node->first_child;
    }
    while (node != top && node->sibling == NULL) {
        node = node->parent;
        --*depth;
    }
    return node != top ? node->sibling : NULL;
}

/* Is this the address of a node? The pointer may be anything. */
static bool is_node(const struct doca_logger *logger)
{
    struct doca_logger *node = &root;
    uint32_t depth = 0;

    ensure_sdk_nodes();
    while (node != NULL && node != logger)
        node = next_below(&root, node, &depth, UINT32_MAX);
    return node != NULL;
}

static bool is_known(const struct doca_logger *logger)
{
    return is_node(logger) && logger->sources > 0;
}

/* ------------------------------------------------------------------------------------------------
 * Sources
 */

/* Returns the id, or -1 when all are taken. */
static int take_id(struct doca_logger *node)
{
    for (int id = 0; id < MAX_SOURCES; id++) {
        if (atomic_load_explicit(&sources[id], memory_order_relaxed) == NULL) {
            atomic_store_explicit(&sources[id], node, memory_order_release);
            return id;
        }
    }
    return -1;
}

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
    struct doca_logger *node;
    int id = -1;

    if (source_name == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "source_name");
    if (source == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "source");
    if (*source_name == '\0' || strlen(source_name) >= DOCA_LOGGER_NAME_SIZE)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, __func__, NULL, "source_name",
                         "%zu bytes long" CORE_LIMIT "1..%d" CORE_REMEDY "choose another name",
                         strlen(source_name), DOCA_LOGGER_NAME_SIZE - 1);

    pthread_mutex_lock(&tree_lock);
    node = ensure_node(source_name);
    if (node != NULL)
        id = take_id(node);
    if (id >= 0)
        count_sources(node, 1);
    pthread_mutex_unlock(&tree_lock);
    if (node == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMMON, __func__, source_name, NULL,
                         "no memory for the name");
    if (id < 0)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMMON, __func__, source_name, "source",
                         "one more" CORE_LIMIT "%d" CORE_REMEDY
                         "unregister sources that are not used any more",
                         MAX_SOURCES);
    *source = id;
    return DOCA_SUCCESS;
}

doca_error_t doca_log_unregister_source(int source)
{
    struct doca_logger *node = NULL;

    if (source >= 0 && source < MAX_SOURCES) {
        pthread_mutex_lock(&tree_lock);
        node = atomic_exchange_explicit(&sources[source], NULL, memory_order_relaxed);
        if (node != NULL)
            count_sources(node, -1);
        pthread_mutex_unlock(&tree_lock);
    }
    if (node == NULL)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, __func__, NULL, "source",
                         "%d" CORE_REMEDY "pass an id from doca_log_register_source()", source);
    return DOCA_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------
 * Loggers
 */

static doca_error_t fail_unknown(const char *func)
{
    return CORE_FAIL(DOCA_ERROR_NOT_FOUND, CORE_LOG_COMMON, func, NULL, "logger",
                     "not known" CORE_REMEDY "take it from doca_logger_create_list()");
}

/* The nodes below `top` that have sources; with `list` NULL only their number. */
static uint32_t collect_below(struct doca_logger *top, uint8_t depth, struct doca_logger **list)
{
    const uint32_t max_depth = depth != 0 ? depth : UINT32_MAX;
    struct doca_logger *node = top;
    uint32_t at = 0, num = 0;

    while ((node = next_below(top, node, &at, max_depth)) != NULL) {
        if (node->sources == 0)
            continue;
        if (list != NULL)
            list[num] = node;
        num++;
    }
    return num;
}

doca_error_t doca_logger_create_list(const struct doca_logger *logger, uint8_t depth,
                                     struct doca_logger ***logger_list, uint32_t *nb_loggers)
{
    struct doca_logger *top = logger != NULL ? (struct doca_logger *)logger : &root;
    struct doca_logger **list = NULL;
    bool known;
    uint32_t num = 0;

    if (logger_list == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "logger_list");
    if (nb_loggers == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "nb_loggers");

    pthread_mutex_lock(&tree_lock);
    known = is_known(top);
    if (known)
        num = collect_below(top, depth, NULL);
    if (num > 0)
        list = calloc((size_t)num + 1, sizeof(list[0]));
    if (list != NULL)
        collect_below(top, depth, list);
    pthread_mutex_unlock(&tree_lock);
    if (!known)
        return fail_unknown(__func__);
    if (num == 0)
        return CORE_ANSWER(DOCA_ERROR_NOT_FOUND, CORE_LOG_COMMON, __func__, top->name, "logger",
                           "without loggers below it");
    if (list == NULL)
        return CORE_FAIL(DOCA_ERROR_NO_MEMORY, CORE_LOG_COMMON, __func__, NULL, "logger_list",
                         "%u entries, and the heap is exhausted", num);
    *logger_list = list;
    *nb_loggers = num;
    return DOCA_SUCCESS;
}

doca_error_t doca_logger_destroy_list(struct doca_logger **logger_list)
{
    if (logger_list == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "logger_list");
    free(logger_list);
    return DOCA_SUCCESS;
}

static void set_level_below(struct doca_logger *top, int level)
{
    struct doca_logger *node = top;
    uint32_t depth = 0;

    top->level_below = level;
    while ((node = next_below(top, node, &depth, UINT32_MAX)) != NULL) {
        atomic_store_explicit(&node->level, level, memory_order_relaxed);
        node->level_below = level;
    }
}

doca_error_t doca_logger_set_level(struct doca_logger *logger, int level, uint8_t propagate)
{
    bool known;

    if (logger == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "logger");
    if (!log_level_is_valid((uint32_t)level))
        return log_fail_level(__func__, "level", (uint32_t)level);

    pthread_mutex_lock(&tree_lock);
    known = is_known(logger);
    if (known) {
        atomic_store_explicit(&logger->level, level, memory_order_relaxed);
        if (propagate != 0)
            set_level_below(logger, level);
    }
    pthread_mutex_unlock(&tree_lock);
    return known ? DOCA_SUCCESS : fail_unknown(__func__);
}

doca_error_t doca_logger_get_level(const struct doca_logger *logger, int *level)
{
    bool known;

    if (logger == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "logger");
    if (level == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "level");

    pthread_mutex_lock(&tree_lock);
    known = is_known(logger);
    pthread_mutex_unlock(&tree_lock);
    if (!known)
        return fail_unknown(__func__);
    *level = atomic_load_explicit(&logger->level, memory_order_relaxed);
    return DOCA_SUCCESS;
}

doca_error_t doca_logger_get_name(const struct doca_logger *logger,
                                  char name[DOCA_LOGGER_NAME_SIZE])
{
    bool valid;

    if (logger == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "logger");
    if (name == NULL)
        return CORE_FAIL_NULL(CORE_LOG_COMMON, __func__, "name");

    pthread_mutex_lock(&tree_lock);
    valid = is_node(logger);
    pthread_mutex_unlock(&tree_lock);
    if (!valid)
        return CORE_FAIL(DOCA_ERROR_INVALID_VALUE, CORE_LOG_COMMON, __func__, NULL, "logger",
                         "no logger" CORE_REMEDY "take it from doca_logger_create_list()");
    memcpy(name, logger->name, strlen(logger->name) + 1);
    return DOCA_SUCCESS;
}

struct doca_logger *doca_logger_find_by_name(struct doca_logger **logger_list, const char *name)
{
    if (logger_list == NULL || name == NULL)
        return NULL;
    for (; *logger_list != NULL; logger_list++) {
        if (strcmp((*logger_list)->name, name) == 0)
            return *logger_list;
    }
    return NULL;
}
