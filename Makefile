# Everyday commands. The build itself is CMake with the presets of CMakePresets.json, and downloads
# nothing. Where packages of Debian or Ubuntu are missing, `make` prints the command that installs
# them; `make demo`, `make test` and other goals install them, so that a bare machine needs only make
# and git.
#
#   make            build/release/bin/culink and build/release/bin/cubin
#   make deps       install the packages that the programs need
#   make demo       build the two programs and run them on the files in examples/
#   make check      the quick tests: unit tests and rules of the linker, without sanitizers
#   make test       build and run every test; says by name what it skipped
#   make install    install programs, headers and libraries under PREFIX (default /usr/local)
#   make uninstall  remove what `make install` wrote last
#   make package    a Debian package in build/release
#   make packages   .deb, .rpm and static .tar.gz for x86-64 and 64-bit ARM in build/packages, each tried
#   make debug | asan | tsan | fuzz    other builds, each in its own folder under build/
#   make static     static programs for x86-64; static-aarch64: for 64-bit ARM
#   make bench      build and run the benchmarks
#   make format     rewrite the C++ sources with clang-format 16
#   make clean      remove build/

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
# Warnings stop a build in CI, not on a user's machine with a newer compiler.
configure_flags = $(if $(CI),-DCULINK_WERROR=ON)
# A developer builds again and again, which ccache makes cheap; CI builds once, from nothing, which is
# cheapest with a layer at a time (cmake/layers.cmake).
ifeq ($(CI),)
ifneq ($(shell command -v ccache 2>/dev/null),)
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
endif
endif

# cmake's warnings and errors go to stderr; its chatter is not shown.
configure = cmake --preset $(1) $(configure_flags) >/dev/null
build = cmake --build --preset $(1) -j $(JOBS)

.PHONY: all deps deps-test install-deps demo check test install uninstall package packages debug asan tsan fuzz static \
        static-aarch64 bench format clean
.DEFAULT_GOAL := all

all:
	@scripts/install-deps.sh --list build
	@$(call configure,release)
	@$(call build,release) --target programs

deps:
	@scripts/install-deps.sh build
deps-test:
	@scripts/install-deps.sh test
install-deps: deps-test

demo: deps
	@$(call configure,release)
	@$(call build,release) --target culink cubin
	@scripts/demo.sh build/release/bin

check:
	@scripts/install-deps.sh check
	@$(call configure,release)
	@$(call build,release) --target culink cubin culink_unit_tests
	@ctest --preset release -j $(JOBS) -R '^(unit|rules)/'

test: deps-test
	@JOBS=$(JOBS) scripts/test.sh $(configure_flags)

install: all
	@cmake --install build/release --prefix $(PREFIX)

# The manifest names every installed file; folders of culink's own go when they are empty.
uninstall:
	@test -f build/release/install_manifest.txt || { echo "nothing was installed from build/release" >&2; exit 1; }
	@xargs -d '\n' rm -f < build/release/install_manifest.txt
	@sed 's|/[^/]*$$||' build/release/install_manifest.txt | grep '/culink\b' | sort -ru | \
	  xargs -rd '\n' rmdir --ignore-fail-on-non-empty
	@echo "removed $$(wc -l < build/release/install_manifest.txt) files"

package: all
	@cd build/release && cpack -G DEB

packages:
	@JOBS=$(JOBS) scripts/make-packages.sh

debug asan:
	@scripts/install-deps.sh check
	@$(call configure,$@)
	@$(call build,$@)
tsan fuzz: deps-test
	@$(call configure,$@)
	@$(call build,$@)
static:
	@scripts/install-deps.sh static x86_64
	@$(call configure,x86_64-static)
	@$(call build,x86_64-static)
static-aarch64:
	@scripts/install-deps.sh static aarch64
	@$(call configure,aarch64-static)
	@$(call build,aarch64-static)

bench:
	@scripts/install-deps.sh test
	@$(call configure,release)
	@$(call build,release)
	@ctest --preset release -L bench -C bench --verbose

format: deps-test
	@git ls-files '*.cc' '*.h' | xargs clang-format-16 -i

clean:
	rm -rf build
