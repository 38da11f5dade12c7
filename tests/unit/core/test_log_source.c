/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <opendoca.h>

#include "core/core_priv.h"
#include "lib/scenario.h"
#include "util/text.h"

static int register_source(const char *name)
{
    int id = -1;

    assert_int_equal(doca_log_register_source(name, &id), DOCA_SUCCESS);
    assert_true(id >= 0);
    return id;
}

static void unregister(int id)
{
    assert_int_equal(doca_log_unregister_source(id), DOCA_SUCCESS);
}

static doca_error_t emit(int id)
{
    return doca_log(DOCA_LOG_LEVEL_ERROR, id, "f", 1, "f", "text");
}

/* The logger of a name; lists may be destroyed, loggers stay. */
static struct doca_logger *find_logger(const char *name)
{
    struct doca_logger **list, *logger;
    uint32_t num;

    assert_int_equal(doca_logger_create_list(NULL, 0, &list, &num), DOCA_SUCCESS);
    logger = doca_logger_find_by_name(list, name);
    assert_int_equal(doca_logger_destroy_list(list), DOCA_SUCCESS);
    return logger;
}

static int level_of(const char *name)
{
    int level = -1;

    assert_int_equal(doca_logger_get_level(find_logger(name), &level), DOCA_SUCCESS);
    return level;
}

/* The names below a logger, each followed by a blank. */
static const char *names_below(const struct doca_logger *logger, uint8_t depth)
{
    static char names[4096];
    char name[DOCA_LOGGER_NAME_SIZE];
    struct doca_logger **list;
    struct od_text text;
    uint32_t num = 0;

    od_text_init(&text, names, sizeof(names));
    assert_int_equal(doca_logger_create_list(logger, depth, &list, &num), DOCA_SUCCESS);
    for (uint32_t i = 0; i < num; i++) {
        assert_int_equal(doca_logger_get_name(list[i], name), DOCA_SUCCESS);
        od_text_printf(&text, "%s ", name);
    }
    assert_null(list[num]);
    doca_logger_destroy_list(list);
    return names;
}

/* ------------------------------------------------------------------------------------------------
 * Sources
 */

static void sources_have_ids(void **state)
{
    int a = register_source("IDS"), b = register_source("IDS"), c = register_source("IDS::C");

    (void)state;
    assert_int_not_equal(a, b);
    assert_int_not_equal(b, c);
    assert_int_equal(emit(a), DOCA_SUCCESS);
    assert_int_equal(emit(b), DOCA_SUCCESS);
    unregister(a);
    assert_int_equal(emit(a), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(emit(b), DOCA_SUCCESS);
    assert_int_equal(doca_log_unregister_source(a), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_log_unregister_source(-1), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_log_unregister_source(INT32_MAX), DOCA_ERROR_INVALID_VALUE);
    unregister(b);
    unregister(c);
}

static void bad_names_are_refused(void **state)
{
    char name[DOCA_LOGGER_NAME_SIZE + 1];
    int id = -7;

    (void)state;
    assert_int_equal(doca_log_register_source(NULL, &id), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_log_register_source("X", NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_log_register_source("", &id), DOCA_ERROR_INVALID_VALUE);
    memset(name, 'n', sizeof(name));
    name[DOCA_LOGGER_NAME_SIZE] = '\0';
    assert_int_equal(doca_log_register_source(name, &id), DOCA_ERROR_INVALID_VALUE);
    assert_non_null(strstr(opendoca_last_error(), "256 bytes long, limit 1..255"));
    assert_int_equal(id, -7);
    name[DOCA_LOGGER_NAME_SIZE - 1] = '\0';
    unregister(register_source(name));
}

static void use_up_ids(void)
{
    int id;
    uint32_t num = 0;

    while (doca_log_register_source("MANY", &id) == DOCA_SUCCESS)
        CHECK(++num <= 1u << 20);
    CHECK(num >= 1000);
    CHECK(strstr(opendoca_last_error(), "DOCA_ERROR_NO_MEMORY") != NULL);
    CHECK(doca_log_unregister_source(id) == DOCA_SUCCESS);
    CHECK(doca_log_register_source("MANY", &id) == DOCA_SUCCESS);
}

static void ids_are_freed(void **state)
{
    (void)state;
    assert_int_equal(scenario_run("use_up_ids", NULL)->status, 0);
}

static void the_sdk_has_a_source_for_each_family(void **state)
{
    static const char *const names[] = {
        "DOCA_COMMON", "DOCA_DEV",        "DOCA_CTX",   "DOCA_PE",          "DOCA_TASK",
        "DOCA_MMAP",   "DOCA_BUF",        "DOCA_GRAPH", "DOCA_MMAP_ADVISE", "DOCA_CLOCK",
        "DOCA_DMA",    "DOCA_SYNC_EVENT", "DOCA_ARGP",  "DOCA_COMCH",       "DOCA_RDMA",
        "DOCA_UROM",   "DOCA_ETH",        "DOCA_FLOW",  "DOCA_GPUNETIO",
    };

    (void)state;
    assert_int_equal(OD_ARRAY_SIZE(names), CORE_LOG_NUM);
    for (size_t i = 0; i < OD_ARRAY_SIZE(names); i++)
        assert_non_null(find_logger(names[i]));
    assert_string_equal(core_log_source_name(CORE_LOG_DMA), "DOCA_DMA");
    assert_string_equal(core_log_source_name(CORE_LOG_MMAP_ADVISE), "DOCA_MMAP_ADVISE");
}

/* ------------------------------------------------------------------------------------------------
 * Loggers
 */

static void names_make_a_tree(void **state)
{
    int ids[] = {register_source("TREE::B.C"), register_source("TREE::A"),
                 register_source("TREE::B.D::E"), register_source("TREEX")};
    struct doca_logger *tree = find_logger("TREE");

    (void)state;
    assert_non_null(tree);
    assert_string_equal(names_below(tree, 1), "TREE::B TREE::A ");
    assert_string_equal(names_below(tree, 2), "TREE::B TREE::B.C TREE::B.D TREE::A ");
    assert_string_equal(names_below(tree, 0), "TREE::B TREE::B.C TREE::B.D TREE::B.D::E TREE::A ");
    assert_string_equal(names_below(find_logger("TREE::B.D"), 0), "TREE::B.D::E ");
    assert_null(strstr(names_below(NULL, 1), "TREE::"));
    assert_non_null(strstr(names_below(NULL, 1), "TREE TREEX "));
    for (size_t i = 0; i < OD_ARRAY_SIZE(ids); i++)
        unregister(ids[i]);
    assert_null(find_logger("TREE"));
    assert_null(find_logger("TREE::B.C"));
}

static void odd_separators_do_no_harm(void **state)
{
    static const char *const names[] = {"::",    ":",    ".",       "...",   "::ODD",
                                        "ODD::", "ODD.", "ODD:::X", "ODD..Y"};

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(names); i++) {
        int id = register_source(names[i]);

        assert_non_null(find_logger(names[i]));
        unregister(id);
    }
}

static void lists_refuse_misuse(void **state)
{
    struct doca_logger **list = NULL, *logger, *other = (struct doca_logger *)&list;
    int id = register_source("LIST"), level = -1;
    char name[DOCA_LOGGER_NAME_SIZE];
    uint32_t num;

    (void)state;
    logger = find_logger("LIST");
    assert_int_equal(doca_logger_create_list(NULL, 0, NULL, &num), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_logger_create_list(NULL, 0, &list, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_logger_create_list(logger, 0, &list, &num), DOCA_ERROR_NOT_FOUND);
    assert_int_equal(doca_logger_create_list(other, 0, &list, &num), DOCA_ERROR_NOT_FOUND);
    assert_null(list);
    assert_int_equal(doca_logger_destroy_list(NULL), DOCA_ERROR_INVALID_VALUE);
    assert_null(doca_logger_find_by_name(NULL, "LIST"));
    assert_null(find_logger("LIS"));

    assert_int_equal(doca_logger_get_level(NULL, &level), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_logger_get_level(logger, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_logger_get_level(other, &level), DOCA_ERROR_NOT_FOUND);
    assert_int_equal(doca_logger_set_level(NULL, 30, 0), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_logger_set_level(logger, 35, 0), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_logger_set_level(logger, -1, 0), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_logger_set_level(other, 30, 0), DOCA_ERROR_NOT_FOUND);
    assert_int_equal(doca_logger_get_name(NULL, name), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_logger_get_name(logger, NULL), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(doca_logger_get_name(other, name), DOCA_ERROR_INVALID_VALUE);
    assert_int_equal(level, -1);

    unregister(id);
    assert_int_equal(doca_logger_get_level(logger, &level), DOCA_ERROR_NOT_FOUND);
    assert_int_equal(doca_logger_set_level(logger, 30, 0), DOCA_ERROR_NOT_FOUND);
}

static void levels_propagate_on_request(void **state)
{
    int ids[] = {register_source("LEVEL::A"), register_source("LEVEL::A.B"),
                 register_source("LEVEL::C"), -1};

    (void)state;
    assert_int_equal(level_of("LEVEL::A"), DOCA_LOG_LEVEL_TRACE);
    assert_int_equal(doca_logger_set_level(find_logger("LEVEL::A"), 40, 0), DOCA_SUCCESS);
    assert_int_equal(level_of("LEVEL::A"), 40);
    assert_int_equal(level_of("LEVEL::A.B"), DOCA_LOG_LEVEL_TRACE);
    assert_int_equal(doca_logger_set_level(find_logger("LEVEL::A"), 30, 1), DOCA_SUCCESS);
    assert_int_equal(level_of("LEVEL::A.B"), 30);
    assert_int_equal(level_of("LEVEL::C"), DOCA_LOG_LEVEL_TRACE);

    ids[3] = register_source("LEVEL::A.LATER");
    assert_int_equal(level_of("LEVEL::A.LATER"), 30);
    unregister(ids[0]);
    ids[0] = register_source("LEVEL::A");
    assert_int_equal(level_of("LEVEL::A"), 30);
    for (size_t i = 0; i < OD_ARRAY_SIZE(ids); i++)
        unregister(ids[i]);
}

/* ------------------------------------------------------------------------------------------------
 * Loggers and records
 */

static void set_level(const char *name, int level)
{
    struct doca_logger **list;
    uint32_t num;

    CHECK(doca_logger_create_list(NULL, 0, &list, &num) == DOCA_SUCCESS);
    CHECK(doca_logger_set_level(doca_logger_find_by_name(list, name), level, 0) == DOCA_SUCCESS);
    CHECK(doca_logger_destroy_list(list) == DOCA_SUCCESS);
}

static void filter_by_source(void)
{
    struct doca_log_backend *backend;
    int noisy, other;

    CHECK(doca_log_backend_create_standard() == DOCA_SUCCESS);
    CHECK(doca_log_backend_create_with_file_sdk(stdout, &backend) == DOCA_SUCCESS);
    CHECK(doca_log_register_source("NOISY", &noisy) == DOCA_SUCCESS);
    CHECK(doca_log_register_source("OTHER", &other) == DOCA_SUCCESS);
    set_level("NOISY", DOCA_LOG_LEVEL_ERROR);
    set_level("DOCA_PE", DOCA_LOG_LEVEL_WARNING);
    CHECK(doca_log(DOCA_LOG_LEVEL_INFO, noisy, "f", 1, "f", "noisy app") == DOCA_SUCCESS);
    CHECK(doca_log(DOCA_LOG_LEVEL_INFO, other, "f", 1, "f", "other app") == DOCA_SUCCESS);
    CORE_INFO(CORE_LOG_PE, "noisy sdk");
    CORE_WARN(CORE_LOG_PE, "grave sdk");
    CORE_INFO(CORE_LOG_CTX, "other sdk");
}

static void loggers_filter_their_records(void **state)
{
    const char *const env[] = {"DOCA_LOG_LEVEL", "info", NULL};
    const struct scenario_result *result = scenario_run("filter_by_source", NULL);

    (void)state;
    assert_int_equal(result->status, 0);
    assert_int_equal(scenario_count(result->out, "\n"), 3);
    assert_int_equal(scenario_count(result->out, "] other app\n"), 1);
    assert_int_equal(scenario_count(result->out, "] other sdk\n"), 1);
    assert_int_equal(scenario_count(result->out, "] grave sdk\n"), 1);

    /* The environment goes before what the program sets. */
    result = scenario_run("filter_by_source", env);
    assert_int_equal(result->status, 0);
    assert_int_equal(scenario_count(result->out, "\n"), 5);
}

static void *come_and_go(void *arg)
{
    for (int i = 0; i < 200; i++) {
        int id;

        CHECK(doca_log_register_source(arg, &id) == DOCA_SUCCESS);
        CHECK(doca_log(DOCA_LOG_LEVEL_INFO, id, "f", 1, "f", "x") == DOCA_SUCCESS);
        CHECK(doca_log_unregister_source(id) == DOCA_SUCCESS);
    }
    return NULL;
}

static void threads_share_the_tree(void **state)
{
    static char names[][16] = {"THREAD::A.X", "THREAD::A.X", "THREAD::A.Y"};
    pthread_t threads[OD_ARRAY_SIZE(names)];

    (void)state;
    for (size_t i = 0; i < OD_ARRAY_SIZE(names); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, names[i]), 0);
    for (int i = 0; i < 50; i++)
        assert_non_null(find_logger("DOCA_DMA"));
    for (size_t i = 0; i < OD_ARRAY_SIZE(names); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_null(find_logger("THREAD"));
}

int main(int argc, char **argv)
{
    static const struct scenario scenarios[] = {
        SCENARIO(use_up_ids),
        SCENARIO(filter_by_source),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_have_ids),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(ids_are_freed),
        cmocka_unit_test(the_sdk_has_a_source_for_each_family),
        cmocka_unit_test(names_make_a_tree),
        cmocka_unit_test(odd_separators_do_no_harm),
        cmocka_unit_test(lists_refuse_misuse),
        cmocka_unit_test(levels_propagate_on_request),
        cmocka_unit_test(loggers_filter_their_records),
        cmocka_unit_test(threads_share_the_tree),
    };

    scenario_main(argc, argv, scenarios, OD_ARRAY_SIZE(scenarios));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
