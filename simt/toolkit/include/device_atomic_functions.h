/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda_runtime.h"
