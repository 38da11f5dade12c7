/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a fault list: either rules that can be applied, or an error with a reason. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soft/copy/error/faults.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rule(const struct soft_fault_rule *rule)
{
    if (rule->when.first == 0 || rule->when.last < rule->when.first || rule->when.every == 0 ||
        rule->when.percent > 100 || (rule->kind == SOFT_FAULT_FAIL) != (rule->status < 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct soft_fault_list list = {.n = SOFT_FAULT_RULES + 1};
    char *text = malloc(size + 1);
    int err;

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    err = soft_faults_parse(text, &list);
    if (err != 0 && (list.n != SOFT_FAULT_RULES + 1 || strncmp(soft_reason(), "fault list:", 11)))
        abort();
    if (err == 0 && list.n > SOFT_FAULT_RULES)
        abort();
    for (uint32_t i = 0; err == 0 && i < list.n; i++)
        check_rule(&list.rules[i]);
    free(text);
    return 0;
}
