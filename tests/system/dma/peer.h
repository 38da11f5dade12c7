/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SYSTEM_DMA_PEER_H_
#define TESTS_SYSTEM_DMA_PEER_H_

/* The other process: an own program, started by fork and exec, that does what it is told over its
 * standard input, a socket. While it is told nothing it is blocked in read() and calls nothing.
 *
 * This side is the DPU unless OPENDOCA_ROLE says otherwise; the other's role is given at start. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PEER_SLOTS    16
#define PEER_MAX_DESC 1000 /* bytes; no export is longer */
#define PEER_PAGE     4096u

enum peer_op {
    PEER_EXPORT,  /* memory, map, export */
    PEER_FILL,    /* the range with the pattern of `seed` */
    PEER_CHECK,   /* value: bytes at the beginning of the range that are the pattern of `seed` */
    PEER_STOP,    /* the map */
    PEER_DESTROY, /* the map */
    PEER_RELEASE, /* gives the memory back, the map stays */
    PEER_PROTECT, /* takes the rights from the page at `offset` of the range */
    PEER_BUSY,    /* `len` threads that use CPU, memory and the allocator until the end */
    PEER_FETCH,   /* imports the descriptor, copies all of it; value as for PEER_CHECK */
    PEER_FETCH_FOREVER, /* the same without an end; says so after the first copy */
    PEER_PAUSE,         /* calls pause(); there is no answer */
    PEER_SYNC_EXPORT,   /* a sync event, as `mode` says */
    PEER_SYNC_IMPORT,   /* the descriptor, as `mode` says */
    PEER_SYNC_WRITE,    /* sets or adds `seed`; value: what was there, for an addition */
    PEER_SYNC_AWAIT,    /* waits for the value `seed` */
    PEER_SYNC_CLOSE,
    PEER_QUIT,
};

enum peer_kind {
    PEER_HEAP,  /* private memory */
    PEER_MEMFD, /* memory that can be shared */
};

enum peer_mode {
    PEER_SYNC_TASKS = 1,  /* as a context */
    PEER_SYNC_ATOMIC = 2, /* add, where else is set */
};

struct peer_command {
    enum peer_op op;
    uint32_t slot;
    enum peer_kind kind;
    uint32_t access; /* mask of the map */
    uint64_t len;
    uint64_t offset; /* of the range in its first page, or in the range */
    uint64_t seed;
    uint32_t mode;
    uint32_t desc_len;
    uint8_t desc[PEER_MAX_DESC];
};

struct peer_answer {
    int status; /* a doca_error_t */
    uint32_t desc_len;
    uint64_t addr;
    uint64_t value;
    uint8_t desc[PEER_MAX_DESC];
};

/* Byte i of the pattern of `seed`. */
static inline char peer_pattern(uint64_t seed, size_t i)
{
    return (char)(seed * 37 + i * 7 + i / 255);
}

static inline void peer_fill_pattern(char *memory, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++)
        memory[i] = peer_pattern(seed, i);
}

/* How many bytes at the beginning are the pattern. */
static inline size_t peer_match_pattern(const char *memory, size_t len, uint64_t seed)
{
    size_t i = 0;

    while (i < len && memory[i] == peer_pattern(seed, i))
        i++;
    return i;
}

struct peer {
    pid_t pid; /* of what was started; with `before` this may be another program's */
    int fd;
};

/* `before`: a command to put before the program, ended by NULL, or NULL. */
void peer_start(struct peer *peer, const char *role, const char *const *before);
/* Command and answer; fails the test when the other process does not answer. */
void peer_call(struct peer *peer, const struct peer_command *command, struct peer_answer *answer);
/* One way, for commands without an answer, and to go on here meanwhile. */
void peer_tell(struct peer *peer, const struct peer_command *command);
void peer_hear(struct peer *peer, struct peer_answer *answer);
/* Ends it and checks that it ends well. */
void peer_quit(struct peer *peer);
/* SIGKILL. */
void peer_kill(struct peer *peer);
/* Stopped by SIGSTOP when this returns. */
void peer_freeze(struct peer *peer);
void peer_thaw(struct peer *peer);

/* Memory of the other process that is exported. */
struct peer_memory {
    uint32_t slot;
    char *addr; /* in the other process */
    size_t len;
    uint32_t desc_len;
    uint8_t desc[PEER_MAX_DESC];
};

/* Exports `len` bytes that begin `offset` bytes behind a page boundary, filled with the pattern of
 * the slot's number. */
void peer_export(struct peer *peer, uint32_t slot, enum peer_kind kind, size_t len, size_t offset,
                 uint32_t access, struct peer_memory *memory);
/* Simple commands on a slot; they must succeed. */
void peer_do(struct peer *peer, enum peer_op op, uint32_t slot);
void peer_fill(struct peer *peer, uint32_t slot, uint64_t seed);
size_t peer_check(struct peer *peer, uint32_t slot, uint64_t seed);

#endif /* TESTS_SYSTEM_DMA_PEER_H_ */
