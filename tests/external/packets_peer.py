#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The peer of gpu_packets, in a network namespace of its own: packets_peer.py PROGRAM FOLDER

Makes a pair of interfaces, has the program serve one end by a packet socket, and talks to it from the
other with the sockets of the kernel. Prints what went wrong; exit status 0, 1, or 77 when the
interfaces cannot be made here.
"""
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time

SKIPPED = 77
SECONDS = 60  # nothing here takes longer
SERVER, PEER, MAC = '10.9.0.1', '10.9.0.2', '02:00:00:00:00:0a'
DNS, OTHERS, PINGS = 40, 60, 5
MAX_MEMORY = 1 << 30  # bytes; the rings of the program are more than twice as large
STRANGER = '10.9.0.9'  # nobody's: what is sent to it comes to nobody but packet sockets
GETS, HEADS, POSTS, ACKS, TEXTS = 3, 2, 1, 4, 2
PASSED_ON = ('LD_LIBRARY_PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS')  # to the program


def ip(*arguments):
    return subprocess.run(['ip', *arguments], check=False, stderr=subprocess.PIPE, text=True)


def make_interfaces():
    """Why it cannot be done, or None."""
    for command in ('link add server type veth peer name peer', 'link set server address ' + MAC,
                    'link set lo up', 'link set server up', 'link set peer up',
                    'address add %s/24 dev peer' % PEER,
                    'neigh replace %s lladdr %s dev peer nud permanent' % (SERVER, MAC)):
        done = ip(*command.split())
        if done.returncode:
            return 'ip %s: %s' % (command, done.stderr.strip())
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    except OSError as error:
        return 'packet sockets: %s' % error
    return None


def checksum(data):
    total = sum(struct.unpack('!%dH' % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


class Failed(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failed(what)


class Program:
    def __init__(self, path, folder):
        devices = {'devices': [{'role': 'host', 'pci': '0000:03:00.0', 'port': 'af_packet:server',
                                'mac': MAC}]}
        config = os.path.join(folder, 'packets.json')
        with open(config, 'w', encoding='utf-8') as file:
            json.dump(devices, file)
        self.out = open(os.path.join(folder, 'packets.out'), 'w+', encoding='utf-8')
        self.popen = subprocess.Popen(
            [path, '-n', '0000:03:00.0', '-g', '0000:06:00.0', '-q', '2'], stdin=subprocess.DEVNULL,
            stdout=self.out, stderr=subprocess.STDOUT, cwd=folder,
            env={'OPENDOCA_CONFIG': config, 'OPENDOCA_RUNTIME_DIR': folder,
                 **{name: os.environ[name] for name in PASSED_ON if name in os.environ}})

    def text(self):
        with open(self.out.name, encoding='utf-8') as file:
            return file.read()

    def memory(self):
        """Bytes that are there, not only reserved."""
        with open('/proc/%d/statm' % self.popen.pid, encoding='utf-8') as file:
            return int(file.read().split()[1]) * os.sysconf('SC_PAGESIZE')

    def await_text(self, pattern):
        end = time.monotonic() + SECONDS
        while not re.search(pattern, self.text()):
            expect(self.popen.poll() is None and time.monotonic() < end, 'no "%s"' % pattern)
            time.sleep(0.01)


def send_datagrams():
    """From the same ports each time, whose hashes lead to either queue: ports that the kernel chooses may all
    lead to one."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(10)]
    for i, one in enumerate(sockets):
        one.bind(('', 20000 + i))
    for i in range(DNS):
        sockets[i % 10].sendto(b'a question', (SERVER, 53))
    for i in range(OTHERS):
        sockets[i % 10].sendto(b'x' * (10 + i), (SERVER, 9000 + i % 3))
    for one in sockets:
        one.close()


def ping():
    """Each request is answered with its text and a good checksum."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
        raw.settimeout(SECONDS)
        for number in range(PINGS):
            text = bytes(range(40 + 10 * number))
            head = struct.pack('!BBHHH', 8, 0, 0, 77, number)
            head = head[:2] + struct.pack('!H', checksum(head + text)) + head[4:]
            raw.sendto(head + text, (SERVER, 0))
            reply = raw.recv(2048)[20:]
            while reply[0] != 0:  # anything but a reply
                reply = raw.recv(2048)[20:]
            expect(reply[1] == 0 and reply[4:] == struct.pack('!HH', 77, number) + text,
                   'a reply of %s' % reply.hex())
            expect(checksum(reply) == 0, 'the checksum of a reply')


def send_stray_segment():
    """Of a connection that nobody has opened."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP) as raw:
        raw.sendto(struct.pack('!HHIIBBHHH', 4711, 80, 1, 1, 0x50, 0x18, 8192, 0, 0) + b'stray!',
                   (SERVER, 0))


class Connection:
    """From nobody, by frames of our own: none is sent again, so that all can be counted."""

    PORT = 4712

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x800))
        self.socket.bind(('peer', 0))
        self.socket.settimeout(SECONDS)
        self.next = 1000

    def send(self, flags, text=b''):
        mac = self.socket.getsockname()[4]
        ends = socket.inet_aton(STRANGER) + socket.inet_aton(SERVER)
        head = struct.pack('!HHIIBBHHH', self.PORT, 80, self.next, 1001, 0x50, flags, 8192, 0, 0)
        length = len(head) + len(text)
        total = checksum(ends + struct.pack('!HH', 6, length) + head + text + b'\0' * (length % 2))
        ip_head = struct.pack('!BBHHHBBH', 0x45, 0, 20 + length, 1, 0, 64, 6, 0) + ends
        ip_head = ip_head[:10] + struct.pack('!H', checksum(ip_head)) + ip_head[12:]
        self.socket.send(bytes.fromhex(MAC.replace(':', '')) + mac + b'\x08\0' + ip_head +
                         head[:16] + struct.pack('!H', total) + head[18:] + text)
        self.next += len(text) + bool(flags & 3)

    def receive(self):
        """Flags and text of the next frame for the stranger."""
        while True:
            frame = self.socket.recv(2048)
            if frame[30:34] == socket.inet_aton(STRANGER):
                length = struct.unpack('!H', frame[16:18])[0] - 40
                return frame[47], frame[54:54 + length]


def send_segments():
    """A connection of which each segment counts; the answers come, too."""
    connection = Connection()
    connection.send(0x02)
    expect(connection.receive()[0] == 0x12, 'no SYN, ACK')
    for request, times in ((b'GET /index.html HTTP/1.1', GETS), (b'HEAD /index.html HTTP/1.1', HEADS),
                           (b'POST /form HTTP/1.1', POSTS), (b'', ACKS), (b'hello!', TEXTS)):
        for _ in range(times):
            connection.send(0x18 if request else 0x10, request)
    heads = sorted(connection.receive()[1][:12] for _ in range(GETS + HEADS + POSTS))
    expect(heads == [b'HTTP/1.1 200'] * GETS + [b'HTTP/1.1 404'] * (HEADS + POSTS), heads)
    connection.send(0x11)
    expect(connection.receive()[0] == 0x11, 'no FIN, ACK')
    connection.send(0x04)
    connection.socket.close()


def connect():
    return socket.create_connection((SERVER, 80), timeout=SECONDS)


def ask(connection, request):
    """The answer: head, body."""
    connection.sendall(request.encode() + b' HTTP/1.1\r\nHost: server\r\n\r\n')
    answer = b''
    while True:
        data = connection.recv(2048)
        expect(data, 'the connection ends after %s' % answer)
        answer += data
        head, found, body = answer.partition(b'\r\n\r\n')
        if found and len(body) >= int(re.search(rb'Content-Length: (\d+)', head).group(1)):
            return head, body


def browse():
    with connect() as first, connect() as second:
        for one in (first, second, first):
            head, body = ask(one, 'GET /index.html')
            expect(head.startswith(b'HTTP/1.1 200 ') and body.startswith(b'<html>') and
                   body.endswith(b'</html>\n'), '%s %s' % (head, body))
        for request in ('GET /nothing', 'HEAD /index.html', 'POST /form'):
            head, body = ask(second, request)
            expect(head.startswith(b'HTTP/1.1 404 ') and body == b'', '%s %s' % (head, body))
    last = connect()
    last.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    last.close()


def talk(program):
    program.await_text('Serving')
    send_stray_segment()
    send_datagrams()
    ping()
    send_segments()
    rest = r'UDP: dns %d, others %d\. TCP: %s, others %d\. ICMP: echo %d, others 0, replies %d\. CPU: %s\.'
    program.await_text(rest % (
        DNS, OTHERS, 'get %d, head %d, post %d, ack %d' % (GETS, HEADS, POSTS, ACKS), TEXTS, PINGS, PINGS,
        'syn 1, fin 1, rst 1'))
    browse()
    # Of these, segments may have been sent again.
    program.await_text(rest % (
        DNS, OTHERS, r'get (?:[7-9]|\d\d+), head (?:[3-9]|\d\d+), post (?:[2-9]|\d\d+), '
        r'ack (?:[5-9]|\d\d+)', TEXTS, PINGS, PINGS,
        r'syn (?:[4-9]|\d\d+), fin (?:[3-9]|\d\d+), rst (?:[2-9]|\d\d+)'))
    expect(program.memory() < MAX_MEMORY, '%d bytes in memory' % program.memory())
    program.popen.send_signal(signal.SIGINT)
    expect(program.popen.wait(SECONDS) == 0, 'ends with %d' % program.popen.returncode)
    expect('finished successfully' in program.text(), 'no success')
    blocks = re.search(r'Datagrams of each block: (\d+) (\d+)\n', program.text())
    expect(blocks is not None, 'what each block received')
    shares = [int(share) for share in blocks.groups()]
    expect(min(shares) > 0 and sum(shares) == DNS + OTHERS, shares)


def main(path, folder):
    reason = make_interfaces()
    if reason is not None:
        print(reason)
        return SKIPPED
    program = Program(path, folder)
    try:
        talk(program)
    except (Failed, OSError, subprocess.TimeoutExpired) as failed:
        print('gpu_packets: %s\n%s' % (failed, program.text()[-3000:]))
        return 1
    finally:
        program.popen.kill()
        program.popen.wait()
        program.out.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
