#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: check_samples.sh BUILD PREFIX [WRAPPER...]
#
# Installs into a stage, builds every sample there as a user would, with its own Meson file and in both
# flavours, warnings being errors, and runs it. WRAPPER is put before each program; "valgrind" stands
# for valgrind with the options that make a finding a failure. Exit status 77: no valgrind here.

set -u

here=$(dirname "$(readlink -f "$0")")
packets=$here/sample_packets.py
build=$1 prefix=$2
shift 2
wrapper=("$@")
if [ "${wrapper[0]-}" = valgrind ]; then
    if ! command -v valgrind >/dev/null; then
        echo "valgrind is not installed"
        exit 77
    fi
    wrapper=(valgrind --quiet --error-exitcode=99 --fair-sched=yes --leak-check=full
        --errors-for-leak-kinds=definite,indirect --child-silent-after-fork=yes)
fi

stage=$(python3 -B "$here/../tests/lib/stage.py" "$build" 100000000) || exit 2
here_host=od-samples_here-$$ there_host=od-samples_there-$$
remove_hosts()
{
    ip netns del "$here_host"
    ip netns del "$there_host"
} 2>/dev/null

trap 'remove_hosts; rm -rf "$stage"' EXIT
trap '' PIPE # of a host half that died
failures=0

fail()
{
    failures=$((failures + 1))
    echo "FAIL: $1"
    sed 's/^/    /' "$stage/out" | tail -n 40
}

meson install -C "$build" --no-rebuild --quiet --destdir "$stage" || exit 1
libraries=$(dirname "$(find "$stage$prefix" -path '*/pkgconfig/doca-common.pc')")/..
export PKG_CONFIG_SYSROOT_DIR=$stage
export CUDA_PATH=$stage$prefix/simt PATH=$stage$prefix/simt/bin:$PATH
export LD_LIBRARY_PATH=$libraries
unset OPENDOCA_CONFIG OPENDOCA_ROLE OPENDOCA_FAULTS
# Another run at the same time has servers of the same names.
export OPENDOCA_RUNTIME_DIR=$stage/run
mkdir -m 700 "$OPENDOCA_RUNTIME_DIR"

build_sample() # flavour, folder
{
    local modules=$libraries/pkgconfig
    [ "$1" = dpu ] && modules=$libraries/pkgconfig-dpu
    { PKG_CONFIG_LIBDIR=$modules meson setup --werror "$2/build-$1" "$2" &&
        ninja -C "$2/build-$1"; } >"$stage/out" 2>&1 || fail "$2 does not build ($1)"
}

# Kernels need a C++ compiler behind nvcc, and their threads' stacks are not for valgrind.
with_kernels()
{
    [ ${#wrapper[@]} -eq 0 ] && nvcc --version >/dev/null 2>&1 &&
        { command -v clang++ || command -v g++; } >/dev/null
}

samples=$stage$prefix/samples
for file in "$samples"/*/*/meson.build; do
    case $file in
    */doca_gpunetio/*) with_kernels || continue ;;
    esac
    build_sample host "$(dirname "$file")"
    build_sample dpu "$(dirname "$file")"
done

ran=" "

run() # sample, what it must print, flavour, arguments...
{
    local sample=$1 wanted=$2 program
    program=$samples/$sample/build-$3/$(basename "$sample")
    shift 3
    ran+="$sample "
    timeout 120 "${wrapper[@]}" "$program" "$@" >"$stage/out" 2>&1 </dev/null
    local status=$?
    if [ $status -ne 0 ] || ! grep -q "$wanted" "$stage/out"; then
        fail "$sample $*: exit status $status, wanted \"$wanted\""
    fi
}

# The host half offers its memory and waits for Enter; the DPU half reads it meanwhile.
run_pair()
{
    local folder=$samples/doca_dma/dma_pair line status=0
    local files=(-d "$stage/desc" -b "$stage/info")
    ran+="doca_dma/dma_pair "
    coproc HOST {
        exec timeout 120 "${wrapper[@]}" "$folder/build-host/dma_pair_host" -t "from afar" \
            "${files[@]}" 2>"$stage/host.err"
    }
    local pid=$HOST_PID enter
    exec {enter}>&"${HOST[1]}"
    read -r -t 60 line <&"${HOST[0]}"
    timeout 120 "${wrapper[@]}" "$folder/build-dpu/dma_pair_dpu" "${files[@]}" \
        >"$stage/out" 2>&1 || status=$?
    grep -q "from afar" "$stage/out" || status=1
    echo >&"$enter"
    exec {enter}>&-
    wait "$pid" || status=$?
    if [ $status -ne 0 ]; then
        cat "$stage/host.err" >>"$stage/out"
        fail "dma_pair: exit status $status"
    fi
}

# Both sides of a Comch sample; the second argument is what the host prints.
run_channel() # sample, wanted, argument of the DPU or nothing, arguments of the host...
{
    local sample=$1 wanted=$2 dpu_argument=$3 name=${1##*/} status=0 pid
    shift 3
    ran+="$sample "
    timeout 120 "${wrapper[@]}" "$samples/$sample/build-dpu/$name" \
        ${dpu_argument:+"$dpu_argument"} >"$stage/dpu.out" 2>&1 </dev/null &
    pid=$!
    for _ in {1..600}; do
        grep -q waiting "$stage/dpu.out" && break
        sleep 0.1
    done
    timeout 120 "${wrapper[@]}" "$samples/$sample/build-host/$name" "$@" >"$stage/out" 2>&1 \
        </dev/null || status=$?
    wait "$pid" || status=$?
    if [ $status -ne 0 ] || ! grep -q "$wanted" "$stage/out"; then
        cat "$stage/dpu.out" >>"$stage/out"
        fail "$sample $*: exit status $status, wanted \"$wanted\""
    fi
}

for flavour in host dpu; do
    run doca_dma/dma_local_copy "some text" $flavour -t "some text"
    run doca_dma/dma_list_copy "bytes in 5 pieces" $flavour -ns 5 -nd 3
    run doca_common/pe_event_loop "wake-ups" $flavour
    run doca_common/pe_resubmit "served 16 copies" $flavour
    run doca_common/graph_fan_in "comparing" $flavour
done
head -c 5000001 /dev/urandom >"$stage/source"
run doca_dma/dma_file_copy "5000001 bytes" host "$stage/source" "$stage/copy"
cmp "$stage/source" "$stage/copy" >"$stage/out" 2>&1 || fail "dma_file_copy: the copy differs"
run_pair

# Wrong uses: the sample says why, and harms nothing.
refuse() # sample, what it must print, arguments...
{
    local sample=$1 wanted=$2 program status=0
    program=$samples/$sample/build-host/$(basename "$sample")
    shift 2
    timeout 120 "${wrapper[@]}" "$program" "$@" >"$stage/out" 2>&1 </dev/null || status=$?
    if [ $status -ne 1 ] || ! grep -q -- "$wanted" "$stage/out"; then
        fail "$sample $*: exit status $status, wanted \"$wanted\""
    fi
}

refuse doca_dma/dma_file_copy "the source itself" "$stage/copy" "$stage/copy"
refuse doca_dma/dma_file_copy "not a regular file" /dev/zero "$stage/copy"
refuse doca_dma/dma_file_copy "not a regular file" "$stage/source" /dev/full
refuse doca_dma/dma_file_copy "No such file" "$stage/none" "$stage/copy"
cmp "$stage/source" "$stage/copy" >"$stage/out" 2>&1 || fail "dma_file_copy: a refused copy harmed a file"
refuse doca_dma/dma_list_copy "1 piece at least" -ns 0
refuse doca_dma/dma_list_copy "at most 64 pieces" -nd 65
refuse doca_dma/dma_local_copy "at most 1023" -t "$(printf '%1024s')"
refuse doca_common/pe_event_loop "without arguments" --nope

refuse doca_dma/dma_local_copy "in the role host.*pkgconfig.*OPENDOCA_ROLE=dpu" -p 03:00.0
run_channel doca_comch/comch_ping_pong "200 answers" "" "a ball" 200
run_channel doca_comch/comch_stream "500 pieces sent" "" 500
run_channel doca_comch/comch_file_copy "5000001 bytes offered and fetched" "$stage/fetched" \
    "$stage/source"
cmp "$stage/source" "$stage/fetched" >"$stage/out" 2>&1 || fail "comch_file_copy: the copy differs"
for number in 0 -5 abc; do
    refuse doca_comch/comch_stream "usage: " $number
done
for number in 0 99999 abc; do
    refuse doca_rdma/rdma_ping_pong "usage: " $number
done

# The DPU's disk is full: that is what it says, and the host ends as well.
fill_disk()
{
    local folder=$samples/doca_comch/comch_file_copy status=0 pid
    mkdir -p "$stage/small"
    unshare -m mount -t tmpfs -o size=1m tmpfs "$stage/small" 2>/dev/null || return
    # shellcheck disable=SC2016
    timeout 120 unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs "$1" && shift && exec "$@"' - \
        "$stage/small" "${wrapper[@]}" "$folder/build-dpu/comch_file_copy" "$stage/small/copy" \
        >"$stage/dpu.out" 2>&1 </dev/null &
    pid=$!
    timeout 120 "${wrapper[@]}" "$folder/build-host/comch_file_copy" "$stage/source" >"$stage/out" 2>&1 \
        </dev/null || status=$?
    wait "$pid" && status=0
    cat "$stage/dpu.out" >>"$stage/out"
    if [ $status -ne 1 ] || ! grep -q "No space left on device" "$stage/out"; then
        fail "comch_file_copy onto a full disk: exit status $status"
    fi
}

fill_disk
# Nobody else gets the port while this program has it; a server may listen to it all the same.
coproc HELD {
    exec python3 -c 'import socket, sys
held = socket.socket()
held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
held.bind(("", 0))
print(held.getsockname()[1], flush=True)
sys.stdin.read()'
}
read -r -t 60 port <&"${HELD[0]}"
run_channel doca_rdma/rdma_ping_pong "200 answers, the counter is 200" "$port" "$port" 127.0.0.1 200

# Packets: over wires inside the process, and over veth pairs where the rights are there.
wires() # port of the first device, of the second one
{
    printf '{"devices": [{"role": "host", "pci": "0000:03:00.0", "port": "%s"},
        {"role": "host", "pci": "0000:03:00.1", "port": "%s"}]}\n' "$1" "$2" >"$stage/wires.json"
    export OPENDOCA_CONFIG=$stage/wires.json
}

wires loop:wire loop:wire
run doca_eth/eth_rx_tx "received 5000 of 5000 frames in order" host -n 5000
run doca_flow/flow_classify "the counters agree" host -n 1200
refuse doca_eth/eth_rx_tx "-n is 0, allowed: 1 to" -n 0
refuse doca_eth/eth_rx_tx "No device odnone with Ethernet queues" -d odnone
refuse doca_eth/eth_rx_tx "OPENDOCA_CONFIG, which names that file, is $OPENDOCA_CONFIG" -d odnone
ran+="doca_gpunetio/gpu_dma_copy doca_gpunetio/gpu_http_filter doca_gpunetio/gpu_receive_count doca_gpunetio/gpu_timed_send "
if with_kernels; then
    run doca_gpunetio/gpu_dma_copy "A TEXT THAT TRAVELS TO THE GPU AND BACK" host
    run doca_gpunetio/gpu_dma_copy "^usage: " host --help
    refuse doca_gpunetio/gpu_icmp_echo "No device odnone with Ethernet queues for kernels" -n odnone
    refuse doca_gpunetio/gpu_icmp_echo "DBG.*2 devices of role host" -n odnone --sdk-log-level 70
    refuse doca_gpunetio/gpu_timed_send "-n is 0, allowed: 1 to" -n 0
    run doca_gpunetio/gpu_http_filter "3000 frames, 1000 requests, 0 of them wrong" host -n 1000
    run doca_gpunetio/gpu_timed_send "counted   640 of 640 frames" host -n 20
    grep -q "20, 0 of them early" "$stage/out" || fail "gpu_timed_send: bursts left early"
fi
"$packets" make "$stage/in.pcap" 500
if with_kernels; then
    # Frames of the file may come before the rule is there.
    wires "pcap:replay=$stage/in.pcap" loop:wire
    sed -i 's/"port": "pcap/"unmatched": "queues", &/' "$OPENDOCA_CONFIG"
    run doca_gpunetio/gpu_receive_count "^500 frames, " host -n 500
fi
wires "pcap:replay=$stage/in.pcap" "pcap:capture=$stage/out.pcap"
run doca_eth/eth_l2_forward "03:00.0 to 0000:03:00.1: 500 forwarded, 0 failed, 0 dropped" host -n 500
"$packets" compare "$stage/in.pcap" "$stage/out.pcap" >"$stage/out" 2>&1 ||
    fail "eth_l2_forward: what leaves is not what came"
# While it forwards for ever, another process looks on.
wires "pcap:replay=$stage/in.pcap,rate=2000,loops=0" "pcap:capture=/dev/null"
"${wrapper[@]}" "$samples/doca_eth/eth_l2_forward/build-host/eth_l2_forward" >"$stage/forward.out" 2>&1 \
    </dev/null &
forwarder=$!
for _ in {1..600}; do
    grep -q forwarding "$stage/forward.out" && break
    sleep 0.1
done
for what in "0000:03:00.0" "0000:03:00.0 --queue 0" "0000:03:00.1 --only tx"; do
    # shellcheck disable=SC2086
    timeout 60 "$stage$prefix/tools/opendoca" port capture $what -w "$stage/seen.pcap" -c 50 \
        >"$stage/out" 2>&1 || fail "opendoca port capture $what"
    "$packets" part "$stage/seen.pcap" "$stage/in.pcap" >>"$stage/out" 2>&1 ||
        fail "opendoca port capture $what: other frames"
done
timeout 60 "$stage$prefix/tools/opendoca" port capture 0000:03:00.0 -w - >/dev/full 2>"$stage/out"
[ $? -eq 1 ] && [ "$(grep -c "cannot write" "$stage/out")" -eq 1 ] &&
    grep -q "cannot write standard output: No space left on device" "$stage/out" ||
    fail "opendoca port capture: a full disk is not told"
kill "$forwarder"
wait "$forwarder" || { cp "$stage/forward.out" "$stage/out"; fail "eth_l2_forward: exit status $?"; }
# A kernel at one end; a peer that knows nothing of us at the other one, in a namespace of its own.
with_peers()
{
    wrapper=()
    with_kernels || return
    wires af_packet:odsa loop
    wrapper=(unshare -n "$packets" peer count)
    run doca_gpunetio/gpu_receive_count "^500 frames, " host -n 500
    wrapper=(unshare -n "$packets" peer filter)
    run doca_gpunetio/gpu_http_filter "300 frames, 100 requests, 0 of them wrong" host -o -n 100
    wrapper=(unshare -n "$packets" peer timed)
    run doca_gpunetio/gpu_timed_send "640 frames, 0 of them early" host -o -n 20
}

if [ ${#wrapper[@]} -eq 0 ] && unshare -n ip link add odsa type veth peer name odsb 2>/dev/null; then
    wires af_packet:odsa af_packet:odsb
    wrapper=(unshare -n "$packets" veth)
    run doca_eth/eth_rx_tx "received 5000 of 5000 frames in order" host -n 5000
    run doca_flow/flow_classify "the counters agree" host -n 1200
    wrapper=(unshare -n "$packets" veth-ends)
    run doca_eth/eth_l2_forward "500 forwarded, 0 failed, 0 dropped" host -n 500
    with_peers
    wrapper=()
fi
unset OPENDOCA_CONFIG

template=$samples/doca_urom/plugin_template
ran+="doca_urom/plugin_template "
timeout 180 "$template/test.sh" "$stage$prefix" "$template/build-host" "${wrapper[@]}" \
    >"$stage/out" 2>&1 </dev/null || fail "plugin_template"

# The samples of UROM need a service, and say so; those for several ranks an mpirun, which valgrind is
# not for.
run_ranks() # sample, what it must print, arguments...
{
    local sample=$1 wanted=$2 program status=0
    program=$samples/$sample/build-host/$(basename "$sample")
    shift 2
    ran+="$sample "
    if ! command -v mpirun >/dev/null || [ ! -x "$program" ] || [ "${wrapper[0]-}" = valgrind ]; then
        return
    fi
    timeout 300 "${wrapper[@]}" mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 "$program" "$@" \
        >"$stage/out" 2>&1 </dev/null || status=$?
    if [ $status -ne 0 ] || ! grep -q "$wanted" "$stage/out"; then
        fail "$sample $*: exit status $status, wanted \"$wanted\""
    fi
}

# A worker dies while the ranks exchange blocks: all of them end, none waits for the others.
lose_worker()
{
    local program=$samples/doca_urom/urom_overlap/build-host/urom_overlap ranks worker status=0
    if ! command -v mpirun >/dev/null || [ ! -x "$program" ] || [ "${wrapper[0]-}" = valgrind ]; then
        return
    fi
    timeout 100 "${wrapper[@]}" mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 "$program" \
        67108864 >"$stage/out" 2>&1 </dev/null &
    ranks=$!
    for _ in {1..600}; do
        worker=$("$stage$prefix/tools/doca_urom_ctl" workers | awk '
            / pid / { for (i = 1; i < NF; i++) if ($i == "pid") pid = $(i + 1) }
            $1 == "commands" && $2 >= 16 { print pid; exit }')
        [ -n "$worker" ] && break
        sleep 0.05
    done
    [ -n "$worker" ] && kill -KILL "$worker"
    wait "$ranks" || status=$?
    if [ $status -ne 1 ] || ! grep -q "failed: .*(DOCA_ERROR_IO_FAILED)" "$stage/out"; then
        fail "urom_overlap whose worker dies: exit status $status"
    fi
}

refuse_ranks() # sample, arguments...
{
    if [ -x "$samples/$1/build-host/$(basename "$1")" ]; then
        refuse "$1" "usage: " "$2"
    fi
}

refuse doca_urom/urom_active_message "failed: .*(DOCA_ERROR_NOT_PERMITTED)"
[ "$(grep -c "failed: " "$stage/out")" -eq 1 ] || fail "urom_active_message: several say why"
refuse doca_urom/urom_active_message "usage: " 4032
refuse doca_urom/urom_active_message "usage: " 5000 0
refuse doca_urom/urom_active_message "usage: " --help
"$stage$prefix/services/doca_urom_daemon" >"$stage/daemon.out" 2>&1 </dev/null &
daemon=$!
for _ in {1..600}; do
    grep -q "ready: " "$stage/daemon.out" && break
    sleep 0.1
done
run doca_urom/urom_put_get 'got "some text"' host "some text"
run doca_urom/urom_hundred "100 additions" host
run doca_urom/urom_counter "counted to 3000" host
run doca_urom/urom_active_message "501 messages, 501 right answers; the handler counted 500" host
run doca_urom/urom_active_message "36 messages, 36 right answers; the handler counted 35" host 5000001 7
run_ranks doca_urom/urom_allreduce "2 ranks added 1000 elements" 1000
run_ranks doca_urom/urom_overlap "overlap" 65536
lose_worker
for number in 0 abc -1; do
    refuse_ranks doca_urom/urom_overlap $number
    refuse_ranks doca_urom/urom_allreduce $number
done
kill "$daemon"
wait "$daemon" || { cp "$stage/daemon.out" "$stage/out"; fail "the service: exit status $?"; }

# The same with the service on another host, a network namespace, where only the devices file leads.
make_hosts()
{
    remove_hosts
    ip netns add "$here_host" && ip netns add "$there_host" &&
        ip link add odsh$$ netns "$here_host" type veth peer name odst$$ netns "$there_host" &&
        ip -n "$here_host" addr add 10.99.6.1/24 dev odsh$$ && ip -n "$here_host" link set odsh$$ up &&
        ip -n "$there_host" addr add 10.99.6.2/24 dev odst$$ && ip -n "$there_host" link set odst$$ up &&
        ip -n "$here_host" link set lo up && ip -n "$there_host" link set lo up
} 2>/dev/null

start_there() # options of the service...
{
    OPENDOCA_RUNTIME_DIR=$stage/run-there ip netns exec "$there_host" \
        "$stage$prefix/services/doca_urom_daemon" --listen 10.99.6.2:18610 --allow-net 10.99.6.0/24 \
        --token-file "$stage/token" "$@" >"$stage/daemon.out" 2>&1 </dev/null &
    daemon=$!
    for _ in {1..600}; do
        grep -q "ready: " "$stage/daemon.out" && break
        sleep 0.1
    done
}

run_between_hosts()
{
    local daemon
    printf '{"devices": [{"role": "host", "pci": "b1:00.0", "urom_service": "10.99.6.2"}]}\n' \
        >"$stage/there.json"
    (umask 077 && echo "a secret of both hosts" >"$stage/token" && mkdir "$stage/run-there")
    export OPENDOCA_CONFIG=$stage/there.json DOCA_UROM_TOKEN_FILE=$stage/token
    wrapper=(ip netns exec "$here_host")
    start_there
    refuse doca_urom/urom_active_message "unless the service has --remote-allow-env"
    kill "$daemon"
    wait "$daemon"
    start_there --remote-allow-env
    run doca_urom/urom_put_get 'got "some text"' host "some text"
    run doca_urom/urom_hundred "100 additions" host
    run doca_urom/urom_counter "counted to 3000" host
    run doca_urom/urom_active_message "501 messages, 501 right answers; the handler counted 500" host
    run_ranks doca_urom/urom_allreduce "2 ranks added 1000 elements" 1000
    run_ranks doca_urom/urom_overlap "overlap" 65536
    wrapper=()
    unset OPENDOCA_CONFIG DOCA_UROM_TOKEN_FILE
    kill "$daemon"
    wait "$daemon" || { cp "$stage/daemon.out" "$stage/out"; fail "the service there: exit status $?"; }
}

if [ ${#wrapper[@]} -eq 0 ] && make_hosts; then
    run_between_hosts
fi
remove_hosts

# The demo has a wire and a ping for it, where there is a right to them.
ran+="doca_gpunetio/gpu_icmp_echo "
if with_kernels; then
    timeout 300 "$stage$prefix/bin/opendoca" demo --part packets --dir "$stage" >"$stage/out" 2>&1 \
        </dev/null || fail "gpu_icmp_echo: exit status $?"
    # Ping had 100 answers. While one is late it asks once more.
    grep -q "[1-9][0-9][0-9][0-9]* sent by the kernel, 0 failed\|not shown" "$stage/out" || fail "gpu_icmp_echo"
fi

for file in "$samples"/*/*/meson.build; do
    sample=$(basename "$(dirname "$(dirname "$file")")")/$(basename "$(dirname "$file")")
    case $ran in
    *" $sample "*) ;;
    *) : >"$stage/out"; fail "$sample: nobody runs it here" ;;
    esac
done
[ $failures -eq 0 ]
