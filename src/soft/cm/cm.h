/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OD_SOFT_CM_CM_H_
#define OD_SOFT_CM_CM_H_

/* How two programs that know an IP address and a port find each other: one question, one answer.
 *
 * A caller connects over TCP and sends bytes; the listener's owner answers with bytes, or refuses.
 * What they do with them, a link for example, is theirs. Question and answer are carried by the
 * background thread, so neither side depends on the other one's polling.
 *
 * Threads: a listener, a request and a call belong to one thread at a time. After a fork they are
 * the parent's: in the child only ending them is of use. */

#include "soft/soft.h"
#include "util/waker.h"

#define SOFT_CM_DATA_MAX  1024 /* bytes of a question or an answer */
#define SOFT_CM_HOST_SIZE 64   /* text of an IP address, NUL included */

struct soft_cm_listener;
struct soft_cm_request;
struct soft_cm_call;

/* Listens at all addresses of this machine. The waker (may be NULL) is woken when soft_cm_next()
 * would find something. -EADDRINUSE, -EACCES and the like with a reason. */
SOFT_API int soft_cm_listen(uint16_t port, struct od_waker *waker,
                            struct soft_cm_listener **listener);
/* Requests that were not handed out are refused. NULL is fine. */
SOFT_API void soft_cm_unlisten(struct soft_cm_listener *listener);
/* The next request that waits, or NULL. It is the caller's: answer or drop it. */
SOFT_API struct soft_cm_request *soft_cm_next(struct soft_cm_listener *listener);
SOFT_API bool soft_cm_listener_pending(const struct soft_cm_listener *listener);

/* What was asked. Valid as long as the request. */
SOFT_API const void *soft_cm_request_data(const struct soft_cm_request *request, size_t *len);

struct soft_cm_ends {
    char here[SOFT_CM_HOST_SIZE];  /* our address, as the caller reaches it */
    char there[SOFT_CM_HOST_SIZE]; /* the caller's */
    uint16_t there_port;
};
SOFT_API void soft_cm_request_ends(const struct soft_cm_request *request,
                                   struct soft_cm_ends *ends);

/* Answers and frees the request, whatever the result: -ECONNRESET, the caller has gone, -EMSGSIZE.
 */
SOFT_API int soft_cm_answer(struct soft_cm_request *request, const void *data, size_t len);
/* Refuses and frees it. NULL is fine. */
SOFT_API void soft_cm_refuse(struct soft_cm_request *request);

enum soft_cm_state {
    SOFT_CM_CALLING,
    SOFT_CM_ANSWERED,
    SOFT_CM_FAILED,
};

/* Begins to call; never blocks. `host` is the text of an IPv4 or IPv6 address. The waker is woken
 * when the state changes. -EINVAL, -EMSGSIZE, -EMFILE and the like with a reason: not even begun.
 */
SOFT_API int soft_cm_call(const char *host, uint16_t port, uint32_t timeout_ms, const void *data,
                          size_t len, struct od_waker *waker, struct soft_cm_call **call);
/* `reason` of FAILED: -ECONNREFUSED (nobody listens), -EACCES (refused), -ETIMEDOUT, -ECONNRESET,
 * -EPROTO (no listener of ours), -ENETUNREACH and the like. */
SOFT_API enum soft_cm_state soft_cm_poll(const struct soft_cm_call *call, int *reason);
/* The answer; valid as long as the call. */
SOFT_API const void *soft_cm_call_answer(const struct soft_cm_call *call, size_t *len);
/* NULL is fine. */
SOFT_API void soft_cm_hang_up(struct soft_cm_call *call);

#endif /* OD_SOFT_CM_CM_H_ */
