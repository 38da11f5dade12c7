/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/peer/peer_priv.h"

static void (*_Atomic on_refusal)(const char *who, const char *why, const char *remedy);

void soft_peer_on_refusal(void (*refused)(const char *who, const char *why, const char *remedy))
{
    atomic_store(&on_refusal, refused);
}

void soft_peer_refused(const char *who, const char *why, const char *remedy)
{
    void (*refused)(const char *, const char *, const char *) = atomic_load(&on_refusal);

    if (refused != NULL)
        refused(who, why, remedy);
}

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
