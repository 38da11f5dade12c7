#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build and run programs as users of Ethernet queues and Flow have them, against an installed tree.

usage: run_eth.py BUILD PREFIX [--only TEXT] [--keep] [--no-valgrind]

As run_external.py, which see, for the folders programs/eth_*. Frames come from a capture file and go
into one, so that no right is needed; the devices file is the only thing that the programs are given.
"""
import json
import os
import signal
import struct
import sys

sys.dont_write_bytecode = True
import run_external
from run_external import expect

MAC = '02:00:00:00:00:0a'  # of the first device
HEAD = struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)


def udp(number, size=64):
    """A datagram over IPv4 without checksums; flow and size depend on the number."""
    ip = struct.pack('!BBHHHBBHII', 0x45, 0, size - 14, number & 0xffff, 0, 64, 17, 0, 0xc0000201,
                     0xc0000202 + number % 7)
    frame = b'\2\0\0\0\0\n\2\0\0\0\0\1\x08\0' + ip
    frame += struct.pack('!HHHH', 1000 + number % 7, 53, size - 34, 0)
    return frame.ljust(size, bytes([number & 0xff]))


def tcp():
    return udp(0)[:23] + b'\x06' + udp(0)[24:]


def write_capture(path, frames):
    with open(path, 'wb') as file:
        file.write(HEAD)
        for i, frame in enumerate(frames):
            file.write(struct.pack('<IIII', 1 + i, 0, len(frame), len(frame)) + frame)


def read_capture(path):
    with open(path, 'rb') as file:
        data = file.read()
    frames, at = [], len(HEAD)
    while at + 16 <= len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        frames.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return frames


class Tests(run_external.Tests):
    valgrind = ['test_the_first_packet', 'test_packets_in_batches', 'test_large_sends',
                'test_forwarding']

    def devices(self, *ports):
        """The devices mlx5_0, mlx5_1, ... with these ports."""
        path = self.file('devices.json')
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'devices': [
                {'role': 'host', 'pci': '0000:03:00.%d' % i, 'ibdev': 'mlx5_%d' % i, 'port': port,
                 **({'mac': MAC} if i == 0 else {})}
                for i, port in enumerate(ports)]}, file)
        self.environment = {'OPENDOCA_CONFIG': path, 'OPENDOCA_RUNTIME_DIR': self.scratch}

    def replay(self, frames):
        write_capture(self.file('in.pcap'), frames)
        return 'pcap:replay=' + self.file('in.pcap')

    def capture(self, name='out.pcap'):
        return 'pcap:capture=' + self.file(name)

    def captured(self, name='out.pcap'):
        return read_capture(self.file(name))

    # Receiving.

    def test_the_first_packet(self):
        self.devices(self.replay([udp(0, 300)]))
        self.run('eth_receive_regular', 'host', '-d', 'mlx5_0',
                 says=['Received 300 bytes, metadata 0, hash none', 'finished successfully'])
        self.run('eth_receive_regular', 'host', '-d', 'mlx5_0', '-md', '-ts', '-rh',
                 says=['metadata 1234, hash set, timestamp set'])

    def test_a_device_that_is_not_there(self):
        self.devices(self.replay([udp(0)]))
        self.run('eth_receive_regular', 'host', '-d', 'mlx5_7', status=1,
                 errors=['No device is called mlx5_7'])

    def test_packets_one_by_one(self):
        self.devices(self.replay([udp(i, 60 + i) for i in range(1000)]))
        self.run('eth_receive_managed', 'host', '-d', 'mlx5_0', '-n', '1000',
                 says=['1000 packets in 1000 callbacks'])
        self.run('eth_receive_managed', 'host', '-d', 'mlx5_0', '-n', '1000', '-hr', '256', '-tr', '64',
                 '-md', '-ts', '-rh', says=['1000 packets in 1000 callbacks'])

    def test_packets_in_batches(self):
        self.devices(self.replay([udp(i) for i in range(1600)]))
        self.run('eth_receive_batch', 'host', '-d', 'mlx5_0', '-n', '1600', '-md', '-ts', '-rh',
                 says=['1600 packets', 'finished successfully'])

    def test_rules_of_several_releases(self):
        """Entries are added as programs for 3.0, for later ones and for this one do."""
        def to(port):
            frame = udp(0)
            return frame[:36] + struct.pack('!H', port) + frame[38:]
        frames = [to(1), tcp(), to(2), to(2), to(3), tcp(), to(1), to(2)]
        self.devices(self.replay(frames))
        for language in ('c', 'cpp'):
            self.run('eth_generations_' + language, 'host', '-d', 'mlx5_0', '-n', '5',
                     says=['nine arguments: 2 packets', 'ten arguments: 3 packets',
                           'priority first: 6 packets', 'today: 2 packets'])

    # Sending.

    def sent(self, program):
        self.devices(self.capture())
        self.run(program, 'host', '-d', 'mlx5_0', '-m', '02:11:22:33:44:55',
                 says=['finished successfully'])
        return self.captured()

    @staticmethod
    def packet(number, size):
        return bytes((number * 31 + k % 251) & 0xff for k in range(size))

    def header(self, ether_type):
        return bytes.fromhex('021122334455' + MAC.replace(':', '')) + struct.pack('!H', ether_type)

    def test_one_frame(self):
        expect(self.sent('eth_send_one') == [self.header(0x88b5) + self.packet(0, 1500)[14:]],
               'another frame was sent')

    def test_a_batch_of_frames(self):
        wanted = [self.header(0x88b5) + self.packet(i, 1500)[14:] for i in range(32)]
        expect(self.sent('eth_send_batch') == wanted, 'other frames were sent')

    def pieces(self, number):
        payload = self.packet(number, 4000)
        return [self.header(0x0800) + payload[at:at + 1500] for at in range(0, 4000, 1500)]

    def test_large_sends(self):
        expect(self.sent('eth_send_lso') == self.pieces(0), 'other frames were sent')
        wanted = [piece for i in range(32) for piece in self.pieces(i)]
        expect(self.sent('eth_send_batch_lso') == wanted, 'other frames were sent by a batch')

    # Forwarding.

    def forward(self, *options, wanted):
        process = self.start('eth_l2_fwd', 'host', '-a', 'mlx5_0', '-b', 'mlx5_1', *options)
        process.await_line('Forwarding')
        run_external.wait_until(lambda: len(self.captured()) >= wanted or
                                process.popen.poll() is not None)
        process.popen.send_signal(signal.SIGINT)
        return process.end(says=['finished successfully'])[0]

    def test_forwarding(self):
        frames = [udp(i, 60 + i % 1400) for i in range(5000)]
        self.devices(self.replay(frames), self.capture())
        for options in ([], ['-o']):
            out = self.forward(*options, wanted=len(frames))
            expect(self.captured() == frames, 'what leaves is not what came')
            expect('From mlx5_0: 5000 forwarded, 0 dropped, 0 failed' in out, out)

    def test_forwarding_both_ways(self):
        """At once, each in order; far more frames than there are buffers, so none is lost."""
        loops = 20
        ways = [[udp(i, 60 + i % 700) for i in range(3000)],
                [udp(i + 5000, 60 + i % 500) for i in range(3000)]]
        ports = []
        for i, frames in enumerate(ways):
            write_capture(self.file('in%d.pcap' % i), frames)
            ports.append('pcap:replay=%s,capture=%s,loops=%d' % (
                self.file('in%d.pcap' % i), self.file('out%d.pcap' % i), loops))
        self.devices(*ports)
        wanted = [len(HEAD) + loops * sum(16 + len(frame) for frame in frames) for frames in ways]
        process = self.start('eth_l2_fwd', 'host', '-a', 'mlx5_0', '-b', 'mlx5_1')
        process.await_line('Forwarding')
        run_external.wait_until(lambda: process.popen.poll() is not None or all(
            os.path.getsize(self.file('out%d.pcap' % (1 - i))) >= wanted[i] for i in range(2)))
        process.popen.send_signal(signal.SIGINT)
        out = process.end(says=['finished successfully'])[0]
        for i, frames in enumerate(ways):
            expect(self.captured('out%d.pcap' % (1 - i)) == frames * loops, 'another order')
            expect('From mlx5_%d: %d forwarded, 0 dropped, 0 failed' % (i, loops * len(frames)) in out,
                   out)

    def test_interrupted_while_forwarding(self):
        """What is on its way ends in error callbacks, and the program as if nothing had been."""
        frames = [udp(i) for i in range(1000)]
        write_capture(self.file('in.pcap'), frames)
        self.devices('pcap:replay=%s,loops=0' % self.file('in.pcap'), self.capture())
        process = self.start('eth_l2_fwd', 'host', '-a', 'mlx5_0', '-b', 'mlx5_1')
        process.await_line('Forwarding')
        run_external.wait_until(lambda: process.popen.poll() is not None or
                                os.path.getsize(self.file('out.pcap')) > 200000)
        process.popen.send_signal(signal.SIGINT)
        process.end(says=['finished successfully'])

    def test_forwarding_with_few_batches_drops_and_goes_on(self):
        frames = [udp(i) for i in range(20000)]
        self.devices(self.replay(frames), self.capture())
        out = self.forward('-t', '1', wanted=100)
        expect('0 failed' in out or 'while stopping' in out, out)
        seen = self.captured()
        expect(seen and set(seen) <= set(frames), 'other frames')


if __name__ == '__main__':
    sys.exit(run_external.main(Tests, 'eth_', __doc__))
