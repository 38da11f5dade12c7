/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_UTIL_LOCK_H_
#define OD_UTIL_LOCK_H_

/* Takes the exclusive flock() of an open file or folder; who holds it may be stopped, so the wait
 * is `ms` at most. 0, -EWOULDBLOCK or another negative errno. */
int od_lock_file(int fd, unsigned int ms);

#endif /* OD_UTIL_LOCK_H_ */
