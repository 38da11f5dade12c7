/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "urom/wire/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever is taken has texts with an end and lengths within their fields. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct urom_answer answer;
    struct urom_hello hello;

    if (urom_hello_decode(data, size, &hello) == 0 &&
        (strnlen(hello.card, sizeof(hello.card)) == sizeof(hello.card) ||
         hello.secret_len > sizeof(hello.secret)))
        abort();
    if (urom_answer_decode(data, size, &answer) == 0 &&
        strnlen(answer.text, sizeof(answer.text)) == sizeof(answer.text))
        abort();
    return 0;
}
