#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""doca_caps: options, exit codes, families, and that its values are those of the API."""
import glob
import itertools
import os
import re
import unittest

import fixture
from fixture import ToolTest, ZERO_DEVICES, devices_file
from stage import library_path

DEVICE_ATTRIBUTES = ['ibdev_name', 'iface_name', 'iface_index', 'pci_func_type', 'uplink_ib_port',
                     'mac_addr', 'ipv4_addr', 'ipv6_addr']
REP_ATTRIBUTES = ['ib_port', 'host_index', 'pf_index', 'vf_index', 'pci_func_type', 'hotplug',
                  'vuid', 'iface_name', 'iface_index']
CAPABILITIES = {
    'common': ['mmap_export_pci', 'mmap_create_from_export_pci', 'hotplug_manager',
               'notification_moderation', 'accelerate_resource_reclaim', 'rep_filter_all',
               'rep_filter_net', 'rep_filter_emulated', 'mmap_advise_cache_invalidate'],
    'dma': ['task_memcpy', 'max_buf_size', 'max_buf_list_len', 'max_num_tasks'],
    'comch': ['server', 'client', 'max_name_len', 'max_msg_size', 'max_recv_queue_size',
              'max_send_tasks', 'max_clients', 'consumer', 'consumer_max_num_tasks',
              'consumer_max_buf_size', 'consumer_max_buf_list_len', 'consumer_max_consumers',
              'consumer_max_imm_data_len', 'producer', 'producer_max_num_tasks',
              'producer_max_buf_size', 'producer_max_buf_list_len', 'producer_max_producers'],
    'eth': ['rxq_type_regular', 'rxq_type_managed_mempool', 'rxq_type_cyclic', 'rxq_type_cyclic_gpu',
            'rxq_max_burst_size', 'rxq_max_packet_size', 'rxq_max_metadata_num',
            'rxq_max_packet_headroom', 'rxq_max_packet_tailroom', 'rxq_max_recv_buf_list_len',
            'txq_type_regular', 'txq_type_regular_gpu', 'txq_max_burst_size',
            'txq_max_metadata_num', 'txq_max_send_buf_list_len', 'txq_max_lso_header_size',
            'txq_max_lso_msg_size', 'txq_l3_chksum_offload', 'txq_l4_chksum_offload',
            'txq_wait_on_time_offload'],
    'flow': ['pipe_basic', 'pipe_control', 'pipe_lpm', 'counters', 'meters', 'header_rewrite',
             'vlan_push_pop', 'tunnels', 'fwd_rss', 'fwd_port', 'fwd_kernel'],
}
LOGGERS = ['DOCA_DEV', 'DOCA_CTX', 'DOCA_PE', 'DOCA_MMAP', 'DOCA_BUF', 'DOCA_DMA', 'DOCA_ARGP']
DPU, HOST = '0000:03:00.0', '0000:b1:00.0'
LIST_OPTIONS = ['--list-devs', '--list-rep-devs', '--list-libs', '--list-loggers']

LEVEL = 4  # blanks of one level of indentation


def parse(text):
    """[(level, name, value)] of the lines."""
    lines = []
    for line in text.splitlines():
        words = line.split(None, 1)
        if not words:
            continue
        lines.append(((len(line) - len(line.lstrip())) // LEVEL, words[0],
                      words[1] if len(words) > 1 else ''))
    return lines


def capabilities(text):
    """{(PCI address, library, name): [values]}; sub functions share an address."""
    found, pci, library = {}, None, None
    for level, name, value in parse(text):
        if level == 0:
            pci = value
        elif level == 1:
            library = name
        else:
            found.setdefault((pci, library, name), []).append(value)
    return found


class Caps(ToolTest):
    def caps(self, *arguments, **options):
        return self.run_tool('doca_caps', *arguments, **options)

    def assert_refused(self, *arguments, **options):
        result = self.caps(*arguments, status=1, **options)
        self.assertEqual(result.stdout, '')
        self.assertNotEqual(result.stderr, '')
        return result.stderr


class Options(Caps):
    def test_without_options_it_lists_capabilities_of_every_device(self):
        for role, pci in (('host', HOST), ('dpu', DPU), (None, HOST)):
            found = capabilities(self.caps(role=role).stdout)
            for library, names in CAPABILITIES.items():
                for name in names:
                    self.assertIn((pci, library, name), found)

    def test_each_device_attribute_is_there(self):
        lines = parse(self.caps('--list-devs').stdout)
        self.assertEqual(lines[0], (0, 'PCI:', HOST))
        self.assertEqual(sorted(name for level, name, _ in lines if level == 1),
                         sorted(DEVICE_ATTRIBUTES))

    def test_each_representor_attribute_is_there(self):
        lines = parse(self.caps('--list-rep-devs', role='dpu').stdout)
        self.assertEqual(lines[:2], [(0, 'PCI:', DPU), (1, 'representor-PCI:', HOST)])
        self.assertEqual(sorted(name for level, name, _ in lines if level == 2),
                         sorted(REP_ATTRIBUTES))

    def test_a_host_device_has_no_representors(self):
        self.assertEqual(self.caps('--list-rep-devs', role='host').stdout, 'PCI: %s\n' % HOST)

    def test_libraries_are_installed_or_not(self):
        lines = [line.split(None, 1) for line in self.caps('--list-libs').stdout.splitlines()]
        found = dict(lines)
        self.assertEqual(len(found), len(lines))
        self.assertLessEqual(set(found.values()), {'installed', 'not installed'})
        for name in ('doca-common', 'doca-dma', 'doca-comch', 'doca-argp'):
            self.assertEqual(found[name], 'installed')
        self.assertEqual(found['doca-compress'], 'not installed')
        self.assertIn('doca-urom', found)

    def test_log_sources_have_a_line_each(self):
        found = self.caps('--list-loggers').stdout.split('\n')
        for name in LOGGERS:
            self.assertIn(name, found)

    def test_several_lists_come_in_the_order_of_families(self):
        for role in ('host', 'dpu'):
            single = {option: self.caps(option, role=role).stdout for option in LIST_OPTIONS}
            for number in range(1, len(LIST_OPTIONS) + 1):
                for chosen in itertools.combinations(LIST_OPTIONS, number):
                    result = self.caps(*reversed(chosen), role=role)
                    self.assertEqual(result.stdout, ''.join(single[option] for option in chosen))

    def test_an_address_restricts_the_families_of_devices(self):
        config = self.example_config()
        for address in ('03:00.1', '0000:03:00.1', '0000:03:00.1'.upper()):
            for option in ([], ['--list-devs'], ['--list-rep-devs']):
                out = self.caps(*option, '-p', address, role='dpu', config=config).stdout
                self.assertEqual(re.findall(r'^PCI: (.*)$', out, re.M), ['0000:03:00.1'])
                self.assertEqual(out, self.caps('--pci-addr=' + address, *option, role='dpu',
                                                config=config).stdout)

    def test_an_address_of_no_device_is_an_empty_answer(self):
        for option in ([], ['--list-devs'], ['--list-rep-devs']):
            self.assertEqual(self.caps(*option, '-p', '77:00.0').stdout, '')

    def module_of_af_xdp(self):
        return next(iter(glob.glob(os.path.join(fixture.STAGE.prefix, '**', 'libopendoca_nic_af_xdp.so'),
                                   recursive=True)), None)

    def test_a_port_that_is_not_installed_has_no_capabilities(self):
        module = self.module_of_af_xdp()
        config = self.scratch_file(devices_file(*[
            {'role': 'host', 'pci': '0000:03:00.%d' % i, 'port': port}
            for i, port in enumerate(['af_xdp:nosuch0', 'error:drop=2;af_xdp:nosuch0', 'loop'])]))
        # The checked flavour has to be that of the stage, too: that of the build has another module.
        flavour = os.path.join(fixture.STAGE.libdir, 'trace')
        env = {'LD_LIBRARY_PATH': flavour} if library_path() else None
        if module:
            os.rename(module, module + '.away')
        try:
            out = self.caps('--lib', 'eth', role='host', config=config, env=env).stdout
        finally:
            if module:
                os.rename(module + '.away', module)
        found = capabilities(out)
        for i in range(2):
            for name in CAPABILITIES['eth']:
                self.assertEqual(found['0000:03:00.%d' % i, 'eth', name], ['unsupported'], name)
        self.assertEqual(found['0000:03:00.2', 'eth', 'rxq_max_packet_size'], ['16384'])

    def test_ethernet_is_the_same_whatever_the_port_is(self):
        """That these limits can be had is what tests/system/eth/test_caps.c shows."""
        ports = ['loop:wire', 'pcap:replay=/nowhere', 'tap:nosuch0', 'af_packet:nosuch0',
                 'error:drop=2;loop:wire', None]
        if self.module_of_af_xdp():
            ports += ['af_xdp:nosuch0']
        config = self.scratch_file(devices_file(*[
            {'role': 'host', 'pci': '0000:03:00.%d' % i, **({'port': port} if port else {})}
            for i, port in enumerate(ports)]))
        found = capabilities(self.caps('--lib', 'eth', role='host', config=config).stdout)
        limits = {'rxq_max_burst_size': '65536', 'rxq_max_packet_size': '16384',
                  'rxq_max_metadata_num': '8', 'rxq_max_packet_headroom': '8128',
                  'rxq_max_packet_tailroom': '8128', 'rxq_max_recv_buf_list_len': '32',
                  'txq_max_burst_size': '32768', 'txq_max_metadata_num': '8',
                  'txq_max_send_buf_list_len': '32', 'txq_max_lso_header_size': '256',
                  'txq_max_lso_msg_size': '262140'}
        for i in range(len(ports)):
            for name in CAPABILITIES['eth']:
                wanted = [limits.get(name, 'supported')]
                if name.endswith('_gpu'):  # depends on the machine
                    wanted = found['0000:03:00.0', 'eth', name]
                self.assertEqual(found['0000:03:00.%d' % i, 'eth', name], wanted, name)

    def test_a_library_restricts_capabilities_and_libraries(self):
        for name in ('dma', 'doca-dma', 'doca_dma'):
            lines = parse(self.caps('--lib', name).stdout)
            self.assertEqual([n for level, n, _ in lines if level == 1], ['dma'])
            lines = self.caps('--list-libs', '-b', name).stdout.splitlines()
            self.assertEqual([line.split()[0] for line in lines], ['doca-dma'])

    def test_a_library_without_capabilities_is_no_error(self):
        self.assertEqual(self.caps('--lib', 'argp').stdout, 'PCI: %s\n' % HOST)
        self.assertEqual(self.caps('--lib', 'compress').stdout, 'PCI: %s\n' % HOST)

    def test_the_version_is_the_only_one_in_its_line(self):
        for option in ('-v', '--version'):
            out = self.caps(option).stdout
            self.assertEqual(out.count('\n'), 1)
            self.assertEqual(re.findall(r'\d+(?:\.\d+)+', out), [fixture.version()])

    def test_help_goes_to_standard_output(self):
        for option in ('-h', '--help'):
            result = self.caps(option)
            self.assertEqual(result.stderr, '')
            for name in LIST_OPTIONS + ['--pci-addr', '--lib', '--version', '--sdk-log-level']:
                self.assertIn(name, result.stdout)
            self.assertLessEqual(max(len(line) for line in result.stdout.splitlines()), 80)

    def test_wrong_command_lines_are_refused(self):
        for arguments in (['-p', 'mlx5_0'], ['-p', '03:00'], ['-p', '03:00.8'], ['-p', ''],
                          ['-p'], ['--list-all'], ['-x'], ['--lib', 'nonesuch'], ['-b', ''],
                          ['-l', '55'], ['-l', 'loud'], ['--sdk-log-level', '0'], ['operand'],
                          ['--list-devs', '-p', 'bad']):
            self.assertIn('Usage:', self.assert_refused(*arguments))

    def test_records_of_the_libraries_are_shown_on_request(self):
        self.assertEqual(self.caps().stderr, '')
        for level in ('70', 'trace', 'TRACE'):
            self.assertIn('[DBG]', self.caps('--sdk-log-level', level).stderr)
        self.assertEqual(self.caps('--sdk-log-level', '10', env={'DOCA_LOG_LEVEL': '70'}).stderr,
                         '')
        self.caps('-l', '60', '--list-devs')

    def test_a_full_disk_is_an_error(self):
        with open('/dev/full', 'wb') as full:
            for options in ([], ['--version'], ['--list-libs']):
                result = self.run_tool('doca_caps', *options, status=1, stdout=full)
                self.assertIn('No space left', result.stderr)


class Devices(Caps):
    def test_no_device_is_an_empty_answer(self):
        config = self.scratch_file(ZERO_DEVICES)
        for role in ('host', 'dpu'):
            for options in ([], ['--list-devs'], ['--list-rep-devs'], ['-p', DPU]):
                result = self.caps(*options, role=role, config=config)
                self.assertEqual((result.stdout, result.stderr), ('', ''))

    def test_a_devices_file_that_cannot_be_used_is_an_error(self):
        broken = self.scratch_file('{"devices": [\n  {"role": "host", "pci": 7}\n]}')
        for config in (broken, '/nonexistent/devices.json', '/'):
            for option in ([], ['--list-devs'], ['--list-rep-devs']):
                self.assertIn(config, self.assert_refused(*option, config=config))

    def test_what_needs_no_device_works_with_a_broken_file(self):
        broken = self.scratch_file('[')
        for option in ('--list-libs', '--list-loggers', '--version', '--help'):
            self.caps(option, config=broken)

    def test_a_role_that_is_none_is_an_error(self):
        self.assertIn('OPENDOCA_ROLE', self.assert_refused(role='guest'))

    def test_attributes_of_the_devices_file_come_out(self):
        config = self.scratch_file(devices_file(
            {'role': 'dpu', 'pci': '03:00.0', 'representors': ['b1:00.0', 'b1:00.3']},
            {'role': 'host', 'pci': 'b1:00.0', 'hotplug': True, 'rep_iface': 'pf0hpf'},
            {'role': 'host', 'pci': 'b1:00.3', 'func_type': 'VF', 'vf_index': 2, 'ibdev': 'mlx5_9',
             'mac': '02:00:00:00:00:05', 'ipv4': '192.0.2.5', 'ipv6': '2001:db8::5'}))
        out = self.caps('--list-devs', '-p', 'b1:00.3', role='host', config=config).stdout
        values = {name: value for _, name, value in parse(out)}
        self.assertEqual([values[name] for name in ('ibdev_name', 'pci_func_type', 'mac_addr',
                                                    'ipv4_addr', 'ipv6_addr', 'iface_name')],
                         ['mlx5_9', 'VF', '02:00:00:00:00:05', '192.0.2.5', '2001:db8::5', 'N/A'])
        out = self.caps('--list-rep-devs', role='dpu', config=config).stdout
        reps = out.split('representor-PCI: ')[1:]
        self.assertEqual([rep.split('\n', 1)[0] for rep in reps], ['0000:b1:00.0', '0000:b1:00.3'])
        first, second = ({name: value for _, name, value in parse(rep)} for rep in reps)
        self.assertEqual((first['hotplug'], first['vf_index'], first['pci_func_type'],
                          first['iface_name']), ('1', 'N/A', 'PF', 'pf0hpf'))
        self.assertEqual((second['hotplug'], second['vf_index'], second['pci_func_type']),
                         ('0', '2', 'VF'))

    def test_a_device_that_cannot_be_opened_is_listed(self):
        config = self.scratch_file(devices_file(
            {'role': 'dpu', 'pci': '03:00.0', 'access': 'unreachable'},
            {'role': 'dpu', 'pci': '03:00.1', 'access': 'bridge'}))
        out = self.caps('--list-rep-devs', role='dpu', config=config).stdout
        self.assertEqual(out, 'PCI: 0000:03:00.0\nPCI: 0000:03:00.1\n')
        found = capabilities(self.caps(role='dpu', config=config).stdout)
        self.assertEqual(found['0000:03:00.0', 'dma', 'max_num_tasks'], ['N/A'])

    def test_what_flow_offers_is_told(self):
        found = capabilities(self.caps(role='dpu').stdout)
        for name, value in (('pipe_basic', 'supported'), ('vlan_push_pop', 'supported'),
                            ('pipe_lpm', 'unsupported'), ('tunnels', 'unsupported')):
            self.assertEqual(found[DPU, 'flow', name], [value])


class Values(Caps):
    def compare(self, role, config):
        wanted = {}
        for line in self.run_tool(fixture.HELPER, role=role, config=config).stdout.splitlines():
            pci, library, name, value = line.split(None, 3)
            wanted.setdefault((pci, library, name), []).append(value)
        out = self.caps(role=role, config=config).stdout
        found = capabilities(out)
        self.assertTrue(wanted)
        for key, values in wanted.items():
            if key[1] != 'device':
                self.assertEqual(found[key], values, key)
        found, pci = {}, None
        for _, name, value in parse(self.caps('--list-devs', role=role, config=config).stdout):
            pci = value if name == 'PCI:' else pci
            found.setdefault((pci, 'device', name), []).append(value)
        for key, values in wanted.items():
            if key[1] == 'device':
                self.assertEqual(found[key], values, key)

    def test_they_are_those_of_the_api(self):
        limited = self.scratch_file(devices_file(
            {'role': 'dpu', 'pci': '03:00.0', 'profile': 'bf2'},
            {'role': 'dpu', 'pci': '03:00.1', 'caps': {
                'dma_memcpy': False, 'sync_event': False, 'mmap_export_pci': False,
                'hotplug_manager': True, 'rep_filter_net': False, 'comch_fast_path': False}},
            {'role': 'host', 'pci': 'b1:00.0', 'profile': 'unlimited'},
            {'role': 'host', 'pci': 'b1:00.1', 'caps': {
                'dma_max_buf_size': 12345, 'dma_max_list_len': 3, 'dma_max_tasks': 77,
                'comch_max_msg_size': 99, 'comch_max_imm_len': 0}}))
        for role in ('host', 'dpu'):
            for config in (None, self.example_config(), limited):
                self.compare(role, config)


if __name__ == '__main__':
    fixture.main()
