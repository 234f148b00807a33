# SPDX-License-Identifier: Apache-2.0
#
# make           builds the programs and the PAM module (release)
# make help      says what else there is

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

SWIFT ?= swift
# Debian's own Python: the tests use its packages.
PYTHON ?= /usr/bin/python3
STRIP ?= strip
# PACKAGES=installed skips looking for Debian packages.
PACKAGES ?= debian
BENCH ?=
# How long `make fuzz` looks, in all.
SECONDS ?= 60

DESTDIR ?=
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
MULTIARCH ?= $(shell dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || cc -print-multiarch 2>/dev/null || echo $$(uname -m)-linux-gnu)
PAMDIR ?= /lib/$(MULTIARCH)/security
BINDIR ?= $(PREFIX)/bin
LIBEXECDIR ?= $(PREFIX)/libexec/thumbturn
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
DOCDIR ?= $(PREFIX)/share/doc/thumbturn

# The path next to itself that SwiftPM writes into a library has no place in a PAM module.
BUILD := $(SWIFT) build --disable-local-rpath --quiet
RELEASE := .build/release
OPTIMISED := --configuration release -Xswiftc -enable-testing --scratch-path .build/optimised
LOGS := .build/logs
HELPERS := thumbturnd thumbturn-reader thumbturn-pwcheck
FORMAT := --configuration .swift-format --recursive Sources Tests Package.swift

.NOTPARALLEL:
.PHONY: build debug check fuzz demo bench install uninstall lint format clean help
.PHONY: toolchain root unit-tests optimised-unit-tests end-to-end-tests

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

build: packages-build toolchain ## build the programs and the module, optimised
	@echo "Building (release) ..."
	@$(BUILD) --configuration release
	@echo "Built: $(RELEASE)/{thumbturn,thumbturnd,thumbturn-reader,thumbturn-pwcheck,libpam_thumbturn.so}"

debug: packages-build toolchain ## build them for debugging
	@echo "Building (debug) ..."
	@$(BUILD) --configuration debug

check: root packages-build packages-test toolchain lint debug build unit-tests optimised-unit-tests fuzz end-to-end-tests ## run every test (as root)
	@$(PYTHON) Tests/totals.py $(LOGS)/unit.log $(LOGS)/optimised.log $(LOGS)/end-to-end.xml

fuzz: toolchain ## give the decoders damaged packets (SECONDS=60)
	@echo "Fuzzing for $(SECONDS) s ..."
	@SWIFTC="$$(dirname "$$(command -v $(SWIFT))")/swiftc" Tests/fuzz/build .build/fuzz
	@Tests/fuzz/run .build/fuzz $(SECONDS) $(LOGS)

demo: packages-demo build ## show it at work, without hardware
	@$(PYTHON) Tests/demo/demo.py --build $(RELEASE)

bench: root packages-bench build ## measure it beside others (as root; BENCH=--write records it)
	@THUMBTURN_BUILD=$(CURDIR)/$(RELEASE) $(PYTHON) Tests/bench/bench.py $(BENCH)

lint: toolchain ## look for style that differs from .swift-format
	@echo "Checking the style ..."
	@$(SWIFT) format lint --strict --parallel $(FORMAT)

format: toolchain ## put the style right
	@$(SWIFT) format format --in-place --parallel $(FORMAT)

clean: ## delete what was built
	@rm -rf .build

define run-unit-tests
@mkdir -p $(LOGS)
@$(SWIFT) test --disable-local-rpath $(1) > $(LOGS)/$(2).log 2>&1 || { \
  grep -aE '✘|error:|Fatal' $(LOGS)/$(2).log || tail -n 40 $(LOGS)/$(2).log; \
  echo "The unit tests failed; all of their output is in $(LOGS)/$(2).log."; exit 1; }
endef

unit-tests: debug
	@echo "Running the unit tests ..."
	$(call run-unit-tests,,unit)

# A compiler may go wrong where it optimises only, and that is what is installed.
optimised-unit-tests: toolchain
	@echo "Building and running the unit tests, optimised ..."
	$(call run-unit-tests,$(OPTIMISED),optimised)

# The tests run what "make install" would install.
end-to-end-tests: root build
	@echo "Running the end-to-end tests ..."
	@mkdir -p $(LOGS)
	@THUMBTURN_BUILD=$(CURDIR)/$(RELEASE) $(PYTHON) -m pytest -q -p no:cacheprovider \
	  --junitxml=$(LOGS)/end-to-end.xml Tests/EndToEnd

packages-%:
	@[ "$(PACKAGES)" = installed ] || config/install-packages $*

toolchain:
	@version=$$($(SWIFT) --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p') || true; \
	major=$${version%%.*}; minor=$${version##*.}; \
	[ "$${major:-0}" -gt 6 ] || { [ "$${major:-0}" -eq 6 ] && [ "$${minor:-0}" -ge 3 ]; } || { \
	  echo "Swift 6.3 or newer is needed; \"$(SWIFT)\" is $${version:-not there}." >&2; \
	  echo "Install it from https://www.swift.org/install/linux and put it on PATH," >&2; \
	  echo "or say where it is: make SWIFT=/path/to/usr/bin/swift" >&2; exit 1; }

root:
	@[ "$$(id -u)" -eq 0 ] || { \
	  echo "This needs root: it makes accounts and PAM services, in a mount namespace of its own." >&2; \
	  echo "Run it as root, as in: sudo env PATH=\"\$$PATH\" make $(MAKECMDGOALS)" >&2; exit 1; }

include config/install.mk
