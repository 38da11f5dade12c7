/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SERVICE_ALARM_H_
#define OD_SOFT_SERVICE_ALARM_H_

/* Wakes a sleeper at a time, for owners whose wait must end even when nothing happens. */

#include "soft/soft.h"
#include "util/waker.h"

struct soft_alarm;

/* The waker lives longer than the alarm. Negative errno with a reason. */
SOFT_API int soft_alarm_open(struct od_waker *waker, struct soft_alarm **alarm);
/* Not woken by it any more when this returns. NULL is fine. */
SOFT_API void soft_alarm_close(struct soft_alarm *alarm);
/* Replaces an earlier time. In a forked child nothing wakes. */
SOFT_API void soft_alarm_set(struct soft_alarm *alarm, uint64_t delay_ms);

#endif /* OD_SOFT_SERVICE_ALARM_H_ */
