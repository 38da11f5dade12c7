/* SPDX-License-Identifier: BSD-3-Clause */
/* A program in C++ with a part in C: copies one vector into another. */

#include <memory>
#include <vector>

#include <doca_argp.h>
#include <doca_bitfield.h>
#include <doca_buf.h>
#include <doca_buf_array.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_clock.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_graph.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_mmap_advise.h>
#include <doca_pe.h>
#include <doca_rdma_bridge.h>
#include <doca_sync_event.h>
#include <doca_uar.h>
#include <doca_umem.h>
#include <doca_version.h>

#include "../common/kit.h"
#include "part.h"

DOCA_LOG_REGISTER(MIXED::CXX);

namespace {

struct Failure {
    doca_error_t code;
};

void check(doca_error_t result)
{
    if (result != DOCA_SUCCESS)
        throw Failure{result};
}

template <typename T, doca_error_t (*Destroy)(T *)> struct Destroyer {
    void operator()(T *object) const
    {
        (void)Destroy(object);
    }
};

using Device = std::unique_ptr<doca_dev, Destroyer<doca_dev, doca_dev_close>>;
using Engine = std::unique_ptr<doca_pe, Destroyer<doca_pe, doca_pe_destroy>>;
using Dma = std::unique_ptr<doca_dma, Destroyer<doca_dma, doca_dma_destroy>>;
using Map = std::unique_ptr<doca_mmap, Destroyer<doca_mmap, doca_mmap_destroy>>;
using Inventory =
    std::unique_ptr<doca_buf_inventory, Destroyer<doca_buf_inventory, doca_buf_inventory_destroy>>;

struct Buffer {
    doca_buf *buf = nullptr;
    ~Buffer()
    {
        if (buf != nullptr)
            (void)doca_buf_dec_refcount(buf, nullptr);
    }
};

void on_end(doca_dma_task_memcpy *task, doca_data task_data, doca_data)
{
    *static_cast<doca_error_t *>(task_data.ptr) =
        doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

bool is_unfinished(void *arg)
{
    return *static_cast<doca_error_t *>(arg) == DOCA_ERROR_IN_PROGRESS;
}

Map map_vector(doca_dev *dev, std::vector<char> &memory)
{
    doca_mmap *map;

    check(kit_map(dev, memory.data(), memory.size(), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &map));
    Map owner(map);
    check(doca_mmap_start(map));
    return owner;
}

void copy(doca_pe *pe, doca_dma *dma, doca_buf *src, doca_buf *dst)
{
    doca_error_t status = DOCA_ERROR_IN_PROGRESS;
    doca_data data;
    doca_dma_task_memcpy *task;

    data.ptr = &status;
    check(doca_dma_task_memcpy_alloc_init(dma, src, dst, data, &task));
    check(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    check(kit_progress(pe, is_unfinished, &status));
    check(status);
}

void run()
{
    std::vector<char> from(5000, 'x'), to(5000, 'y');
    doca_dev *dev;
    doca_pe *pe;
    doca_dma *dma;
    doca_buf_inventory *inventory;
    Buffer src, dst;

    check(kit_open_capable(doca_dma_cap_task_memcpy_is_supported, &dev));
    Device device(dev);
    Map from_map = map_vector(dev, from), to_map = map_vector(dev, to);
    check(doca_buf_inventory_create(2, &inventory));
    Inventory bufs(inventory);
    check(doca_buf_inventory_start(inventory));
    check(doca_pe_create(&pe));
    Engine engine(pe);
    check(doca_dma_create(dev, &dma));
    Dma context(dma);
    check(doca_dma_task_memcpy_set_conf(dma, on_end, on_end, 1));
    check(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
    check(doca_ctx_start(doca_dma_as_ctx(dma)));
    check(doca_buf_inventory_buf_get_by_data(inventory, from_map.get(), from.data(), from.size(),
                                             &src.buf));
    check(doca_buf_inventory_buf_get_by_addr(inventory, to_map.get(), to.data(), to.size(),
                                             &dst.buf));
    copy(pe, dma, src.buf, dst.buf);
    check(kit_stop(pe, doca_dma_as_ctx(dma)));
    /* buffers go back before the inventory does */
    check(doca_buf_dec_refcount(src.buf, nullptr));
    check(doca_buf_dec_refcount(dst.buf, nullptr));
    src.buf = dst.buf = nullptr;
    check(from == to ? DOCA_SUCCESS : DOCA_ERROR_UNKNOWN);
}

} // namespace

int main()
{
    doca_error_t result = kit_log();

    if (result == DOCA_SUCCESS && part_check() != 1)
        result = DOCA_ERROR_UNSUPPORTED_VERSION;
    try {
        if (result == DOCA_SUCCESS)
            run();
    } catch (const Failure &failure) {
        result = failure.code;
    }
    DOCA_LOG_INFO("C++ part, %s", doca_error_get_name(result));
    return kit_exit("mixed_languages", result);
}
