# SPDX-License-Identifier: BSD-3-Clause
# A thin front of the Meson build. Each target installs what it lacks and needs no other command:
#
#   make demo                  build, install into ./_prefix, copy a file between host and DPU, UROM,
#                              a CUDA kernel on the CPU that answers ping
#   make check                 everything that is tested, also under sanitizers and valgrind
#   make soak                  UROM under load for some minutes, everything verified
#   make install PREFIX=/opt/opendoca
#
# Plain Meson works as well: meson setup build --prefix ... && meson install -C build

PREFIX ?= /opt/opendoca
BUILD ?= build
JOBS ?= $(shell nproc)
DEMO_PREFIX = $(CURDIR)/_prefix

# Tests and benchmarks are built by the targets that run them.
OPTIONS = -Doptimization=3 -Ddebug=true -Db_ndebug=true -Dtests=false
CONFIGURE = devtools/configure.sh

.PHONY: all deps deps-build install demo check soak bench coverage clean
.NOTPARALLEL:

all: deps-build
	@$(CONFIGURE) $(BUILD) $(OPTIONS) -Dbench=disabled --prefix=$(abspath $(PREFIX))
	@ninja -C $(BUILD) -j $(JOBS)

deps:
	@devtools/install_deps.sh build test

deps-build:
	@devtools/install_deps.sh build

install: all
	@meson install -C $(BUILD) --no-rebuild $(if $(V),,--quiet)
	@echo "opendoca is in $(abspath $(PREFIX))"

# Only what the demo runs, so that a first try is quick.
demo:
	@devtools/install_deps.sh build demo
	@$(MAKE) --no-print-directory install PREFIX=$(DEMO_PREFIX) BUILD=build-demo \
	    OPTIONS="$(OPTIONS) -Dtrace_flavour=false"
	@$(DEMO_PREFIX)/bin/opendoca demo

check: deps
	@devtools/run_checks.py --jobs $(JOBS)

# Tests of `check` that are small there: a minute of mixed load, 256 workers, 1,000 clients.
soak: deps
	@$(CONFIGURE) build-soak $(subst -Dtests=false,-Dtests=true,$(OPTIONS)) -Dtrace_flavour=false \
	    -Dbench=disabled
	@UROM_TEST_LONG=1 meson test -C build-soak --verbose urom-mixed urom-scale

bench: deps-build
	@devtools/install_deps.sh bench
	@$(CONFIGURE) $(BUILD) $(OPTIONS) -Dbench=enabled --prefix=$(abspath $(PREFIX))
	@ninja -C $(BUILD) -j $(JOBS)
	@devtools/run_bench.py $(BUILD) --output bench-results.json

# docs/coverage.md from the interface tables and the libraries just built.
coverage: all
	@ninja -C $(BUILD) coverage-page

clean:
	rm -rf build build-* _prefix bench-results.json
