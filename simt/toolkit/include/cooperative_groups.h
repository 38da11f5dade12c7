/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cooperative groups: the block, tiles of a warp, the lanes that are together. Groups over the
 * whole grid or a cluster are not there.
 */
#ifndef SIMT_COOPERATIVE_GROUPS_H
#define SIMT_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#ifdef __CUDACC__
namespace cooperative_groups
{
class thread_block
{
  public:
    static unsigned thread_rank()
    {
        return simt_linear_thread();
    }
    static unsigned size()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static unsigned num_threads()
    {
        return size();
    }
    static dim3 thread_index()
    {
        return threadIdx;
    }
    static dim3 group_index()
    {
        return blockIdx;
    }
    static dim3 dim_threads()
    {
        return blockDim;
    }
    static dim3 group_dim()
    {
        return blockDim;
    }
    static void sync(SIMT_PLACE)
    {
        __syncthreads(SIMT_HERE);
    }
};

inline thread_block this_thread_block()
{
    return thread_block();
}

/* Lanes of one warp; `mask` names them. */
class lane_group
{
  protected:
    unsigned mask;

    explicit lane_group(unsigned m) : mask(m)
    {
    }

    /* The lane that has the given rank in the group. */
    int lane_of(unsigned rank) const
    {
        unsigned rest = mask;

        while (rank-- && rest)
            rest &= rest - 1;
        return rest ? __builtin_ctz(rest) : (int)(simt_linear_thread() % 32);
    }

    /* A ballot of the warp, with a bit for each rank. */
    unsigned by_rank(unsigned lanes) const
    {
        unsigned made = 0;
        int rank = 0;

        for (unsigned rest = mask; rest; rest &= rest - 1, rank++)
            made |= (lanes >> __builtin_ctz(rest) & 1) << rank;
        return made;
    }

  public:
    unsigned thread_rank() const
    {
        return (unsigned)__popc(mask & ((1u << simt_linear_thread() % 32) - 1));
    }
    unsigned size() const
    {
        return (unsigned)__popc(mask);
    }
    unsigned num_threads() const
    {
        return size();
    }
    void sync(SIMT_PLACE) const
    {
        __syncwarp(mask, SIMT_HERE);
    }
    int any(int predicate, SIMT_PLACE) const
    {
        return __any_sync(mask, predicate, SIMT_HERE);
    }
    int all(int predicate, SIMT_PLACE) const
    {
        return __all_sync(mask, predicate, SIMT_HERE);
    }
    unsigned ballot(int predicate, SIMT_PLACE) const
    {
        return by_rank(__ballot_sync(mask, predicate, SIMT_HERE));
    }
    template <class T> unsigned match_any(T value, SIMT_PLACE) const
    {
        return by_rank(__match_any_sync(mask, value, SIMT_HERE));
    }
    template <class T> unsigned match_all(T value, int &predicate, SIMT_PLACE) const
    {
        return by_rank(__match_all_sync(mask, value, &predicate, SIMT_HERE));
    }
    template <class T> T shfl(T value, unsigned rank, SIMT_PLACE) const
    {
        return __shfl_sync(mask, value, lane_of(rank % size()), 32, SIMT_HERE);
    }
    template <class T> T shfl_up(T value, unsigned delta, SIMT_PLACE) const
    {
        unsigned rank = thread_rank();
        return __shfl_sync(mask, value, lane_of(rank < delta ? rank : rank - delta), 32, SIMT_HERE);
    }
    template <class T> T shfl_down(T value, unsigned delta, SIMT_PLACE) const
    {
        unsigned rank = thread_rank();
        return __shfl_sync(mask, value, lane_of(rank + delta >= size() ? rank : rank + delta), 32,
                           SIMT_HERE);
    }
    template <class T> T shfl_xor(T value, unsigned lanes, SIMT_PLACE) const
    {
        unsigned rank = thread_rank() ^ lanes;
        return __shfl_sync(mask, value, lane_of(rank < size() ? rank : thread_rank()), 32,
                           SIMT_HERE);
    }
};

template <unsigned Size, class Parent = void> class thread_block_tile : public lane_group
{
    static_assert(Size && Size <= 32 && !(Size & (Size - 1)), "1, 2, 4, 8, 16 or 32 threads");

    static unsigned mask_here()
    {
        unsigned lanes = Size == 32 ? ~0u : (1u << Size % 32) - 1;
        return lanes << (simt_linear_thread() % 32 & ~(Size - 1));
    }

  public:
    thread_block_tile() : lane_group(mask_here())
    {
    }
    static constexpr unsigned size()
    {
        return Size;
    }
    static constexpr unsigned num_threads()
    {
        return Size;
    }
    static unsigned thread_rank()
    {
        return simt_linear_thread() % Size;
    }
    static unsigned meta_group_rank()
    {
        return simt_linear_thread() / Size;
    }
    static unsigned meta_group_size()
    {
        return (thread_block::size() + Size - 1) / Size;
    }
};

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

class coalesced_group : public lane_group
{
  public:
    explicit coalesced_group(unsigned m) : lane_group(m)
    {
    }
};

inline coalesced_group coalesced_threads(SIMT_PLACE)
{
    return coalesced_group(__activemask(SIMT_HERE));
}

template <class Group> inline void sync(const Group &group, SIMT_PLACE)
{
    group.sync(SIMT_HERE);
}

template <class T> struct plus {
    T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <class T> struct less {
    T operator()(T a, T b) const
    {
        return b < a ? b : a;
    }
};
template <class T> struct greater {
    T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};

template <class Group, class T, class F> inline T reduce(const Group &group, T value, F f)
{
    T result = group.shfl(value, 0);

    for (unsigned rank = 1; rank < group.size(); rank++)
        result = f(result, group.shfl(value, rank));
    return result;
}

/* Copies by all threads of the group, in shares; done when the call returns and all have met. */
template <class Group>
inline void copy_share(const Group &group, void *to, const void *from, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes; i += group.size())
        ((char *)to)[i] = ((const char *)from)[i];
}
template <class Group, class T>
inline void memcpy_async(const Group &group, T *to, const void *from, size_t bytes)
{
    copy_share(group, to, from, bytes);
}
template <class Group, class T>
inline void memcpy_async(const Group &group, T *to, size_t to_count, const T *from,
                         size_t from_count)
{
    copy_share(group, to, from, sizeof(T) * (to_count < from_count ? to_count : from_count));
}
template <class Group> inline void wait(const Group &group, SIMT_PLACE)
{
    group.sync(SIMT_HERE);
}
template <unsigned Stages, class Group> inline void wait_prior(const Group &group, SIMT_PLACE)
{
    group.sync(SIMT_HERE);
}
} // namespace cooperative_groups
#endif

#endif
