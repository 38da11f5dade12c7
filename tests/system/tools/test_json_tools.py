#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The programs that print JSON: strict schemas in every situation, and what the fields say."""
import datetime
import os
import re
import shutil
import unittest

import fixture
from fixture import ToolTest, ZERO_DEVICES, devices_file
import strict_json
from strict_json import Map

PCI = re.compile(r'[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]')
KIND = ('PF', 'VF', 'SF')
STATE = ('active', 'down', 'unknown')
MODE = ('dpu', 'smartnic', 'switch', None)
MODULE = re.compile(r'doca-[a-z0-9-]+')
VERSION = re.compile(r'\d+\.\d+\.\d+')
VERDICT = ('pass', 'fail', 'skip')

ENV = {
    'version': {'pkg_config': str, 'applications_version': str, 'doca_caps': str,
                'bfb': (str, None), 'consistent': bool},
    'devices': [{'pcie_address': PCI, 'kind': KIND, 'name': str, 'representor_of': (PCI, None),
                 'state': STATE, 'mtu': int}],
    'libraries': [{'pkg_config_name': MODULE, 'installed': bool, 'pc_path': (str, None)}],
    'sample_paths': [{'library': MODULE, 'path': str}],
    'drivers': {'mlx5_core_loaded': bool, 'mlx5_ib_loaded': bool, 'kernel_version': str},
    'hugepages': {'available_2m': int, 'available_1g': int, 'mount_point': (str, None)},
    'host_kind': ('bluefield', 'host', 'unknown'),
    'bf_mode': MODE,
}
SNAPSHOT = {
    'snapshot_at': re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ'),
    'doca_version': VERSION,
    'host_kind': ('bluefield', 'host'),
    'devices': [{'pcie_address': PCI,
                 'library_capabilities': Map(MODULE, [re.compile(r'[a-z0-9_]+(=\d+)?')])}],
}
STATE_OF_SIDE = {
    'side': ('host', 'dpu'),
    'doca_version': VERSION,
    'firmware_version': str,
    'kernel_version': str,
    'mlx5_modules': [re.compile('mlx5.*')],
    'bf_mode': MODE,
    'devices': [{'pcie_address': PCI, 'kind': KIND, 'state': STATE, 'mtu': int,
                 'representor_of': (PCI, None)}],
}
VALIDATION = {
    'library': MODULE, 'spec_path': str, 'result': VERDICT,
    'checks': [{'name': str, 'status': VERDICT, 'details': str, 'remediation': (str, None)}],
}
MATRIX = {
    'schema_version': VERSION, 'generated_at': str,
    'entries': [{'library': MODULE, 'capability': str, 'display_name': str,
                 'min_doca_version': VERSION, 'max_doca_version': (VERSION, None),
                 'source_url': re.compile(r'https://\S+'), 'source_quote': str}],
}

TOOLS = {
    'doca-env': (['--json'], ENV),
    'doca-capability-snapshot': ([], SNAPSHOT),
    'doca-collect-host-state': ([], STATE_OF_SIDE),
    'doca-collect-dpu-state': ([], STATE_OF_SIDE),
}


class JsonTest(ToolTest):
    def tearDown(self):
        # Tests spoil the tree; each starts from what was installed.
        for path, content in getattr(self, 'spoiled', {}).items():
            if content is None:
                shutil.move(path + '.away', path)
            else:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(content)

    def spoil(self, name, content):
        """Gives a file of the tree other content; None takes it away."""
        path = os.path.join(fixture.STAGE.prefix, name)
        if not hasattr(self, 'spoiled'):
            self.spoiled = {}
        if content is None:
            self.spoiled[path] = None
            shutil.move(path, path + '.away')
            return
        with open(path, encoding='utf-8') as file:
            self.spoiled[path] = file.read()
        with open(path, 'w', encoding='utf-8') as file:
            file.write(content)

    def object_of(self, name, *arguments, schema, **options):
        result = self.run_tool(name, *arguments, **options)
        self.assertTrue(result.stdout.endswith('}\n'))
        value = strict_json.parse(result.stdout)
        self.assertEqual(list(strict_json.complaints(value, schema)), [])
        return value

    def env(self, **options):
        return self.object_of('doca-env', '--json', schema=ENV, **options)

    def snapshot(self, **options):
        return self.object_of('doca-capability-snapshot', schema=SNAPSHOT, **options)


class Schemas(JsonTest):
    def situations(self):
        zero = self.scratch_file(ZERO_DEVICES)
        for role in ('host', 'dpu'):
            for config in (None, zero, self.example_config()):
                yield {'role': role, 'config': config}

    def check_all(self):
        for situation in self.situations():
            for name, (arguments, schema) in TOOLS.items():
                value = self.object_of(name, *arguments, schema=schema, **situation)
                if situation['config'] and 'example' not in situation['config']:
                    self.assertEqual(value['devices'], [])

    def test_they_hold_with_and_without_devices_in_both_roles(self):
        self.check_all()

    def test_they_hold_without_version_files(self):
        self.spoil('VERSION', None)
        self.spoil('applications/VERSION', None)
        self.check_all()

    def test_fields_come_in_one_order(self):
        changing = r'"snapshot_at".*|("available_[12][mg]"): *[0-9]+'
        for name, (arguments, _) in TOOLS.items():
            first, second = (re.sub(changing, r'\1', self.run_tool(name, *arguments).stdout)
                             for _ in range(2))
            self.assertEqual(first, second)

    def test_devices_that_cannot_be_known_are_told(self):
        broken = self.scratch_file('{"devices": [}')
        for name in TOOLS:
            if name == 'doca-env':
                continue
            result = self.run_tool(name, config=broken, status=1)
            self.assertEqual(result.stdout, '')
            self.assertIn(broken, result.stderr)
        value = self.env(config=broken)
        self.assertEqual((value['host_kind'], value['bf_mode'], value['devices']),
                         ('unknown', None, []))
        self.assertIn(broken, self.run_tool('doca-env', '--json', config=broken).stderr)

    def test_wrong_command_lines_print_nothing(self):
        for name in list(TOOLS) + ['doca-validate']:
            for arguments in (['--nope'], ['operand'], ['a', 'b', 'c']):
                result = self.run_tool(name, *arguments, status=1)
                self.assertEqual(result.stdout, '')
                self.assertIn(name, result.stderr)
            self.assertIn('Usage: ' + name, self.run_tool(name, '--help').stdout)
            self.assertIn(fixture.version(), self.run_tool(name, '--version').stdout)

    def test_output_that_cannot_be_written_is_an_error(self):
        for name, (arguments, _) in TOOLS.items():
            with open('/dev/full', 'wb') as full:
                result = self.run_tool(name, *arguments, stdout=full, status=1)
            self.assertIn('No space left', result.stderr)
        with open('/dev/full', 'wb') as full:
            result = self.run_tool('doca-env', stdout=full, status=1)
        self.assertIn('No space left', result.stderr)

    def test_records_of_the_libraries_stay_out_of_the_output(self):
        for name, (arguments, schema) in TOOLS.items():
            self.object_of(name, *arguments, schema=schema, env={'DOCA_LOG_LEVEL': '70'})

    def test_the_version_matrix_fits_its_schema(self):
        with open(os.path.join(fixture.STAGE.prefix, 'share', 'version-matrix.json'),
                  encoding='utf-8') as file:
            matrix = strict_json.parse(file.read())
        self.assertEqual(list(strict_json.complaints(matrix, MATRIX)), [])
        datetime.datetime.strptime(matrix['generated_at'], '%Y-%m-%dT%H:%M:%S%z')
        keys = [(e['library'], e['capability'], e['min_doca_version']) for e in matrix['entries']]
        self.assertEqual(len(keys), len(set(keys)))


class Versions(JsonTest):
    def test_an_installation_is_consistent(self):
        wanted = fixture.version()
        for role in ('host', 'dpu'):
            self.assertEqual(self.env(role=role)['version'], {
                'pkg_config': wanted, 'applications_version': wanted, 'doca_caps': wanted,
                'bfb': None, 'consistent': True})

    def test_an_edited_file_makes_it_inconsistent(self):
        for name in ('applications/VERSION', 'VERSION'):
            self.spoil(name, '3.2.1\n')
            version = self.env()['version']
            self.assertFalse(version['consistent'])
            if name != 'VERSION':
                self.assertEqual(version['applications_version'], '3.2.1')
            self.tearDown()
            self.assertTrue(self.env()['version']['consistent'])

    def test_more_than_a_version_is_no_version(self):
        self.spoil('applications/VERSION', fixture.version() + '\nextra\n')
        self.assertFalse(self.env()['version']['consistent'])

    def test_a_file_of_other_bytes_is_still_text(self):
        with open(self.scratch_file(''), 'wb') as file:
            file.write(b'\xff\xfe3.3\n')
        config = self.scratch_file(devices_file(bfb_file=file.name), 'bytes.json')
        self.assertEqual(self.env(role='dpu', config=config)['version']['bfb'], '??3.3')

    def test_a_missing_file_makes_it_inconsistent(self):
        self.spoil('applications/VERSION', None)
        version = self.env()['version']
        self.assertEqual((version['applications_version'], version['consistent']), ('', False))

    def test_a_missing_doca_caps_makes_it_inconsistent(self):
        self.spoil('tools/doca_caps', None)
        version = self.env()['version']
        self.assertEqual((version['doca_caps'], version['consistent']), ('', False))

    def test_a_machine_without_pkg_config_has_no_such_version(self):
        version = self.env(env={'PATH': '/nonexistent'})['version']
        self.assertEqual((version['pkg_config'], version['consistent']), ('', False))

    def test_modules_of_another_installation_are_found_out(self):
        folder = os.path.dirname(self.scratch_file(
            'Name: doca-common\nDescription: another\nVersion: 2.9.0\n', 'doca-common.pc'))
        version = self.env(env={'PKG_CONFIG_PATH': folder})['version']
        self.assertEqual((version['pkg_config'], version['consistent']), ('2.9.0', False))

    def test_the_image_of_the_card_counts_in_dpu_role(self):
        image = self.scratch_file(fixture.version() + '\n', 'image')
        other = self.scratch_file('4.0.0\n', 'other-image')
        for file, consistent in ((image, True), (other, False)):
            config = self.scratch_file(devices_file(bfb_file=file))
            with open(file, encoding='utf-8') as content:
                wanted = content.read().rstrip('\n')
            version = self.env(role='dpu', config=config)['version']
            self.assertEqual((version['bfb'], version['consistent']), (wanted, consistent))
            self.assertIsNone(self.env(role='host', config=config)['version']['bfb'])


class Environment(JsonTest):
    def test_libraries_are_those_that_are_there(self):
        for role, folder in (('host', 'pkgconfig'), ('dpu', 'pkgconfig-dpu')):
            libraries = {e['pkg_config_name']: e for e in self.env(role=role)['libraries']}
            for name in ('doca-common', 'doca-argp', 'doca-dma'):
                self.assertTrue(libraries[name]['installed'])
                self.assertEqual(os.path.realpath(libraries[name]['pc_path']),
                                 os.path.join(fixture.STAGE.libdir, folder, name + '.pc'))
            self.assertEqual(libraries['doca-compress'], {
                'pkg_config_name': 'doca-compress', 'installed': False, 'pc_path': None})
            self.assertIn('doca-urom', libraries)

    def test_a_library_that_was_removed_is_not_installed(self):
        self.spoil(os.path.join(fixture.STAGE.libdir, 'libdoca_argp.so'), None)
        libraries = {e['pkg_config_name']: e['installed'] for e in self.env()['libraries']}
        self.assertFalse(libraries['doca-argp'])
        self.assertIn('doca-argp                                            not installed',
                      self.run_tool('doca_caps', '--list-libs').stdout)

    def test_sample_folders_exist(self):
        samples = self.env()['sample_paths']
        libraries = [e['library'] for e in samples]
        self.assertEqual(libraries[:2], ['doca-common', 'doca-dma'])
        for entry in samples:
            self.assertTrue(os.path.isdir(entry['path']))
        self.spoil('samples/doca_dma', None)
        libraries.remove('doca-dma')
        self.assertEqual([e['library'] for e in self.env()['sample_paths']], libraries)

    def test_representors_are_devices_of_the_card(self):
        devices = self.env(role='dpu', config=self.example_config())['devices']
        own = [d for d in devices if d['representor_of'] is None]
        self.assertEqual([(d['pcie_address'], d['name']) for d in own],
                         [('0000:03:00.0', 'p0'), ('0000:03:00.1', 'p1')])
        self.assertEqual([(d['pcie_address'], d['representor_of'], d['kind'], d['mtu'])
                          for d in devices if d['representor_of'] is not None],
                         [('0000:03:00.0', '0000:b1:00.0', 'PF', 1500),
                          ('0000:03:00.0', '0000:b1:00.0', 'SF', 1500),
                          ('0000:03:00.0', '0000:b1:00.2', 'VF', 9000),
                          ('0000:03:00.1', '0000:b1:00.1', 'PF', 1500)])

    def test_host_devices_represent_nothing(self):
        devices = self.env(role='host', config=self.example_config())['devices']
        self.assertEqual([d['kind'] for d in devices], ['PF', 'PF', 'VF', 'SF'])
        self.assertEqual({d['representor_of'] for d in devices}, {None})

    def test_kind_and_mode_follow_role_and_file(self):
        switch = self.scratch_file(devices_file(bf_mode='switch'))
        for role, config, wanted in (('host', None, ('host', None)),
                                     ('dpu', None, ('bluefield', 'dpu')),
                                     ('dpu', switch, ('bluefield', 'switch')),
                                     ('host', switch, ('host', None))):
            value = self.env(role=role, config=config)
            self.assertEqual((value['host_kind'], value['bf_mode']), wanted)

    def test_kernel_facts_are_those_of_the_kernel(self):
        value = self.env()
        self.assertEqual(value['drivers']['kernel_version'], os.uname().release)
        loaded = set()
        if os.path.exists('/proc/modules'):
            with open('/proc/modules', encoding='ascii') as modules:
                loaded = {line.split()[0] for line in modules}
        self.assertEqual(value['drivers']['mlx5_core_loaded'], 'mlx5_core' in loaded)
        self.assertEqual(value['drivers']['mlx5_ib_loaded'], 'mlx5_ib' in loaded)

    def test_the_text_form_has_the_same_facts(self):
        text = self.run_tool('doca-env').stdout
        for fact in ('version.consistent', 'doca-common installed', '0000:b1:00.0', 'host_kind',
                     'hugepages.available_2m', 'drivers.kernel_version'):
            self.assertIn(fact, text)


class Snapshot(JsonTest):
    def test_what_is_supported_is_what_doca_caps_prints(self):
        for role in ('host', 'dpu'):
            wanted = {}
            for line in self.run_tool('doca_caps', role=role).stdout.splitlines():
                words = line.split()
                if len(words) == 1:
                    library = 'doca-' + words[0]
                elif words[0] != 'PCI:' and words[1] != 'unsupported':
                    text = words[0] if words[1] == 'supported' else '='.join(words)
                    wanted.setdefault(library, []).append(text)
            device, = self.snapshot(role=role)['devices']
            found = device['library_capabilities']
            self.assertEqual({k: v for k, v in found.items() if v}, wanted)
            self.assertEqual(found['doca-argp'], [])

    def test_it_is_of_now(self):
        taken = datetime.datetime.strptime(self.snapshot()['snapshot_at'], '%Y-%m-%dT%H:%M:%S%z')
        age = datetime.datetime.now(datetime.timezone.utc) - taken
        self.assertLess(abs(age.total_seconds()), 120)

    def test_the_kind_is_that_of_the_role(self):
        self.assertEqual(self.snapshot()['host_kind'], 'host')
        self.assertEqual(self.snapshot(role='dpu')['host_kind'], 'bluefield')


class Collect(JsonTest):
    def test_each_program_has_its_side_whatever_the_environment_says(self):
        for side, address in (('host', '0000:b1:00.0'), ('dpu', '0000:03:00.0')):
            for role in (None, 'host', 'dpu', 'guest'):
                value = self.object_of('doca-collect-%s-state' % side, schema=STATE_OF_SIDE,
                                       role=role)
                self.assertEqual(value['side'], side)
                self.assertEqual(value['devices'][0]['pcie_address'], address)
                self.assertEqual(value['doca_version'], fixture.version())

    def test_both_have_the_same_fields(self):
        host, dpu = (self.object_of('doca-collect-%s-state' % side, schema=STATE_OF_SIDE)
                     for side in ('host', 'dpu'))
        self.assertEqual(list(host), list(dpu))
        self.assertEqual(list(host['devices'][0]), list(dpu['devices'][0]))


class Validate(JsonTest):
    def validate(self, library, path, result):
        value = self.object_of('doca-validate', library, path, schema=VALIDATION)
        self.assertEqual(value['result'], result, value)
        self.assertEqual(value['spec_path'], path)
        return value

    def test_a_good_devices_file_passes(self):
        for library in ('doca-common', 'common', 'doca_common'):
            value = self.validate(library, self.example_config(), 'pass')
            self.assertEqual(value['library'], 'doca-common')
        self.validate('doca-common', self.scratch_file(ZERO_DEVICES), 'pass')

    def test_a_wrong_devices_file_fails_with_its_line(self):
        path = self.scratch_file('{"devices": [\n  {"role": "host", "pci": 7}\n]}')
        check = self.validate('doca-common', path, 'fail')['checks'][-1]
        self.assertEqual(check['status'], 'fail')
        self.assertIn(path + ':2', check['details'])
        self.assertIsNotNone(check['remediation'])

    def test_devices_that_cannot_work_together_fail(self):
        apart = self.scratch_file(devices_file({'role': 'host', 'pci': 'b1:00.0', 'card': 'a'},
                                               {'role': 'dpu', 'pci': '03:00.0', 'card': 'b'}))
        self.validate('doca-common', apart, 'fail')
        without = self.scratch_file(devices_file({'role': 'host', 'pci': 'b1:00.0',
                                                  'caps': {'dma_memcpy': False}}))
        self.validate('doca-common', without, 'fail')

    def test_a_file_that_is_not_there_is_skipped(self):
        self.validate('doca-common', '/nonexistent', 'skip')

    def test_what_is_no_file_fails(self):
        self.validate('doca-common', '/', 'fail')
        pipe = os.path.join(fixture.STAGE.scratch, 'pipe')
        os.mkfifo(pipe)
        self.validate('doca-common', pipe, 'fail')

    def test_a_library_without_checks_is_skipped(self):
        value = self.validate('doca-dma', 'anything', 'skip')
        self.assertEqual(len(value['checks']), 1)

    def test_an_unknown_library_is_a_wrong_command_line(self):
        self.assertEqual(self.run_tool('doca-validate', 'nonesuch', 'x', status=1).stdout, '')


if __name__ == '__main__':
    fixture.main()
