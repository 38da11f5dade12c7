/* SPDX-License-Identifier: BSD-3-Clause */
#include "soft/service/alarm.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "soft/service/service.h"

struct soft_alarm {
    struct soft_service_timer timer;
    struct od_waker *waker;
    pid_t pid; /* that it belongs to: a forked child has no thread to wake it */
};

static void nothing(void)
{
}

static struct soft_service_room room = {.at_exit = nothing, .in_child = nothing};

static void expired(struct soft_service_timer *timer)
{
    od_waker_wake(OD_CONTAINER_OF(timer, struct soft_alarm, timer)->waker);
}

int soft_alarm_open(struct od_waker *waker, struct soft_alarm **alarm)
{
    struct soft_alarm *opened = calloc(1, sizeof(*opened));
    int err;

    if (opened == NULL)
        return soft_fail(-ENOMEM, "no memory for an alarm");
    soft_service_lock();
    err = soft_service_start(&room);
    opened->pid = getpid();
    soft_service_unlock();
    if (err != 0) {
        free(opened);
        return err;
    }
    opened->waker = waker;
    *alarm = opened;
    return 0;
}

void soft_alarm_close(struct soft_alarm *alarm)
{
    if (alarm == NULL)
        return;
    soft_service_lock();
    if (alarm->pid == getpid())
        soft_service_timer_cancel(&alarm->timer);
    soft_service_unlock();
    free(alarm);
}

void soft_alarm_set(struct soft_alarm *alarm, uint64_t delay_ms)
{
    soft_service_lock();
    if (alarm->pid == getpid())
        soft_service_timer_set(&alarm->timer, delay_ms, expired);
    soft_service_unlock();
}
