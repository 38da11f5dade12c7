/* SPDX-License-Identifier: BSD-3-Clause */
/* Includes every header that the C++ part includes, too: nothing may be defined twice. */
#include "part.h"

#include <string.h>

#include <doca_argp.h>
#include <doca_bitfield.h>
#include <doca_buf_array.h>
#include <doca_buf_pool.h>
#include <doca_clock.h>
#include <doca_dma.h>
#include <doca_graph.h>
#include <doca_log.h>
#include <doca_mmap_advise.h>
#include <doca_rdma_bridge.h>
#include <doca_sync_event.h>
#include <doca_uar.h>
#include <doca_umem.h>
#include <doca_version.h>

DOCA_LOG_REGISTER(MIXED::C);

int part_check(void)
{
    DOCA_LOG_INFO("C part, version %s", doca_version());
    return strcmp(doca_version(), doca_version_runtime()) == 0;
}
