#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The front door: run, pair, device, doctor, vendor-path, demo."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import fixture
from fixture import ToolTest, clean_environment
import strict_json

DPU, HOST = '0000:03:00.0', '0000:b1:00.0'
USAGE = 2
SH = '/bin/sh'

DOCTOR = {'healthy': bool,
          'checks': [{'name': str, 'verdict': ('found', 'missing', 'optional'), 'found': str,
                      'fix': str}]}

# Prints whether interfaces write the VLAN tags of those who send (ETHTOOL_GFLAGS, ETH_FLAG_TXVLAN).
FLAGS = """
import ctypes, fcntl, socket, struct, sys
for name in sys.argv[1:]:
    value = ctypes.create_string_buffer(struct.pack('II', 0x25, 0))
    with socket.socket() as asked:
        fcntl.ioctl(asked, 0x8946, struct.pack('16sP16x', name.encode(), ctypes.addressof(value)))
    print(name, 'txvlan', struct.unpack('II', value.raw[:8])[1] >> 7 & 1)
"""


class OpendocaTest(ToolTest):
    def opendoca(self, *arguments, **options):
        return self.run_tool('opendoca', *arguments, **options)


class Front(OpendocaTest):
    def test_help_and_version(self):
        commands = ('run', 'pair', 'demo', 'device', 'doctor', 'port', 'stats', 'vendor-path', 'up', 'wire')
        for option in ('-h', '--help', 'help'):
            out = self.opendoca(option).stdout
            for command in commands:
                self.assertIn('  %s ' % command, out)
        self.assertIn('DOCA API', self.opendoca('--version').stdout)
        for command in commands:
            self.assertIn('Usage: opendoca ' + command, self.opendoca(command, '--help').stdout)

    def test_a_wrong_command_line_is_told_on_standard_error(self):
        for arguments in (['nope'], ['run'], ['run', '--nope'], ['run', '--role', 'guest', 'x'],
                          ['pair'], ['pair', '--', 'a'], ['device'], ['device', 'show'],
                          ['doctor', '--nope'], ['port'], ['port', 'add', 'veth0'], ['stats', 'x'], ['wire', 'x'],
                          ['port', 'add', 'veth0', '--as', 'nonsense'],
                          ['port', 'add', 'veth0', '--as', DPU, '--kind', 'nonsense'], ['vendor-path'], ['vendor-path', 'maybe'],
                          ['demo', '--size', 'big'], ['demo', '--part', 'lunch'], ['demo', 'lunch'], ['pair', '--nope', '--', 'a', '--', 'b']):
            result = self.opendoca(*arguments, status=USAGE)
            self.assertEqual(result.stdout, '')
            self.assertNotEqual(result.stderr, '')

    def test_output_that_cannot_be_written_is_an_error(self):
        for arguments in (['--help'], ['device', 'list'], ['doctor']):
            with open('/dev/full', 'w') as full:
                status = subprocess.call([fixture.STAGE.tool('opendoca')] + arguments, stdout=full,
                                         stderr=subprocess.DEVNULL, env=clean_environment())
            self.assertNotEqual(status, 0, arguments)


class Port(OpendocaTest):
    def folder(self):
        path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, path)
        return path

    def test_a_device_is_given_an_interface(self):
        path = os.path.join(self.folder(), 'devices.json')
        for _ in range(2):
            out = self.opendoca('port', 'add', 'veth7', '--as', DPU, '--file', path).stdout
            self.assertIn('af_packet:veth7', out)
        with open(path) as devices:
            self.assertEqual(json.load(devices)['devices'], [
                {'role': 'host', 'pci': DPU, 'iface': 'veth7', 'port': 'af_packet:veth7'}])
        out = self.opendoca('port', 'add', 'tap7', '--as', DPU, '--kind', 'tap', '--role', 'dpu',
                            '--file', path).stdout
        self.assertIn('tap:tap7', out)
        out = self.opendoca('port', 'list', config=path).stdout
        self.assertIn('af_packet:veth7', out)
        self.assertIn('tap:tap7', out)

    def test_a_wrong_argument_is_named(self):
        add, capture = ['port', 'add', 'veth7'], ['port', 'capture', 'veth7']
        for arguments, wanted in (
                (['port', 'add'], 'the interface is missing'),
                (add, '--as PCI is missing'),
                (add + ['--as'], "nothing stands behind '--as'"),
                (add + ['--as', 'x'], "--as is 'x'"),
                (add + ['--us', 'x'], "no option '--us'"),
                (add + ['--as', DPU, '--role', 'guest'], "--role is 'guest', allowed: host, dpu"),
                (add + ['--as', DPU, '--kind', 'xdp'], "--kind is 'xdp', allowed: af_packet, af_xdp, tap"),
                (['port', 'capture'], 'the device is'),
                (capture, "-w is ''"),
                (capture + ['-w'], "-w is ''"),
                (capture + ['-w', '-', '-c', 'few'], "-c is 'few'"),
                (capture + ['-w', '-', '--only', 'up'], "--only is 'up', allowed: rx, tx"),
                (capture + ['-w', '-', '--queue', '70000'], "--queue is '70000', allowed: a number up to 65535"),
                (capture + ['-x', '-'], "an option is '-x'")):
            result = self.opendoca(*arguments, status=USAGE)
            self.assertIn(wanted, result.stderr)
            self.assertEqual(result.stderr.count('\n'), 1, result.stderr)
        for word in ('list', 'add', 'capture'):
            self.assertIn('Usage: opendoca port', self.opendoca('port', word, '--help').stdout)

    def test_a_kind_that_is_not_the_default_and_an_interface_that_is_not_there(self):
        path = os.path.join(self.folder(), 'devices.json')
        result = self.opendoca('port', 'add', 'odnone', '--as', DPU, '--kind', 'af_xdp', '--file', path)
        self.assertIn('af_xdp:odnone', result.stdout)
        self.assertIn('no interface odnone', result.stderr)

    def test_a_file_that_is_none_is_left_alone(self):
        path = os.path.join(self.folder(), 'devices.json')
        with open(path, 'w') as devices:
            devices.write('{nonsense')
        result = self.opendoca('port', 'add', 'veth7', '--as', DPU, '--file', path, status=1)
        self.assertIn(path, result.stderr)
        with open(path) as devices:
            self.assertEqual(devices.read(), '{nonsense')

    def test_a_wire_has_two_ends(self):
        if subprocess.call(['unshare', '--net', 'ip', 'link', 'add', 'odw0', 'type', 'veth', 'peer',
                            'name', 'odw1'], stderr=subprocess.DEVNULL):
            self.skipTest('no right to make interfaces in a network namespace')
        path = os.path.join(self.folder(), 'wire.json')
        tool = fixture.STAGE.tool('opendoca')
        script = ('"$0" wire --file "$1" && "$0" wire on --file "$1" && ip -o link show odw1 && '
                  '"$2" -c "$3" odw0 odw1 && '
                  '"$0" wire off && ! ip link show odw1 2>/dev/null')
        result = self.run_tool(shutil.which('unshare'), '--net', SH, '-c', script, tool, path,
                               sys.executable, FLAGS)
        out = result.stdout
        self.assertIn('OPENDOCA_CONFIG=' + path, out)
        # Tags are in the frames that are sent, and not lost by ports that see nothing else.
        self.assertIn('odw0 txvlan 0\nodw1 txvlan 0\n', out)
        self.assertEqual(result.stderr, '')
        out = self.opendoca('port', 'list', config=path).stdout
        self.assertIn('af_packet:odw0', out)
        self.assertIn('af_packet:odw1', out)

        # What was made for nothing goes again; what is another's stays.
        script = ('! "$0" wire --file /nowhere/x && ! ip link show odw0 2>/dev/null && '
                  'ip link add odw0 type veth peer name odx && ! "$0" wire --file "$1" && ip link show odx && '
                  'ip link add odw1 type veth peer name ody && ! "$0" wire --file "$1" && ip link show ody')
        result = self.run_tool(shutil.which('unshare'), '--net', SH, '-c', script, tool, path)
        self.assertEqual(result.stderr.count('an interface odw0 that is no end'), 2, result.stderr)

    def test_without_programs_there_is_nothing_to_show(self):
        env = {'OPENDOCA_RUNTIME_DIR': self.folder()}
        self.assertIn('no program', self.opendoca('stats', env=env).stdout)
        self.assertEqual(json.loads(self.opendoca('stats', '--json', env=env).stdout),
                         {'ports': []})


class Run(OpendocaTest):
    def devices(self, *options):
        out = self.opendoca('run', *options, '--', fixture.HELPER).stdout
        return {line.split()[0] for line in out.splitlines()}

    def test_the_program_has_the_role(self):
        self.assertEqual(self.devices('--role', 'host'), {HOST})
        self.assertEqual(self.devices('--role', 'dpu'), {DPU})

    def test_the_program_has_the_devices_file(self):
        self.assertEqual(self.devices('--role', 'dpu', '--config', self.example_config()),
                         {DPU, '0000:03:00.1'})

    def test_the_program_finds_the_libraries_of_this_tree(self):
        out = self.opendoca('run', SH, '-c', 'echo $LD_LIBRARY_PATH').stdout
        self.assertEqual(os.path.realpath(out.split(':')[0].strip()), fixture.STAGE.libdir)

    def test_engine_and_faults_go_into_the_environment(self):
        out = self.opendoca('run', '--faults', 'fail:3', SH, '-c',
                            'echo $OPENDOCA_COPY_ENGINE $OPENDOCA_FAULTS').stdout
        self.assertEqual(out, 'error fail:3\n')
        out = self.opendoca('run', '--engine', 'inline', SH, '-c',
                            'echo $OPENDOCA_COPY_ENGINE').stdout
        self.assertEqual(out, 'inline\n')

    def test_an_engine_that_does_not_exist_is_refused(self):
        result = self.opendoca('run', '--engine', 'nope', SH, '-c', 'echo ran', status=USAGE)
        self.assertEqual(result.stdout, '')
        engines = re.search(r"no copy engine 'nope'; there are: (.*)", result.stderr).group(1)
        self.assertIn('threads', engines.split(', '))
        self.assertIn('copy engine: %s\n' % engines, self.opendoca('run', '--help').stdout)
        for engine in engines.split(', '):
            self.opendoca('run', '--engine', engine, '/bin/true')

    def test_the_exit_status_is_that_of_the_program(self):
        self.opendoca('run', SH, '-c', 'exit 7', status=7)
        self.opendoca('run', '/nonexistent', status=127)
        self.opendoca('run', '/etc/passwd', status=126)

    def test_arguments_of_the_program_are_its_own(self):
        out = self.opendoca('run', '--role', 'dpu', SH, '-c', 'echo "$@"', 'x', '--role', 'host')
        self.assertEqual(out.stdout, '--role host\n')


class Service(OpendocaTest):
    """Each test has a daemon of its own, in a runtime folder of its own."""

    def setUp(self):
        self.folder = os.path.join(fixture.STAGE.scratch, self.id().rsplit('.', 1)[-1][:20])
        os.mkdir(self.folder, 0o700)
        self.env = {'OPENDOCA_RUNTIME_DIR': self.folder, 'DOCA_UROM_SOCKET': None,
                    'DOCA_UROM_PROBE_TIMEOUT_MS': '60000',
                    'DOCA_UROM_CONNECT_TIMEOUT_MS': '60000'}
        self.addCleanup(self.service, 'down', status=None)

    def service(self, *arguments, **options):
        return self.opendoca(*arguments, env=self.env, **options)

    def test_up_status_down(self):
        self.assertIn('no service', self.service('down').stdout)
        self.service('status', status=1)
        out = self.service('up').stdout
        self.assertRegex(out, 'is up, process [0-9]+')
        self.assertIn('up already', self.service('up').stdout)
        self.assertIn('healthy', self.service('status').stdout)
        self.assertIn('is down', self.service('down').stdout)
        self.service('status', status=1)

    def test_options_of_the_daemon_are_passed_on(self):
        self.service('up', '--', '--max-msg-size', '8192')
        status = json.loads(self.run_tool('doca_urom_ctl', '--json', 'status',
                                          env=self.env).stdout)
        self.assertEqual(status['service']['limits']['max_msg_size'], 8192)

    def test_a_daemon_that_cannot_start_is_told(self):
        result = self.service('up', '--', '--cpuset', 'none', status=1)
        self.assertIn('ends with status 1', result.stderr)
        self.assertRegex(result.stderr, '(?m)^opendoca up: --cpuset: "none" is not a list of CPUs')
        result = self.service('up', '--', '--cpuset', '1023', status=1)
        self.assertRegex(result.stderr, '(?m)^opendoca up: --cpuset: "1023" is not any of the CPUs that there are: 0')
        result = self.service('up', '--', '--bogus', status=1)
        self.assertIn('--bogus is an unknown flag', result.stderr)
        self.assertEqual(result.stderr.count('\n'), 2, result.stderr)

    def test_help_and_options_for_one_that_is_up(self):
        self.assertIn('--max-workers', self.service('up', '--', '--help').stdout)
        self.service('status', status=1)
        self.service('up')
        self.assertIn("'--max-workers' is ignored", self.service('up', '--', '--max-workers', '3').stderr)

    @staticmethod
    def runs(pid):
        try:
            with open('/proc/%d/stat' % pid, encoding='ascii') as file:
                return file.read().rsplit(')', 1)[1].split()[0] not in 'ZX'
        except OSError:
            return False

    def pid(self):
        return int(re.search('process ([0-9]+)', self.service('up').stdout).group(1))

    def test_one_that_does_not_answer_is_named_and_ended(self):
        pid = self.pid()
        self.env['DOCA_UROM_CONNECT_TIMEOUT_MS'] = '1000'
        os.kill(pid, signal.SIGSTOP)
        told = 'process %d has the card and does not answer; opendoca down ends it' % pid
        self.assertIn(told, self.service('up', status=1).stderr)
        self.assertIn('does not answer', self.service('status', status=4).stderr)
        self.assertIn('is down; it did not answer', self.service('down').stdout)
        self.assertFalse(self.runs(pid))
        self.assertIn('no service', self.service('down').stdout)

    def test_one_whose_socket_is_gone_is_named_and_ended(self):
        pid = self.pid()
        for name in os.listdir(self.folder):
            if name.startswith('link-'):
                os.unlink(os.path.join(self.folder, name))
        self.assertIn('process %d has the card' % pid, self.service('up', status=1).stderr)
        self.assertIn('is down; it did not answer', self.service('down').stdout)
        self.assertFalse(self.runs(pid))

    def test_down_without_access_tells_why(self):
        pid = self.pid()
        os.chmod(self.folder, 0o777)
        self.assertIn('may be written by others', self.service('down', status=1).stderr)
        self.assertTrue(self.runs(pid))
        os.chmod(self.folder, 0o700)
        self.assertIn('is down', self.service('down').stdout)

    def test_a_folder_of_plugins_that_is_not_there_is_told(self):
        self.env['UROM_PLUGIN_PATH'] = '/nowhere/plugins'
        told = 'folder /nowhere/plugins of UROM_PLUGIN_PATH cannot be read: No such file'
        self.assertIn(told, self.service('up').stderr)
        out = self.service('status', status=2).stdout
        self.assertIn('degraded', out)
        self.assertIn(told, out)

    def test_a_socket_that_is_not_there_is_named(self):
        err = self.run_tool('doca_urom_ctl', '--socket', '/nope', 'status', env=self.env, status=1).stderr
        self.assertIn('nobody listens at /nope: No such file', err)
        self.assertIn('opendoca up starts', self.service('status', status=1).stderr)

    def test_a_wrong_command_is_named(self):
        self.assertIn("no command 'bogus'", self.run_tool('doca_urom_ctl', 'bogus', env=self.env, status=3).stderr)

    def test_doctor_says_whether_it_is_up(self):
        def checks():
            report = strict_json.parse(self.service('doctor', '--json').stdout)
            return {check['name']: check for check in report['checks']}

        found = checks()
        self.assertEqual(found['runtime folder']['found'], os.path.realpath(self.folder))
        self.assertEqual(found['UROM service']['verdict'], 'optional')
        self.assertIn('UCX', found)
        pid = self.pid()
        self.assertIn('process %d at ' % pid, checks()['UROM service']['found'])

    def test_run_starts_it_when_asked_to(self):
        for word in ('is up,', 'is up already'):
            result = self.service('run', '--up', SH, '-c', 'echo ran')
            self.assertEqual(result.stdout, 'ran\n')
            self.assertIn(word, result.stderr)
        self.assertIn('healthy', self.service('status').stdout)

    def test_several_may_start_it_at_once(self):
        both = [subprocess.Popen([fixture.STAGE.tool('opendoca'), 'run', '--up', SH, '-c',
                                  'echo ran'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, env=clean_environment(**self.env))
                for _ in range(3)]
        for one in both:
            out, err = one.communicate(timeout=fixture.TIMEOUT)
            self.assertEqual((one.returncode, out), (0, 'ran\n'), err)
        status = json.loads(self.run_tool('doca_urom_ctl', '--json', 'status',
                                          env=self.env).stdout)
        self.assertEqual(status['health'], 'healthy')


class Pair(OpendocaTest):
    def pair(self, host, dpu, *options, **more):
        return self.opendoca('pair', *options, '--', SH, '-c', host, '--', SH, '-c', dpu, **more)

    def test_both_have_their_role_and_a_prefix(self):
        result = self.opendoca('pair', '--', fixture.HELPER, '--', fixture.HELPER)
        lines = [line.split() for line in result.stdout.splitlines()]
        self.assertEqual({(line[0], line[1]) for line in lines if line[0] == '[host]'},
                         {('[host]', HOST)})
        self.assertEqual({line[2] for line in lines if line[0] == '[dpu'}, {DPU})

    def test_both_streams_are_kept_apart(self):
        result = self.pair('echo out; echo err >&2', 'printf unfinished')
        self.assertEqual(result.stdout.splitlines().count('[host] out'), 1)
        self.assertIn('[dpu ] unfinished', result.stdout.splitlines())
        self.assertEqual(result.stderr, '[host] err\n')

    def test_output_that_is_lost_is_a_failure(self):
        with open('/dev/full', 'wb') as full:
            result = self.opendoca('pair', '--', SH, '-c', 'echo out; exec sleep 1000', '--', SH,
                                   '-c', 'true', status=1, stdout=full)
        self.assertIn('No space left', result.stderr)

    def test_a_failure_of_either_is_the_status(self):
        self.pair('exit 3', 'exit 0', status=3)
        self.pair('exit 0', 'exit 4', status=4)
        self.pair('kill -9 $$', 'true', status=128 + signal.SIGKILL)

    def test_a_failure_ends_the_other_one(self):
        endless = 'exec sleep 1000'
        self.pair('exit 3', endless, status=3)
        self.pair(endless, 'exit 4', status=4)

    def test_what_a_program_leaves_behind_does_not_keep_the_pair(self):
        result = self.pair('sleep 60 & echo left $!; wait', 'exit 3', '--dpu-after', 'left',
                           status=3)
        os.kill(int(result.stdout.split()[-1]), signal.SIGKILL)

    def test_a_hangup_ends_both(self):
        pair = subprocess.Popen([fixture.STAGE.tool('opendoca'), 'pair', '--', SH, '-c',
                                 'echo up; read x',
                                 '--', SH, '-c', 'exec sleep 60'], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, env=clean_environment())
        with pair:
            self.assertIn(b'up', pair.stdout.readline())
            pair.send_signal(signal.SIGHUP)
            self.assertEqual(pair.wait(timeout=fixture.TIMEOUT), 128 + signal.SIGHUP)

    def test_one_can_wait_for_a_line_of_the_other(self):
        started = self.scratch_file('')
        os.unlink(started)
        result = self.pair('echo booting; : > %s; echo "ready now"; cat' % started,
                           'test -e %s && echo begun' % started, '--dpu-after', 'ready')
        self.assertIn('[dpu ] begun', result.stdout)
        result = self.pair('echo begun', 'echo booting; echo up', '--host-after', 'up')
        self.assertLess(result.stdout.index('up'), result.stdout.index('begun'))

    def test_a_line_that_never_comes_is_an_error(self):
        result = self.pair('echo hello', 'echo never', '--dpu-after', 'ready', status=1)
        self.assertNotIn('never', result.stdout)

    def test_the_input_of_the_host_ends_with_the_dpu(self):
        self.assertIn('[host] ended', self.pair('cat; echo ended', 'true').stdout)

    def test_input_reaches_the_host(self):
        result = subprocess.run(
            [fixture.STAGE.tool('opendoca'), 'pair', '--', SH, '-c', 'read line; echo "got $line"',
             '--', SH, '-c', 'true'], input='a word\n', text=True, capture_output=True,
            check=True, timeout=fixture.TIMEOUT, env=clean_environment())
        # The DPU program may be over before the line is there.
        self.assertRegex(result.stdout, r'\[host\] got (a word)?')

    def test_a_program_that_does_not_exist(self):
        self.opendoca('pair', '--', '/nonexistent', '--', SH, '-c', 'true', status=127)


class Device(OpendocaTest):
    def test_devices_of_both_roles_are_listed(self):
        out = self.opendoca('device', 'list').stdout
        self.assertIn('built-in', out)
        self.assertRegex(out, r'(?m)^dpu +%s ' % DPU)
        self.assertRegex(out, r'(?m)^host +%s ' % HOST)

    def test_a_device_is_shown_by_any_of_its_names(self):
        for name in (DPU, '03:00.0', 'p0'):
            out = self.opendoca('device', 'show', name, config=self.example_config()).stdout
            self.assertTrue(out.startswith('dpu device ' + DPU))
            self.assertIn('DMA memcpy', out)
            self.assertRegex(out, r'(?m)^  copy engine +\S')
            self.assertIn('representor of   %s' % HOST, out)

    def test_an_unknown_device_and_a_broken_file_are_errors(self):
        self.assertIn('mlx5_77', self.opendoca('device', 'show', 'mlx5_77', status=1).stderr)
        broken = self.scratch_file('{')
        self.assertIn(broken, self.opendoca('device', 'list', config=broken, status=1).stderr)


class Doctor(OpendocaTest):
    def test_each_check_has_a_verdict_and_a_fix(self):
        report = strict_json.parse(self.opendoca('doctor', '--json').stdout)
        self.assertEqual(list(strict_json.complaints(report, DOCTOR)), [])
        self.assertTrue(report['healthy'])
        checks = {check['name']: check for check in report['checks']}
        self.assertEqual(checks['devices']['verdict'], 'found')
        for check in report['checks']:
            self.assertEqual(check['verdict'] == 'found', check['fix'] == '', check)
        text = self.opendoca('doctor').stdout
        for name in checks:
            self.assertIn(name, text)

    def test_what_is_broken_is_missing(self):
        broken = self.scratch_file('{')
        report = strict_json.parse(self.opendoca('doctor', '--json', config=broken,
                                                 status=1).stdout)
        self.assertFalse(report['healthy'])
        checks = {check['name']: check for check in report['checks']}
        self.assertEqual(checks['devices']['verdict'], 'missing')
        self.assertIn(broken, checks['devices']['found'])
        self.opendoca('doctor', role='guest', status=1)


class VendorPath(OpendocaTest):
    def setUp(self):
        self.folder = os.path.join(fixture.STAGE.scratch, self.id().rsplit('.', 1)[-1])
        self.link = os.path.join(self.folder, 'doca')

    def vendor_path(self, word, **options):
        return self.opendoca('vendor-path', word, env={'OPENDOCA_VENDOR_FOLDER': self.folder},
                             **options)

    def test_on_and_off(self):
        self.assertIn('off', self.vendor_path('status').stdout)
        for _ in range(2):
            self.vendor_path('on')
            self.assertEqual(os.readlink(self.link), fixture.STAGE.prefix)
        self.assertTrue(os.path.exists(os.path.join(self.link, 'applications', 'VERSION')))
        self.assertIn('on', self.vendor_path('status').stdout)
        self.run_tool(os.path.join(self.link, 'tools', 'doca_caps'))
        for _ in range(2):
            self.vendor_path('off')
            self.assertFalse(os.path.lexists(self.folder))

    def test_a_real_sdk_is_never_touched(self):
        os.makedirs(self.link)
        marker = os.path.join(self.link, 'VERSION')
        with open(marker, 'w', encoding='ascii') as file:
            file.write('2.9.0\n')
        for word in ('on', 'off'):
            self.assertIn('real SDK', self.vendor_path(word, status=1).stderr)
        self.assertIn('real SDK', self.vendor_path('status').stdout)
        self.assertTrue(os.path.exists(marker))

    def test_a_link_of_somebody_else_is_never_touched(self):
        os.mkdir(self.folder)
        os.symlink('/elsewhere', self.link)
        for word in ('on', 'off'):
            self.assertIn('/elsewhere', self.vendor_path(word, status=1).stderr)
        self.assertEqual(os.readlink(self.link), '/elsewhere')

    def test_other_files_of_the_folder_stay(self):
        os.mkdir(self.folder)
        os.mkdir(os.path.join(self.folder, 'other'))
        self.vendor_path('on')
        self.vendor_path('off')
        self.assertEqual(os.listdir(self.folder), ['other'])


class Demo(OpendocaTest):
    def test_a_file_goes_to_the_card_and_back(self):
        folder = os.path.join(fixture.STAGE.scratch, 'demo')
        os.mkdir(folder)
        out = self.opendoca('demo', '--part', 'dma', '--size', '16M', '--dir', folder).stdout
        self.assertIn('after the round trip: equal', out)
        self.assertIn('memcpy', out)
        self.assertIn('demo passed', out)
        self.assertEqual(os.listdir(folder), [])

    def test_a_service_works_for_four_programs(self):
        folder = os.path.join(fixture.STAGE.scratch, 'demo-urom')
        os.mkdir(folder)
        out = self.opendoca('demo', '--part', 'urom', '--dir', folder).stdout
        self.assertRegex(out, r'urom +put .*: right')
        self.assertRegex(out, r'urom +400 atomic additions to one word: 400\n')
        self.assertEqual(len(re.findall(r'has executed [0-9]{3,} commands, 0 failed', out)), 4)
        self.assertIn('the next put says DOCA_ERROR_NOT_PERMITTED', out)
        self.assertIn('demo passed', out)
        self.assertEqual(os.listdir(folder), [])

    def test_a_size_that_ends_inside_a_page(self):
        out = self.opendoca('demo', '--part', 'dma', '--size', '5000001', '--dir',
                            fixture.STAGE.scratch).stdout
        self.assertIn('demo passed', out)

    def demo_in_folder_of(self, size, script):
        """The script has the folder, which is gone afterwards, and the tool."""
        folder = os.path.join(fixture.STAGE.scratch, 'sized')
        os.makedirs(folder, exist_ok=True)
        mount = 'mount -t tmpfs -o size=%s none "$0" && ' % size
        if subprocess.call(['unshare', '--mount', SH, '-c', mount + 'true', folder],
                           stderr=subprocess.DEVNULL):
            self.skipTest('no right to mount a file system of %s' % size)
        return folder, self.run_tool(shutil.which('unshare'), '--mount', SH, '-c', mount + script,
                                     folder, fixture.STAGE.tool('opendoca'))

    def test_a_folder_that_is_too_small_is_told_before_it_is_filled(self):
        folder, result = self.demo_in_folder_of(
            '4m', '"$1" demo --part dma --size 8M --dir "$0"; [ $? = 1 ] && ls "$0"')
        self.assertRegex(result.stderr, 'need 16777216 bytes in %s/.*, where [0-9]+ are free' % folder)
        self.assertIn('--size', result.stderr)
        self.assertIn('demo FAILED', result.stdout)
        self.assertEqual(result.stdout.splitlines()[-1][:4], 'demo')  # no file

    def test_a_folder_that_fills_up_meanwhile_is_told(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        # Other than by a limit on files, a disk is not full in the middle of it on demand.
        err = self.opendoca('demo', '--part', 'dma', '--size', '2M', '--dir', fixture.STAGE.scratch,
                            status=1, preexec_fn=limit, restore_signals=False).stderr
        self.assertRegex(err, 'cannot write %s/.*: File too large .1048576 bytes are left to write, '
                              '[0-9]+ are free there' % fixture.STAGE.scratch)

    def test_more_memory_than_there_is_is_told_before_it_is_taken(self):
        _, result = self.demo_in_folder_of(
            '1000000g', '"$1" demo --part dma --size 400000G --dir "$0"; [ $? = 1 ]')
        self.assertRegex(result.stderr, 'need 1288490188800000 bytes of memory, [0-9]+ are available')

    def test_whoever_gives_up_finds_nothing_left(self):
        for number, part in ((signal.SIGINT, 'dma'), (signal.SIGTERM, 'dma'), (signal.SIGTERM, 'urom')):
            folder = os.path.join(fixture.STAGE.scratch, 'given-up')
            os.mkdir(folder)
            demo = subprocess.Popen([fixture.STAGE.tool('opendoca'), 'demo', '--part', part, '--size',
                                     '64M', '--dir', folder], stdout=subprocess.PIPE,
                                    env=clean_environment())
            with demo:
                demo.stdout.readline()
                demo.send_signal(number)
                # or it was quicker than the signal
                self.assertIn(demo.wait(timeout=fixture.TIMEOUT), (128 + number, 0))
            self.assertEqual(os.listdir(folder), [])
            os.rmdir(folder)

    def test_a_folder_that_is_not_there(self):
        self.assertIn('/nonexistent',
                      self.opendoca('demo', '--dir', '/nonexistent', status=1).stderr)


if __name__ == '__main__':
    fixture.main()
