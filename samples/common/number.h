/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SAMPLES_COMMON_NUMBER_H_
#define SAMPLES_COMMON_NUMBER_H_

/* Numbers on the command line. */

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* False: `text` is something else, or out of bounds; *number stays as it is. */
static inline bool number_parse(const char *text, unsigned long min, unsigned long max,
                                unsigned long *number)
{
    unsigned long value;
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    value = strtoul(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < min || value > max)
        return false;
    *number = value;
    return true;
}

#endif /* SAMPLES_COMMON_NUMBER_H_ */
