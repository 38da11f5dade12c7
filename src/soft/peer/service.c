/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

static void at_exit(void)
{
    soft_peer_abroad_stop();
    soft_peer_lanes_stop();
    soft_service_lock();
    soft_peer_server_stop(true);
    soft_service_unlock();
}

static void in_child(void)
{
    soft_peer_abroad_forget();
    soft_peer_lanes_forget();
    soft_peer_server_stop(false);
    soft_peer_exports_forget();
    soft_peer_conns_forget();
}

static struct soft_service_room room = {.at_exit = at_exit, .in_child = in_child};

int soft_peer_service_start(void)
{
    return soft_service_start(&room);
}
