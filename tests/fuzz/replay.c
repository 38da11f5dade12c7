/* SPDX-License-Identifier: BSD-3-Clause */

/* Runs a fuzz target as a unit test: one case for each file of the corpus, and one for no input.
 *
 * usage: replay-<name> CORPUS_FOLDER */

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define INPUT_SIZE_LIMIT (4 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

/* The input lies in a block of exactly its size, so that a checker sees each byte read beyond. */
static void replay_file(void **state)
{
    FILE *file = fopen(*state, "rb");
    uint8_t *all = malloc(INPUT_SIZE_LIMIT);
    uint8_t *input;
    size_t size;

    assert_non_null(file);
    assert_non_null(all);
    size = fread(all, 1, INPUT_SIZE_LIMIT, file);
    fclose(file);
    input = malloc(size == 0 ? 1 : size);
    assert_non_null(input);
    memcpy(input, all, size);
    free(all);
    assert_int_equal(LLVMFuzzerTestOneInput(input, size), 0);
    free(input);
}

static void no_input(void **state)
{
    uint8_t *nothing = malloc(1);

    (void)state;
    assert_non_null(nothing);
    assert_int_equal(LLVMFuzzerTestOneInput(nothing, 0), 0);
    free(nothing);
}

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static char *join(const char *folder, const char *name)
{
    char *path = NULL;

    if (asprintf(&path, "%s/%s", folder, name) < 0)
        abort();
    return path;
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    struct CMUnitTest *cases;
    char *target = argv[0];
    int num, failed;

    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", target);
        return 2;
    }
    if (LLVMFuzzerInitialize != NULL)
        LLVMFuzzerInitialize(&argc, &argv);
    num = scandir(argv[1], &entries, is_input, alphasort);
    if (num <= 0) {
        fprintf(stderr, "%s: no corpus in %s\n", target, argv[1]);
        return 1;
    }
    cases = calloc((size_t)num + 1, sizeof(*cases));
    if (cases == NULL)
        abort();
    cases[0].name = "no input";
    cases[0].test_func = no_input;
    for (int i = 0; i < num; i++) {
        cases[i + 1].name = entries[i]->d_name;
        cases[i + 1].test_func = replay_file;
        cases[i + 1].initial_state = join(argv[1], entries[i]->d_name);
    }
    failed = _cmocka_run_group_tests(target, cases, (size_t)num + 1, NULL, NULL);
    for (int i = 0; i < num; i++) {
        free(cases[i + 1].initial_state);
        free(entries[i]);
    }
    free(entries);
    free(cases);
    return failed == 0 ? 0 : 1;
}
