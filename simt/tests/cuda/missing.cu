/* SPDX-License-Identifier: BSD-3-Clause */
/* What simt does not have is refused by name and place. */
// NO BUILD: missing\.cu:17:\d+: error: cudaTextureObject_t: simt has no textures \[simt-no-textures\]
// NO BUILD: missing\.cu:19:\d+: error: tex1Dfetch: simt has no textures
// NO BUILD: missing\.cu:22:\d+: error: __cluster_dims__: simt has no clusters \[simt-no-clusters\]
// NO BUILD: missing\.cu:26:\d+: error: cudaGraph_t: simt has no graphs \[simt-no-graphs\]
// NO BUILD: missing\.cu:27:\d+: error: cudaStreamBeginCapture: simt has no graphs
// NO BUILD: error: this_grid: simt has no grid wide groups \[simt-no-grid-wide-groups\]
struct user {
    int texture; /* a name like any other */
};

#ifndef NOTHING
#define NOTHING
#endif

__global__ void textures(int *out, cudaTextureObject_t t)
{
    out[0] = tex1Dfetch<int>(t, 0);
}

__global__ void __cluster_dims__(2, 1, 1) clusters()
{
}

static cudaGraph_t graph;
static cudaError_t e = cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal);

int main()
{
    user u;
    (void)cooperative_groups::this_grid();
    u.texture = 1;
    return u.texture;
}
