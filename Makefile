# SPDX-License-Identifier: BSD-3-Clause
# A thin front of the Meson build. Each target installs what it lacks and needs no other command:
#
#   make demo                  build, install into ./_prefix, copy a file between host and DPU
#   make check                 everything that is tested, also under sanitizers and valgrind
#   make install PREFIX=/opt/opendoca
#
# Plain Meson works as well: meson setup build --prefix ... && meson install -C build

PREFIX ?= /opt/opendoca
BUILD ?= build
JOBS ?= $(shell nproc)
DEMO_PREFIX = $(CURDIR)/_prefix

OPTIONS = --buildtype=release -Ddebug=true
CONFIGURE = devtools/configure.sh

.PHONY: all deps deps-build install demo check bench coverage clean
.NOTPARALLEL:

all: deps-build
	@$(CONFIGURE) $(BUILD) $(OPTIONS) --prefix=$(abspath $(PREFIX))
	@ninja -C $(BUILD) -j $(JOBS)

deps:
	@devtools/install_deps.sh build test

deps-build:
	@devtools/install_deps.sh build

install: all
	@meson install -C $(BUILD) --no-rebuild $(if $(V),,--quiet)
	@echo "opendoca is in $(abspath $(PREFIX))"

demo:
	@$(MAKE) --no-print-directory install PREFIX=$(DEMO_PREFIX)
	@$(DEMO_PREFIX)/bin/opendoca demo

check: deps
	@devtools/run_checks.py --jobs $(JOBS)

bench: deps-build
	@devtools/install_deps.sh bench
	@$(CONFIGURE) $(BUILD) $(OPTIONS) --prefix=$(abspath $(PREFIX))
	@ninja -C $(BUILD) -j $(JOBS)
	@devtools/run_bench.py $(BUILD) --output bench-results.json

# docs/coverage.md from the interface tables and the libraries just built.
coverage: all
	@ninja -C $(BUILD) coverage-page

clean:
	rm -rf build build-* _prefix bench-results.json
