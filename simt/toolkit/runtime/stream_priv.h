/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams and events, as stream.c and the driver API see them. */
#ifndef SIMT_STREAM_PRIV_H
#define SIMT_STREAM_PRIV_H

#include "rt.h"

struct CUstream_st {
    bool blocking; /* waits for, and is waited for by, the legacy default stream */
    bool destroyed;
    unsigned flags;
    int priority;
    struct op *first, *last;
    CUstream_st *next;
};

struct CUevent_st {
    unsigned flags;
    struct op *op; /* of the last record */
};

CUstream_st *stream_find(cudaStream_t stream);                /* locked; NULL if there is none */
cudaError_t stream_new(CUstream_st **stream, unsigned flags); /* locked */

#endif
