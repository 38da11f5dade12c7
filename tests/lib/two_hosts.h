/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LIB_TWO_HOSTS_H_
#define TESTS_LIB_TWO_HOSTS_H_

/* Two hosts on one machine: two network namespaces with a cable between them. Needs root and
 * iproute2. Programs get there through ip, which also shows the namespace's devices in /sys, where
 * UCX looks for them. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/seconds.h"

#define TWO_HOSTS_HERE  "10.99.7.1"
#define TWO_HOSTS_THERE "10.99.7.2"
#define TWO_HOSTS_SKIP  77 /* what Meson takes for skipped */
#define TWO_HOSTS_WAIT  30 /* s */

struct two_hosts {
    char here[32], there[32];               /* names of the namespaces */
    char here_device[16], there_device[16]; /* the cable's ends */
};

/* The exit status; -1: none. */
static inline int two_hosts_run(const char *format, ...)
{
    char command[256], *args[32], *at = command;
    unsigned int n = 0;
    va_list ap;
    int status;
    pid_t pid;

    va_start(ap, format);
    vsnprintf(command, sizeof(command), format, ap);
    va_end(ap);
    while (n < 31 && (args[n] = strsep(&at, " ")) != NULL)
        n++;
    args[n] = NULL;
    pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);

        dup2(null, 2);
        execvp(args[0], args);
        _exit(127);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void two_hosts_remove(const struct two_hosts *hosts)
{
    two_hosts_run("ip netns del %s", hosts->here);
    two_hosts_run("ip netns del %s", hosts->there);
}

/* Namespaces od-<what>-<number> of processes that were killed, or of an earlier one with this one's
 * number. */
static inline void two_hosts_sweep(void)
{
    DIR *names = opendir("/run/netns");

    for (struct dirent *entry; names != NULL && (entry = readdir(names)) != NULL;) {
        const char *number = strrchr(entry->d_name, '-');
        int owner = number != NULL ? atoi(number + 1) : 0;

        if (strncmp(entry->d_name, "od-", 3) == 0 && owner > 0 &&
            (owner == getpid() || (kill(owner, 0) != 0 && errno == ESRCH)))
            two_hosts_run("ip netns del %s", entry->d_name);
    }
    if (names != NULL)
        closedir(names);
}

static inline bool two_hosts_set_up(const char *host, const char *device, const char *addr)
{
    return two_hosts_run("ip -n %s addr add %s/24 dev %s", host, addr, device) == 0 &&
           two_hosts_run("ip -n %s link set %s up", host, device) == 0 &&
           two_hosts_run("ip -n %s link set lo up", host) == 0;
}

/* A device that has just been set up is not yet ready, and UCX looks once. */
static inline bool two_hosts_wait(const char *host, const char *device)
{
    time_t deadline = whole_seconds_now() + TWO_HOSTS_WAIT;

    while (two_hosts_run("ip netns exec %s grep -q up /sys/class/net/%s/operstate", host, device) !=
           0)
        if (whole_seconds_now() > deadline)
            return false;
    return true;
}

/* False, with a line that says why: they cannot be made here. */
static inline bool two_hosts_make(struct two_hosts *hosts)
{
    int id = getpid() % 100000;

    two_hosts_sweep();
    snprintf(hosts->here, sizeof(hosts->here), "od-here-%d", getpid());
    snprintf(hosts->there, sizeof(hosts->there), "od-there-%d", getpid());
    snprintf(hosts->here_device, sizeof(hosts->here_device), "odh%d", id);
    snprintf(hosts->there_device, sizeof(hosts->there_device), "odt%d", id);
    if (two_hosts_run("ip netns add %s", hosts->here) == 0 &&
        two_hosts_run("ip netns add %s", hosts->there) == 0 &&
        two_hosts_run("ip link add %s netns %s type veth peer name %s netns %s", hosts->here_device,
                      hosts->here, hosts->there_device, hosts->there) == 0 &&
        two_hosts_set_up(hosts->here, hosts->here_device, TWO_HOSTS_HERE) &&
        two_hosts_set_up(hosts->there, hosts->there_device, TWO_HOSTS_THERE) &&
        two_hosts_wait(hosts->here, hosts->here_device) &&
        two_hosts_wait(hosts->there, hosts->there_device))
        return true;
    two_hosts_remove(hosts);
    printf("skipped: cannot make network namespaces (root and iproute2 are needed)\n");
    return false;
}

/* Pulls the cable, from here: no packet says so. */
static inline bool two_hosts_cut(const char *host, const char *device)
{
    return two_hosts_run("ip -n %s link set %s down", host, device) == 0;
}

/* For main(): runs this program once more, on the host here, with the other one's name and both
 * devices in its environment; the exit status. */
static inline int two_hosts_main(char **argv)
{
    struct two_hosts hosts;
    int status = -1;
    pid_t pid;

    if (!two_hosts_make(&hosts))
        return TWO_HOSTS_SKIP;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setenv("OD_HERE", hosts.here, 1);
        setenv("OD_THERE", hosts.there, 1);
        setenv("OD_HERE_DEVICE", hosts.here_device, 1);
        execlp("ip", "ip", "netns", "exec", hosts.here, argv[0], (char *)NULL);
        _exit(126);
    }
    if (pid > 0)
        waitpid(pid, &status, 0);
    two_hosts_remove(&hosts);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

#endif /* TESTS_LIB_TWO_HOSTS_H_ */
