/* SPDX-License-Identifier: BSD-3-Clause */
#include "rules.c"
