/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/device/device_priv.h"

/* One card: the addresses are those that the published programs take when they are given none. Read
 * by the parser as any file is, so that every other value has one default. */
static const char builtin[] =
    "{\n"
    "  \"bf_mode\": \"dpu\",\n"
    "  \"devices\": [\n"
    "    {\"role\": \"dpu\", \"pci\": \"0000:03:00.0\", \"representors\": [\"0000:b1:00.0\"]},\n"
    "    {\"role\": \"host\", \"pci\": \"0000:b1:00.0\"}\n"
    "  ]\n"
    "}\n";

const char *soft_device_builtin(void)
{
    return builtin;
}
