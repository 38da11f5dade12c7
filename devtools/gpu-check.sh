#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One check of everything that needs a true GPU, in under five minutes.
#
#   devtools/gpu-check.sh            on a machine with a GPU: builds what is not there, checks, measures
#   devtools/gpu-check.sh --prepare  builds on a machine that has the compilers; carry the folder along
#   devtools/gpu-check.sh --rehearse the same programs with simt as compiler and as driver, without a GPU
#
#   --folder FOLDER   where the programs are (build-gpu)
#   --build BUILD     a build of opendoca (build), for the libraries and simt
#   --seconds N       of the measurement of the rate (5)
#   --rounds N        of the measurement of the latency (10000)
#
# Prints one JSON object a line. Ends with 0; 1: something is wrong; 2: there is no GPU or no compiler.
set -eu
cd "$(dirname "$0")/.."
mode=check folder=build-gpu build=build seconds=5 rounds=10000
while [ $# -gt 0 ]; do
    case $1 in
    --prepare) mode=prepare ;;
    --rehearse) mode=rehearse ;;
    --folder) folder=$2; shift ;;
    --build) build=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --rounds) rounds=$2; shift ;;
    *) sed -n '3,15s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
    shift
done

refuse()
{
    echo "gpu-check: $*; nothing was checked" >&2
    exit 2
}

# The toolkit's compiler; ours makes kernels for the CPU.
find_nvcc()
{
    for nvcc in "${NVCC:-}" "${CUDA_PATH:-/nonexistent}/bin/nvcc" /usr/local/cuda/bin/nvcc \
        "$(command -v nvcc || true)"; do
        if [ -x "$nvcc" ] && ! "$nvcc" --version | grep -q simt; then
            return 0
        fi
    done
    return 1
}

# Code for this decade's common GPU, and PTX for all from sm_75 on.
architectures="-gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=compute_75"

# GPUNetIO's own: kernels at both ends of a wire.
selftests="receive send proxy send_error wait_time"
release=src/flavour/release

need_build()
{
    if [ ! -e "$build/$release/libdoca_gpunetio.so" ]; then
        [ -e "$build/build.ninja" ] || meson setup "$build" >/dev/null
        ninja -C "$build" >/dev/null
    fi
}

# make_programs FLAGS-FOR-NVCC...
make_programs()
{
    need_build
    mkdir -p "$folder/lib"
    for library in "$build/src/soft/libopendoca_soft.so.0" "$build/$release"/libdoca_*.so.2; do
        if [ -e "$library" ]; then
            cp "$library" "$folder/lib/"
        fi
    done
    # Libraries of ours that the machine with the GPU may lack.
    ldd "$folder/lib/libopendoca_soft.so.0" | awk '/jansson/ { print $3 }' | xargs -r -I{} cp {} "$folder/lib/"
    ${CC:-cc} -O2 -g -std=gnu11 -D_GNU_SOURCE -Isrc -c tests/device/gpu/check_gpu.c -o "$folder/check_gpu.o"
    "$nvcc" -O2 -g "$@" -c tests/device/gpu/kernel.cu -o "$folder/kernel.o"
    "$nvcc" "$@" "$folder/check_gpu.o" "$folder/kernel.o" -o "$folder/check_gpu" \
        -L"$build/src/soft" -lopendoca_soft -Xlinker '-rpath,$ORIGIN/lib,--disable-new-dtags'
    for name in $selftests; do
        "$nvcc" -O2 -g "$@" -std=c++17 -DDOCA_ALLOW_EXPERIMENTAL_API -Iinclude -Itests "tests/gpunetio/kernels/$name.cu" \
            -o "$folder/$name" -L"$build/$release" -ldoca_gpunetio -ldoca_eth -ldoca_common \
            -Xlinker "-rpath-link,$build/src/soft" -Xlinker '-rpath,$ORIGIN/lib,--disable-new-dtags'
    done
}

# What we declare of the driver is what this toolkit declares.
check_declarations()
{
    toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
    if [ -e "$toolkit/include/cuda.h" ]; then
        ${CC:-cc} -std=gnu11 -Isrc -I"$toolkit/include" tests/device/gpu/check_driver.c -o "$folder/check_driver"
        "$folder/check_driver"
    fi
}

run_programs()
{
    timeout 120 "$folder/check_gpu" "$seconds" "$rounds"
    for name in $selftests; do
        if ! timeout 60 "$folder/$name" >"$folder/$name.out" 2>&1; then
            cat "$folder/$name.out" >&2
            echo "gpu-check: $name fails" >&2
            return 1
        fi
        echo "{\"check\": \"kernels: $name\", \"engine\": \"$OPENDOCA_GPU\", \"right\": true}"
    done
}

case $mode in
rehearse)
    selftests="receive send"
    toolkit=$build/simt/toolkit/cuda
    [ -d "$toolkit" ] || refuse "no simt in $build"
    nvcc=$PWD/$toolkit/bin/nvcc
    case $toolkit in /*) nvcc=$toolkit/bin/nvcc ;; esac
    make_programs
    driver=$(readlink -f "$toolkit"/lib64/libsimt.so)
    export OPENDOCA_GPU=simt
    run_programs
    export OPENDOCA_GPU=cuda OPENDOCA_CUDA_LIBRARY="$driver"
    run_programs
    ;;
prepare)
    find_nvcc || refuse "no nvcc of CUDA's (NVCC and CUDA_PATH name it)"
    # shellcheck disable=SC2086
    make_programs $architectures
    check_declarations
    echo "gpu-check: $folder is ready"
    ;;
check)
    if [ ! -e /dev/nvidia0 ] && [ ! -e /dev/nvidiactl ]; then
        refuse "no NVIDIA GPU: neither /dev/nvidia0 nor /dev/nvidiactl is here"
    fi
    if [ ! -x "$folder/check_gpu" ]; then
        find_nvcc || refuse "no nvcc of CUDA's (NVCC and CUDA_PATH name it), and nothing prepared in $folder"
        make_programs -arch=native
        check_declarations
    fi
    nvidia-smi -L || true
    export OPENDOCA_GPU=cuda
    run_programs
    ;;
esac
