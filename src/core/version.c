/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_version.h>
#include <opendoca.h>

const char *doca_version_runtime(void)
{
    return DOCA_VERSION_STRING;
}

const char *opendoca_version(void)
{
    return OD_PRODUCT_VERSION;
}
