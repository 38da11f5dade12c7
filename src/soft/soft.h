/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_SOFT_H_
#define OD_SOFT_SOFT_H_

/* What the rooms of soft/ share: the error convention.
 *
 * Functions return 0 or a negative errno. A failure also leaves a reason: one line of text, per
 * thread, that says what was wrong and what to do, without the name of the public call. The layer
 * above adds that name, turns the number into its own code and logs once. */

#include "util/base.h"

#define SOFT_API __attribute__((visibility("default")))

#define SOFT_REASON_SIZE 512

/* Records the reason of a failure and returns `err` (a negative errno) unchanged. */
SOFT_API int soft_fail(int err, const char *fmt, ...) OD_PRINTF(2, 3);

/* The last reason of this thread; "" when there is none. Valid until this thread's next failure. */
SOFT_API const char *soft_reason(void);

/* What happens without a call that could fail for it: one line, what and what to do, to whoever
 * listens. Any thread; it may be written somewhere, so not from hot paths. */
SOFT_API void soft_tell(const char *fmt, ...) OD_PRINTF(1, 2);

/* From here on `listener` gets these lines, in the thread where each happens; NULL: nobody does. */
SOFT_API void soft_tell_to(void (*listener)(const char *line));

#endif /* OD_SOFT_SOFT_H_ */
