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
"""

import os
import socket
import struct
import subprocess
import sys

ETH_P_ALL = 3
SOL_PACKET, PACKET_QDISC_BYPASS = 263, 20
TYPE = 0x88b5
FRAMES = 500  # of 'veth-ends'
SECONDS = 20


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
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
