/* SPDX-License-Identifier: BSD-3-Clause */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "soft/link/tcp/tcp_priv.h"

/* BBR paces: it starts a timer for each piece of a stream, which is dear in virtual machines. Links
 * are for hosts near to each other, where nothing needs to be paced, so where the system's is BBR
 * they ask for CUBIC, then for Reno, which all kernels have. */

#define ENV "OPENDOCA_TCP_CONGESTION"

static bool choose(int sock, const char *name)
{
    return setsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0;
}

static bool paces(int sock)
{
    char name[32] = "";
    socklen_t len = sizeof(name) - 1;

    return getsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, name, &len) == 0 &&
           strncmp(name, "bbr", 3) == 0;
}

void soft_tcp_choose_congestion(int sock)
{
    const char *wanted = secure_getenv(ENV);

    if (wanted != NULL && wanted[0] != '\0')
        choose(sock, wanted); /* "system", and what is not there, is the system's */
    else if (paces(sock) && !choose(sock, "cubic"))
        choose(sock, "reno");
}
