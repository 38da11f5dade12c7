/* SPDX-License-Identifier: BSD-3-Clause */
#include "cooperative_groups.h"
