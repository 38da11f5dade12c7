/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXTERNAL_ETH_GENERATIONS_RULES_H_
#define EXTERNAL_ETH_GENERATIONS_RULES_H_

#include <doca_flow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Entries of one pipe each, added as four releases have it. */
enum { BY_NINE, BY_TEN, BY_PRIORITY_FIRST, BY_TODAY, FORMS };

struct rules {
    struct doca_flow_pipe *basic;   /* open: destination port of UDP */
    struct doca_flow_pipe *control; /* root */
    struct doca_flow_pipe_entry *entries[FORMS];
};

/* The control pipe leads UDP on to the basic one and drops the rest; that one forwards to `fwd`
 * what goes to ports 1 and 2. */
doca_error_t add_rules(struct rules *rules, const struct doca_flow_fwd *fwd);

#ifdef __cplusplus
}
#endif

#endif /* EXTERNAL_ETH_GENERATIONS_RULES_H_ */
