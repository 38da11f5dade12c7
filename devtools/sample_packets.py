#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Frames for the packet samples.

usage: sample_packets.py make FILE NUMBER      a capture of that many frames
       sample_packets.py compare FILE FILE     do two captures have the same frames?
       sample_packets.py part FILE FILE        are all frames of one those of the other, in order?
       sample_packets.py veth COMMAND...       in a network namespace of its own: makes the wire
                                               odsa - odsb and runs the command
       sample_packets.py veth-ends COMMAND...  makes the wires x - odsa and odsb - y as well,
                                               sends 500 frames into x and compares what comes
                                               out of y
       sample_packets.py peer KIND COMMAND...  has odsa in a network namespace of its own, where the
                                               command runs, and odsb in another one, from where the
                                               peer of that sample talks to it; the command says a
                                               line "ready ..." first. KIND: count, filter, timed
"""

import os
import re
import socket
import struct
import subprocess
import sys
import time

ETH_P_ALL = 3
SOL_PACKET, PACKET_QDISC_BYPASS = 263, 20
TYPE = 0x88b5
FRAMES = 500  # of 'veth-ends' and 'peer'
REQUESTS = 100  # of 'peer filter'
AT_ONCE = 50  # frames, and then a little pause: the ring of a program of two cores holds some more
SECONDS = 20
SO_TIMESTAMPNS = 35


def frame(number):
    return (b'\2\0\0\0\0\2\2\0\0\0\0\1' + struct.pack('!HI', TYPE, number)).ljust(
        60 + number * 7 % 1400, b'x')


def make(path, number):
    with open(path, 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i in range(number):
            data = frame(i)
            file.write(struct.pack('<IIII', i, 0, len(data), len(data)) + data)


def read(path):
    with open(path, 'rb') as file:
        data = file.read()
    frames, at = [], 24
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        frames.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return frames


def run(*command):
    subprocess.run(command, check=True)


def quiet():
    """Nobody else speaks on these interfaces."""
    try:
        with open('/proc/sys/net/ipv6/conf/default/disable_ipv6', 'w', encoding='ascii') as file:
            file.write('1')
    except OSError:
        pass


def wire(one, other):
    run('ip', 'link', 'add', one, 'type', 'veth', 'peer', 'name', other)
    for name in (one, other):
        run('ip', 'link', 'set', name, 'up')


def open_socket(name):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sock.bind((name, 0))
    # The queue of an interface that just came up drops frames until the kernel has put it in place.
    sock.setsockopt(SOL_PACKET, PACKET_QDISC_BYPASS, 1)
    sock.settimeout(SECONDS)
    return sock


def between(command):
    """Frame after frame: the next one is sent when the one before has come out."""
    into, out = open_socket('odsx'), open_socket('odsy')
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        first = child.stdout.readline()  # it forwards now
        for number in range(FRAMES):
            into.send(frame(number))
            try:
                good = out.recv(65536) == frame(number)
            except socket.timeout:
                good = False
            if not good:
                print('frame %d is not the one that comes out' % number)
                child.terminate()
                break
        sys.stdout.write(first + child.stdout.read())
    return child.returncode if good else 1


def send(frames):
    sock = open_socket('odsb')
    for number, one in enumerate(frames):
        if number % AT_ONCE == AT_ONCE - 1:
            time.sleep(0.01)
        sock.send(one)


def ipv4(number, protocol, payload):
    """A frame from this peer; with nobody's checksums."""
    ports = struct.pack('!HH', 40000 + number, 80)
    head = ports + (struct.pack('!IIHHHH', 1, 1, 0x5018, 8192, 0, 0) if protocol == socket.IPPROTO_TCP
                    else struct.pack('!HH', 8 + len(payload), 0))
    return (b'\2\0\0\0\0\2\2\0\0\0\0\1\x08\0' + struct.pack(
        '!BBHHHBBHII', 0x45, 0, 20 + len(head) + len(payload), number, 0, 64, protocol, 0,
        0x0a630701, 0x0a630702) + head + payload)


def requests():
    """Of three frames one is a request; the last one is the last request."""
    for number in range(REQUESTS):
        yield ipv4(number, socket.IPPROTO_UDP, b'GET /item/%d by the wrong protocol' % number)
        yield ipv4(number, socket.IPPROTO_TCP, b'other %d' % number)
        yield ipv4(number, socket.IPPROTO_TCP, b'GET /item/%d HTTP/1.1\r\nHost: peer\r\n\r\n' % number)


def arrivals(sock, number):
    """When each of so many frames came, in ns since 1970 by the kernel's clock."""
    times = []
    while len(times) < number:
        frame_, extra, _, _ = sock.recvmsg(2048, 64)
        if frame_[12:14] == struct.pack('!H', TYPE):
            seconds, rest = struct.unpack('qq', extra[0][2])
            times.append(seconds * 10**9 + rest)
    return times


def watch(first_line):
    """What leaves at its time: all frames, none early."""
    bursts, size, start, interval = map(int, re.search(
        r'of (\d+) bursts of (\d+) frames leaves at (\d+) ns, others each (\d+)', first_line).groups())
    times = arrivals(watch.sock, bursts * size)
    late = [when - (start + number // size * interval) for number, when in enumerate(times)]
    print('arrived   %d frames, %d of them early, first of a burst late by %d us in the median' % (
        len(times), sum(one < 0 for one in late), sorted(late[::size])[bursts // 2] // 1000))


def peer(kind):
    """In the other namespace. The interface is there when a first line comes; what the program says follows."""
    sys.stdin.readline()
    subprocess.run(['ip', 'link', 'set', 'odsb', 'up'], check=True)
    if kind == 'timed':
        watch.sock = open_socket('odsb')
        watch.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    print('up', flush=True)
    ready = sys.stdin.readline()
    if kind == 'timed':
        watch(ready)
    else:
        send(requests() if kind == 'filter' else map(frame, range(FRAMES)))
    return 0


def beside_peer(kind, command):
    other = subprocess.Popen(['unshare', '-n', sys.executable, '-B', __file__, 'at-peer', kind],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with other:
        print(other.stdout.readline(), end='')  # it is in its namespace
        run('ip', 'link', 'add', 'odsa', 'type', 'veth', 'peer', 'name', 'odsb', 'netns', str(other.pid))
        run('ip', 'link', 'set', 'odsa', 'up')
        print('go', file=other.stdin, flush=True)
        other.stdout.readline()  # both ends are up
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            for line in child.stdout:
                print(line, end='')
                if line.startswith('ready'):
                    print(line, end='', file=other.stdin, flush=True)
        other.stdin.close()
        print(other.stdout.read(), end='')
    return child.returncode or other.returncode


def main(arguments):
    if arguments[0] == 'make':
        make(arguments[1], int(arguments[2]))
    elif arguments[0] == 'compare':
        return 0 if read(arguments[1]) == read(arguments[2]) else 1
    elif arguments[0] == 'part':
        some, cycle = read(arguments[1]), read(arguments[2])
        first = cycle.index(some[0])
        return 0 if all(some[i] == cycle[(first + i) % len(cycle)] for i in range(len(some))) else 1
    elif arguments[0] == 'veth':
        quiet()
        wire('odsa', 'odsb')
        os.execv(arguments[1], arguments[1:])
    elif arguments[0] == 'veth-ends':
        quiet()
        wire('odsx', 'odsa')
        wire('odsb', 'odsy')
        return between(arguments[1:])
    elif arguments[0] == 'peer':
        quiet()
        return beside_peer(arguments[1], arguments[2:])
    elif arguments[0] == 'at-peer':
        quiet()
        print('a peer for', arguments[1], flush=True)
        return peer(arguments[1])
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
