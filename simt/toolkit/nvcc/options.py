# SPDX-License-Identifier: BSD-3-Clause
"""nvcc's command line: what it asks for, and what of it is for the host compiler."""
import os
import shlex

# Options of the GPU's compiler and of nvcc's inner workings: accepted, without effect here.
IGNORED = set('''
    --extended-lambda -extended-lambda --expt-extended-lambda -expt-extended-lambda
    --expt-relaxed-constexpr -expt-relaxed-constexpr --allow-unsupported-compiler
    -allow-unsupported-compiler --forward-unknown-to-host-compiler -forward-unknown-to-host-compiler
    --forward-unknown-to-host-linker -forward-unknown-to-host-linker --forward-unknown-opts
    -forward-unknown-opts --use_fast_math -use_fast_math --keep -keep --save-temps -save-temps
    --clean-targets -clean --device-debug -G --restrict -restrict --no-align-double
    --use-local-env -use-local-env --dlink-time-opt -dlto --dont-use-profile -noprof --nodlink
    --no-device-link -nodlink --resource-usage -res-usage --source-in-ptx -src-in-ptx
    --keep-device-functions -keep-device-functions --extensible-whole-program -ewp --no-compress
    -no-compress --Wno-deprecated-gpu-targets -Wno-deprecated-gpu-targets -Wreorder --Wreorder
    -Wdefault-stream-launch --Wdefault-stream-launch -Wmissing-launch-bounds
    --Wmissing-launch-bounds -Wext-lambda-captures-this --Wext-lambda-captures-this
    --display-error-number -err-no --no-display-error-number -no-err-no --objdir-as-tempdir
    -objtemp --extra-device-vectorization -extra-device-vectorization --gen-opt-lto -gen-opt-lto
    -lto --lto --no-host-device-initializer-list -nohdinitlist --no-host-device-move-forward
    -nohdmoveforward -m64 --m64 --relocatable-ptx -reloc-ptx --jobserver -jobserver
    --link -link --fdevice-syntax-only -fdevice-syntax-only -cuda --cuda
'''.split())

# The same, with a value.
IGNORED_VALUE = set('''
    --gpu-architecture -arch --gpu-code -code --generate-code -gencode --maxrregcount -maxrregcount
    --ptxas-options -Xptxas --nvlink-options -Xnvlink --relocatable-device-code -rdc --dopt -dopt
    --ftz -ftz --prec-div -prec-div --prec-sqrt -prec-sqrt --fmad -fmad --threads -t
    --split-compile -split-compile --split-compile-extended -split-compile-extended -Xcudafe
    --diag-suppress -diag-suppress --diag-error -diag-error --diag-warn -diag-warn --keep-dir
    -keep-dir --cudadevrt -cudadevrt --libdevice-directory -ldir --target-directory -target-dir
    --input-drive-prefix -idp --dependency-drive-prefix -ddp --drive-prefix -dp --entries -e
    --opt-info -opt-info --machine -m --Ofast-compile -Ofc --compress-mode -compress-mode
    --archive-options -Xarchive --archiver-binary -arbin --brief-diagnostics -brief-diag
    --jump-table-density -jtd --static-global-template-stub -static-global-template-stub
    --device-entity-has-hidden-visibility -device-entity-has-hidden-visibility
    --device-stack-protector -device-stack-protector --sanitize -sanitize --time -time
    --fdevice-time-trace -fdevice-time-trace --frandom-seed --output-directory -odir
    --host-linker-script -hls
'''.split())

LISTS = {'--define-macro': '-D', '-D': '-D', '--undefine-macro': '-U', '-U': '-U',
         '--include-path': '-I', '-I': '-I', '--system-include': '-isystem', '-isystem': '-isystem',
         '--library-path': '-L', '-L': '-L', '--library': '-l', '-l': '-l',
         '--pre-include': '-include', '-include': '-include'}
VALUES = {'--output-file': 'output', '-o': 'output', '--std': 'std', '-std': 'std',
          '--optimize': 'optimize', '-O': 'optimize', '--x': 'language', '-x': 'language',
          '--compiler-bindir': 'ccbin', '-ccbin': 'ccbin', '--cudart': 'cudart', '-cudart': 'cudart',
          '--default-stream': 'default_stream', '-default-stream': 'default_stream',
          '--dependency-output': 'dep_file', '-MF': 'dep_file'}
MODES = {'--preprocess': 'preprocess', '-E': 'preprocess', '--compile': 'compile', '-c': 'compile',
         '--device-c': 'compile', '-dc': 'compile', '--device-w': 'compile', '-dw': 'compile',
         '--device-link': 'device-link', '-dlink': 'device-link', '--lib': 'library', '-lib': 'library',
         '--ptx': 'device-code', '-ptx': 'device-code', '--cubin': 'device-code',
         '-cubin': 'device-code', '--fatbin': 'device-code', '-fatbin': 'device-code',
         '--run': 'run', '-run': 'run', '--generate-dependencies': 'dependencies',
         '-M': 'dependencies', '--generate-nonsystem-dependencies': 'dependencies',
         '-MM': 'dependencies'}
DEPENDENCY = {'--generate-dependencies-with-compile': '-MD', '-MD': '-MD', '-MMD': '-MMD',
              '--generate-nonsystem-dependencies-with-compile': '-MMD', '-MP': '-MP',
              '--generate-dependency-targets': '-MP'}
INFORMATION = {'--version': 'version', '-V': 'version', '--help': 'help', '-h': 'help',
               '--list-gpu-code': 'list-code', '-code-ls': 'list-code', '--list-gpu-arch': 'list-arch',
               '-arch-ls': 'list-arch'}
# Options of GCC that clang refuses, and that change no meaning.
GCC_ONLY = ('-fno-semantic-interposition', '-fno-gnu-unique', '-fconcepts', '-fno-var-tracking',
            '-fvar-tracking', '-fno-ipa', '-fipa', '-flifetime-dse', '-fno-lifetime-dse')


class Usage(Exception):
    pass


class Options:
    def __init__(self):
        self.mode = 'link'
        self.information = None
        self.output = self.std = self.optimize = self.language = self.ccbin = None
        self.cudart, self.default_stream = 'shared', 'legacy'
        self.dep_file = None
        self.dependency = []  # -MD and friends
        self.preprocess = []  # -D, -I, ...
        self.compile = []     # for compiling (and linking, as sanitizers need)
        self.link = []        # -L, -l, -Wl, in their order with the inputs
        self.inputs = []      # (path, language or None)
        self.verbose = self.dry_run = self.debug = self.line_info = False
        self.run_arguments = []


def split_list(text):
    """Commas separate values unless escaped or inside double quotes."""
    parts, quoted, i = [''], False, 0
    while i < len(text):
        c = text[i]
        if c == '\\' and i + 1 < len(text):
            parts[-1] += text[i + 1] if text[i + 1] == ',' else text[i:i + 2]
            i += 1
        elif c == '"':
            quoted = not quoted
        elif c == ',' and not quoted:
            parts.append('')
        else:
            parts[-1] += c
        i += 1
    return [p for p in parts if p]


def expand(arguments):
    """Replaces --options-file by what it holds."""
    made, i = [], 0
    while i < len(arguments):
        argument = arguments[i]
        name, equals, value = argument.partition('=')
        if name in ('--options-file', '-optf'):
            if not equals:
                i += 1
                value = arguments[i] if i < len(arguments) else ''
            for path in split_list(value):
                try:
                    with open(path, encoding='utf-8') as options:
                        made += expand(shlex.split(options.read(), comments=True))
                except OSError as error:
                    raise Usage("cannot read options file '%s': %s" % (path, error.strerror)) from None
        else:
            made.append(argument)
        i += 1
    return made


class Parser:
    def __init__(self, arguments):
        self.arguments = expand(arguments)
        self.i = 0
        self.options = Options()

    def next_value(self, name):
        self.i += 1
        if self.i >= len(self.arguments):
            raise Usage("option '%s' needs a value" % name)
        return self.arguments[self.i]

    def parse(self):
        while self.i < len(self.arguments):
            self.one(self.arguments[self.i])
            self.i += 1
        return self.options

    def one(self, argument):
        o = self.options
        if not argument.startswith('-') or argument == '-':
            o.inputs.append((argument.strip('"'), o.language))
            o.link.append(('input', len(o.inputs) - 1))
            return
        if argument in IGNORED:
            o.debug |= argument in ('-G', '--device-debug')
            return
        if argument in MODES:
            o.mode = MODES[argument]
            return
        if argument in DEPENDENCY:
            o.dependency.append(DEPENDENCY[argument])
            return
        if argument in INFORMATION:
            o.information = INFORMATION[argument]
            return
        if argument in ('-v', '--verbose'):
            o.verbose = True
        elif argument in ('-dryrun', '--dryrun'):
            o.verbose = o.dry_run = True
        elif argument in ('-g', '--debug'):
            o.debug = True
            o.compile.append('-g')
        elif argument in ('-lineinfo', '--generate-line-info'):
            o.line_info = True
        elif argument in ('-w', '--disable-warnings'):
            o.compile.append('-w')
        elif argument in ('-shared', '--shared'):
            o.link.append(('option', '-shared'))
        elif not self.with_value(argument):
            self.foreign(argument)

    def with_value(self, argument):
        """Options that take a value; False if this is none."""
        name, equals, value = argument.partition('=')
        o = self.options
        short = argument[:2]
        if short in ('-D', '-U', '-I', '-L', '-l', '-O') and len(argument) > 2 and (
                argument not in LISTS and name not in IGNORED_VALUE):
            self.known(short, argument[3:] if argument[2] == '=' else argument[2:])
            return True
        if name.startswith('-isystem') and name not in LISTS:
            self.known('-isystem', name[len('-isystem'):])
            return True
        known = (name in LISTS or name in VALUES or name in IGNORED_VALUE or name in (
            '-Xcompiler', '--compiler-options', '-Xlinker', '--linker-options', '-MT', '-MQ',
            '--dependency-target-name', '-Werror', '--Werror', '--run-args', '-run-args'))
        if not known:
            return False
        if name in ('-Werror', '--Werror') and not equals:
            following = self.arguments[self.i + 1:self.i + 2]
            if following != ['all-warnings'] and following != ['default-stream-launch']:
                o.compile.append('-Werror')
                return True
        if name in IGNORED_VALUE and name == '-m' and not equals:
            return False
        self.known(name, value if equals else self.next_value(name))
        return True

    def known(self, name, value):
        o = self.options
        if name in LISTS:
            flag = LISTS[name]
            # Definitions may hold commas of their own.
            for one in [value] if flag == '-D' else split_list(value):
                if flag in ('-L', '-l'):
                    o.link.append(('option', flag + one))
                else:
                    o.preprocess += [flag, one]
        elif name in VALUES:
            setattr(o, VALUES[name], value)
        elif name in ('-Xcompiler', '--compiler-options'):
            for one in split_list(value):
                self.host(shlex.split(one) if one.startswith(("'", '"')) else [one])
        elif name in ('-Xlinker', '--linker-options'):
            for one in split_list(value):
                self.linker(one.strip("'"))
        elif name in ('-MT', '-MQ', '--dependency-target-name'):
            o.dependency += ['-MQ' if name == '-MQ' else '-MT', value]
        elif name in ('-Werror', '--Werror'):
            if 'all-warnings' in value:
                o.compile.append('-Werror')
        elif name in ('--run-args', '-run-args'):
            o.run_arguments += split_list(value)

    def linker(self, one):
        # Meson hands whole options of the compiler driver over, too.
        direct = one.startswith(('-Wl,', '-f', '-pthread', '-static', '-shared', '-l', '-L'))
        self.options.link.append(('option', one if direct else '-Wl,' + one))

    def host(self, flags):
        o = self.options
        for flag in flags:
            if flag.startswith(GCC_ONLY):
                continue
            if flag.startswith(('-D', '-U', '-I')) or flag.startswith('-isystem'):
                o.preprocess.append(flag)
            elif flag.startswith(('-Wl,', '-l', '-L')):
                o.link.append(('option', flag))
            else:
                o.compile.append(flag)

    def foreign(self, argument):
        """Not nvcc's: for the host compiler."""
        if argument.startswith('-isystem'):
            self.options.preprocess.append(argument)
        else:
            self.host([argument])


def parse(arguments):
    return Parser(list(os.environ.get('NVCC_PREPEND_FLAGS', '').split()) + arguments +
                  os.environ.get('NVCC_APPEND_FLAGS', '').split()).parse()
