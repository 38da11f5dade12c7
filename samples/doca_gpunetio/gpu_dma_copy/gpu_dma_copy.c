/* SPDX-License-Identifier: BSD-3-Clause */
/* There and back: the CPU has a text copied into memory of the GPU, a kernel changes it and has it
 * copied back.
 *
 *     gpu_dma_copy [DEVICE [GPU]]
 *
 * DEVICE is a PCI address or an interface, else the first device of the role that has DMA.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf_array.h>
#include <doca_gpunetio.h>

#include "../../common/sample.h"
#include "copy.h"

#define GPU  "0000:06:00.0"
#define SIZE (COPY_PIECES * COPY_BYTES)
#define PAGE 65536u

struct app {
    struct doca_dev *dev;
    struct doca_gpu *gpu;
    char out[SIZE], back[SIZE]; /* of the CPU */
    void *text;                 /* as the GPU sees it */
    struct doca_mmap *out_map, *text_map, *back_map;
    struct doca_buf_arr *from, *to;
    struct doca_dma *dma; /* of the kernel */
};

static doca_error_t open_array(struct app *app, struct doca_mmap *map, struct doca_buf_arr **arr)
{
    doca_error_t result = doca_buf_arr_create(COPY_PIECES, arr);

    if (result == DOCA_SUCCESS)
        result = doca_buf_arr_set_target_gpu(*arr, app->gpu);
    if (result == DOCA_SUCCESS)
        result = doca_buf_arr_set_params(*arr, map, COPY_BYTES, 0);
    if (result == DOCA_SUCCESS)
        result = doca_buf_arr_start(*arr);
    return result;
}

static doca_error_t open_memory(struct app *app)
{
    const uint32_t access = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
    void *text_cpu;
    doca_error_t result =
        doca_gpu_mem_alloc(app->gpu, SIZE, PAGE, DOCA_GPU_MEM_TYPE_GPU_CPU, &app->text, &text_cpu);

    if (result == DOCA_SUCCESS)
        result = sample_map(app->dev, app->text, SIZE, access, &app->text_map);
    if (result == DOCA_SUCCESS)
        result = sample_map(app->dev, app->out, SIZE, access, &app->out_map);
    if (result == DOCA_SUCCESS)
        result = sample_map(app->dev, app->back, SIZE, access, &app->back_map);
    if (result == DOCA_SUCCESS)
        result = open_array(app, app->text_map, &app->from);
    if (result == DOCA_SUCCESS)
        result = open_array(app, app->back_map, &app->to);
    return result;
}

static doca_error_t open_all(struct app *app, const char *device, const char *gpu)
{
    doca_error_t result = sample_open_device(device, &app->dev);

    if (result == DOCA_SUCCESS)
        result = doca_gpu_create(gpu, &app->gpu);
    if (result == DOCA_SUCCESS)
        result = open_memory(app);
    if (result == DOCA_SUCCESS)
        result = doca_dma_create(app->dev, &app->dma);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_set_datapath_on_gpu(doca_dma_as_ctx(app->dma), app->gpu);
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(doca_dma_as_ctx(app->dma));
    return result;
}

static void close_all(struct app *app)
{
    struct doca_mmap *maps[] = {app->out_map, app->text_map, app->back_map};

    if (app->dma != NULL) {
        doca_ctx_stop(doca_dma_as_ctx(app->dma));
        doca_dma_destroy(app->dma);
    }
    if (app->from != NULL)
        doca_buf_arr_destroy(app->from);
    if (app->to != NULL)
        doca_buf_arr_destroy(app->to);
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        if (maps[i] != NULL)
            doca_mmap_destroy(maps[i]);
    }
    if (app->text != NULL)
        doca_gpu_mem_free(app->gpu, app->text);
    if (app->gpu != NULL)
        doca_gpu_destroy(app->gpu);
    if (app->dev != NULL)
        doca_dev_close(app->dev);
}

/* A task of the CPU, by an instance of its own. */
static doca_error_t send_text(struct app *app)
{
    struct sample_dma s;
    doca_error_t result = sample_dma_start(&s, app->dev, 1, 2);

    if (result != DOCA_SUCCESS)
        return result;
    result = sample_dma_copy(&s, app->text_map, app->text, app->out_map, app->out, SIZE);
    if (result == DOCA_SUCCESS)
        result = sample_dma_wait(&s, 1);
    sample_dma_stop(&s);
    return result;
}

static doca_error_t run(struct app *app)
{
    struct doca_gpu_buf_arr *from, *to;
    struct doca_gpu_dma *dma;
    doca_error_t result = send_text(app);

    if (result == DOCA_SUCCESS)
        result = doca_buf_arr_get_gpu_handle(app->from, &from);
    if (result == DOCA_SUCCESS)
        result = doca_buf_arr_get_gpu_handle(app->to, &to);
    if (result == DOCA_SUCCESS)
        result = doca_dma_get_gpu_handle(app->dma, &dma);
    if (result == DOCA_SUCCESS)
        result = copy_run(dma, app->text, from, to);
    if (result == DOCA_SUCCESS)
        printf("the CPU got:     %s\n", app->back);
    return result;
}

static int usage(bool asked)
{
    fprintf(asked ? stdout : stderr, "usage: gpu_dma_copy [DEVICE [GPU]]\n");
    return asked ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    static struct app app = {.out = "a text that travels to the GPU and back"};
    doca_error_t result;

    if (argc > 3 || (argc > 1 && argv[1][0] == '-'))
        return usage(argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0));
    result = open_all(&app, argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : GPU);
    if (result == DOCA_SUCCESS)
        result = run(&app);
    close_all(&app);
    return sample_exit(result);
}
