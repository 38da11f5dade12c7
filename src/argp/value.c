/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp_priv.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/parse.h"

#define INT_EXPECTED    "a decimal integer from -2147483648 to 2147483647"
#define DOUBLE_EXPECTED "a decimal number such as 2.5 or 1e-3"

doca_error_t argp_value_from_int(struct argp *argp, const struct doca_argp_param *param,
                                 const char *label, int64_t number)
{
    int value = (int)number;

    if (number < INT32_MIN || number > INT32_MAX)
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label, INT_EXPECTED, "%lld",
                         (long long)number);
    return argp_param_call(argp, param, label, &value);
}

static doca_error_t int_value(struct argp *argp, const struct doca_argp_param *param,
                              const char *label, const char *text)
{
    int64_t number;

    if (od_parse_i64(text, &number) != 0)
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label, INT_EXPECTED, "\"%s\"", text);
    return argp_value_from_int(argp, param, label, number);
}

/* strtod() alone would take the program's locale, hexadecimal, "nan" and leading blanks. */
static bool parse_double(const char *text, double *value)
{
    locale_t c_locale;
    char *end;

    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return false;
    *value = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    return *end == '\0' && isfinite(*value);
}

static doca_error_t double_value(struct argp *argp, const struct doca_argp_param *param,
                                 const char *label, const char *text)
{
    double value;

    if (!parse_double(text, &value))
        return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, label, DOUBLE_EXPECTED, "\"%s\"", text);
    return argp_param_call(argp, param, label, &value);
}

doca_error_t argp_value_from_text(struct argp *argp, const struct doca_argp_param *param,
                                  const char *label, char *text)
{
    switch (param->type) {
    case DOCA_ARGP_TYPE_INT:
        return int_value(argp, param, label, text);
    case DOCA_ARGP_TYPE_DOUBLE:
        return double_value(argp, param, label, text);
    case DOCA_ARGP_TYPE_DEVICE:
    case DOCA_ARGP_TYPE_DEVICE_REP:
        return argp_device_value(argp, param, label, text);
    default:
        return argp_param_call(argp, param, label, text);
    }
}
