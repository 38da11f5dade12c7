/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/plugin/coll/dpu/reduce.h"

#include "soft/copy/copy.h"

/* Loops over whole vectors gain from wide instructions, which -O2 of GCC does not choose here. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

typedef void (*kernel_t)(void *into, const void *from, size_t count);

/* One loop a type and reduction: `expression` of x and y. */
#define KERNEL(name, type, expression)                                                             \
    SOFT_COPY_RAW static void name(void *into, const void *from, size_t count)                     \
    {                                                                                              \
        type *restrict a = into;                                                                   \
        const type *restrict b = from;                                                             \
                                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            const type x = a[i], y = b[i];                                                         \
                                                                                                   \
            a[i] = (type)(expression);                                                             \
        }                                                                                          \
    }

/* Signed and unsigned numbers add, multiply and combine alike; narrow products are computed wide,
 * since they would otherwise overflow an int. */
#define BITS(width)                                                                                \
    KERNEL(sum_##width, uint##width##_t, x + y)                                                    \
    KERNEL(prod_##width, uint##width##_t, (uint64_t)x *(uint64_t)y)                                \
    KERNEL(and_##width, uint##width##_t, x &y)                                                     \
    KERNEL(or_##width, uint##width##_t, x | y)                                                     \
    KERNEL(xor_##width, uint##width##_t, x ^ y)                                                    \
    KERNEL(min_u##width, uint##width##_t, y < x ? y : x)                                           \
    KERNEL(max_u##width, uint##width##_t, y > x ? y : x)                                           \
    KERNEL(min_i##width, int##width##_t, y < x ? y : x)                                            \
    KERNEL(max_i##width, int##width##_t, y > x ? y : x)

#define REAL(name, type)                                                                           \
    KERNEL(sum_##name, type, x + y)                                                                \
    KERNEL(prod_##name, type, x *y)                                                                \
    KERNEL(min_##name, type, y < x ? y : x)                                                        \
    KERNEL(max_##name, type, y > x ? y : x)

BITS(8)
BITS(16)
BITS(32)
BITS(64)
REAL(f32, float)
REAL(f64, double)

#define WHOLE_ROW(sign, width)                                                                     \
    {                                                                                              \
        [COLL_SUM] = sum_##width, [COLL_PROD] = prod_##width, [COLL_MIN] = min_##sign##width,      \
        [COLL_MAX] = max_##sign##width, [COLL_AND] = and_##width, [COLL_OR] = or_##width,          \
        [COLL_XOR] = xor_##width,                                                                  \
    }

#define REAL_ROW(name)                                                                             \
    {                                                                                              \
        [COLL_SUM] = sum_##name, [COLL_PROD] = prod_##name, [COLL_MIN] = min_##name,               \
        [COLL_MAX] = max_##name,                                                                   \
    }

static const kernel_t kernels[COLL_DTYPES][COLL_REDUCTIONS] = {
    [COLL_I8] = WHOLE_ROW(i, 8),   [COLL_U8] = WHOLE_ROW(u, 8),   [COLL_I16] = WHOLE_ROW(i, 16),
    [COLL_U16] = WHOLE_ROW(u, 16), [COLL_I32] = WHOLE_ROW(i, 32), [COLL_U32] = WHOLE_ROW(u, 32),
    [COLL_I64] = WHOLE_ROW(i, 64), [COLL_U64] = WHOLE_ROW(u, 64), [COLL_F32] = REAL_ROW(f32),
    [COLL_F64] = REAL_ROW(f64),
};

struct work {
    kernel_t kernel;
    void *into;
    const void *from;
    size_t count;
};

SOFT_COPY_RAW static void run(void *arg)
{
    const struct work *work = arg;

    work->kernel(work->into, work->from, work->count);
}

int coll_reduce(uint32_t dtype, uint32_t reduction, void *into, const void *from, size_t count)
{
    struct work work = {kernels[dtype][reduction], into, from, count};

    return soft_copy_guarded(run, &work, into, from, count * coll_dtype_size(dtype));
}
