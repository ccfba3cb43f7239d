# Targets for building, testing and measuring Rijn. They need Python 3.11+ with venv, a C compiler
# and make. Everything else is installed from PyPI into .venv, inside this checkout. Without
# Python's headers, Rijn is built with RIJN_PURE=1, and peers that need the headers are left out.
#
#   make test PYTHON=python3.12    another interpreter (after `make clean`)
#   make test CTEST_FLAGS='-R aead' PYTEST_FLAGS='python/tests/cli -x'    some tests

PYTHON ?= python3
BUILD = build
BIN = $(CURDIR)/.venv/bin
CMAKE = $(or $(shell command -v cmake),$(BIN)/cmake)
CTEST = $(or $(shell command -v ctest),$(BIN)/ctest)
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
# The folder of Python.h, or empty.
HEADERS := $(wildcard $(shell $(or $(wildcard $(BIN)/python),$(PYTHON)) -c \
	'import sysconfig; print(sysconfig.get_path("include"))')/Python.h)

SOURCES := $(shell find c/cmake c/include c/src -type f)
PACKAGE := LICENSE pyproject.toml README.md $(shell find python -type f -not -path 'python/tests/*' -not -path '*/__pycache__/*')
BENCH := $(shell find bench python/cmake python/tools/man_pages.py -type f -not -path 'bench/tests/*' -not -path '*/__pycache__/*')
LIBRARY = $(CURDIR)/$(BUILD)/c/librijn.a
# Folders outside c/ with fuzz targets. Their seeds run together with the seeds of the C library.
FUZZ_FOLDERS = $(CURDIR)/python/tests/fuzz;$(CURDIR)/integrations/duckdb/fuzz
PUTTY ?= 0.85
MICROPYTHON ?= 1.26
# ON makes warnings of librijn errors. CI sets it, so that `make lint` finds the objects in ccache.
WERROR ?= OFF
CARGO ?= cargo
# A registry may reset a connection or answer late.
export PIP_RETRIES ?= 10
export PIP_DEFAULT_TIMEOUT ?= 60
export npm_config_fetch_retries ?= 10
export CARGO_NET_RETRY ?= 10
PEERS = pycryptodome pyaes tinyaes pyaegis pynacl numpy

.DEFAULT_GOAL := help
.PHONY: help build demo test quick sanitize lint ct counts proofs docs figures screenshots wheels wheels-test release columns-test spark-test bench-peers columns-peers amalgamation crate crate-test micro micro-test putty putty-bench putty-test putty-transfer duckdb duckdb-test openssl openssl-test openssl-bench jar jar-test jar-bench micropython micropython-test npm npm-test npm-bundlers npm-bench clean

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

build: .venv/.rijn .venv/.bench c-build ## Build librijn, and the Python packages into .venv

demo: .venv/.rijn .venv/.bench .venv/.demo ## Encrypt and decrypt a large file; compare the backends
	$(BIN)/python tools/demo.py

test: build .venv/.test ## Run the tests: C on every backend, Python on those in Python and one in C
	PATH="$(BIN):$$PATH" $(CTEST) --test-dir $(BUILD)/c --output-on-failure --no-tests=error \
		-j$(JOBS) $(CTEST_FLAGS)
	PATH="$(BIN):$$PATH" $(CTEST) --test-dir $(BUILD)/bench --output-on-failure -j$(JOBS) $(CTEST_FLAGS)
	PATH="$(BIN):$$PATH" $(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(PYTEST_FLAGS)

quick: library .venv/.rijn ## A verdict in a minute: two backends in C and in Python, lint of changed files
	@test -e .venv/.test || $(MAKE) .venv/.test
	tools/quick.sh $(BIN) $(BUILD) $(JOBS)

sanitize: .venv/.tools ## Run the C tests under AddressSanitizer and UBSan (not in make test)
	$(CMAKE) -S c -B $(BUILD)/sanitize '-DRIJN_FUZZ_FOLDERS=$(FUZZ_FOLDERS)' -DRIJN_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=RelWithDebInfo
	$(CMAKE) --build $(BUILD)/sanitize -j$(JOBS)
	$(CTEST) --test-dir $(BUILD)/sanitize --output-on-failure --no-tests=error -j$(JOBS) $(CTEST_FLAGS)

lint: .venv/.rijn .venv/.test ## Compile with warnings as errors; ruff; vulture; mypy --strict; English
	$(CMAKE) -S c -B $(BUILD)/lint/c -DRIJN_WERROR=ON '-DRIJN_FUZZ_FOLDERS=$(FUZZ_FOLDERS)'
	$(CMAKE) --build $(BUILD)/lint/c -j$(JOBS)
	$(CMAKE) -S bench -B $(BUILD)/lint/bench -DRIJN_WERROR=ON -DRIJN_LIBRARY=$(CURDIR)/$(BUILD)/lint/c/librijn.a
	$(CMAKE) --build $(BUILD)/lint/bench -j$(JOBS)
	$(CMAKE) -S python -B $(BUILD)/lint/python -DRIJN_WERROR=ON \
		-DRIJN_LIBRARY=$(CURDIR)/$(BUILD)/lint/c/librijn.a -DSKBUILD_SABI_VERSION=3.11 -DPython_EXECUTABLE=$(BIN)/python
	$(CMAKE) --build $(BUILD)/lint/python -j$(JOBS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/vulture
	$(BIN)/mypy
	git ls-files -z ':!vectors' | xargs -0 $(BIN)/codespell
	$(BIN)/python tools/prose.py --check

ct: c-build ## Look for branches and addresses that depend on secrets (needs valgrind)
	$(CTEST) --test-dir $(BUILD)/c --output-on-failure --no-tests=error -L ct

counts: ## Count instructions for Arm and RISC-V in QEMU; constant time there (Debian: cross gcc, qemu-user)
	LIBAEGIS=1 c/tests/ct/counts.sh $(BUILD)/counts

proofs: .venv/.proofs $(BUILD)/cbmc ## Prove the ledger of c/proofs (root; Debian: mmdebstrap; PROOFS_FLAGS=--sample: in minutes)
	RIJN_CBMC=$(CURDIR)/$(BUILD)/cbmc RIJN_PROOFS=$(CURDIR)/$(BUILD)/proofs $(BIN)/python c/proofs/run.py $(PROOFS_FLAGS)

docs: .venv/.docs ## Build the pages of docs/ as a site, build/docs/index.html
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --builder html docs $(BUILD)/docs
	@echo $(BUILD)/docs/index.html

figures: .venv/.rijn .venv/.test ## Measure the backends (quiet machine); write README.md, measurements.md and the picture
	$(BIN)/python tools/figures.py measure
	$(BIN)/python tools/figures.py

screenshots: docs .venv/.test ## Take pictures of terminals, the report and the site into build/screenshots (chromium)
	$(BIN)/python tools/screenshots.py

wheels: .venv/.wheels ## Build wheels for other machines and systems with zig (WHEELS="manylinux-aarch64 pyodide": some)
	$(BIN)/python python/tools/wheels.py $(BUILD)/wheels $(WHEELS)

wheels-test: wheels .venv/.test ## Check them, and run the ones that can run here (root; Debian: mmdebstrap, qemu-user, npm)
	$(BIN)/python python/tests/wheel/platforms.py $(BUILD)/wheels $(BUILD)/wheels-test $(WHEELS)

release: .venv/.wheels ## Build what a release publishes, twice, from the tag of the version (RELEASE="c sdist": some)
	$(BIN)/python tools/release.py $(BUILD)/release $(RELEASE)

columns-test: .venv/.test .venv/.columns ## Run rijn.columns and its command beside pyarrow, Polars, pandas, DuckDB, Ray, ClickHouse and Tink
	$(BIN)/python -m pytest -n $(JOBS) python/tests/test_columns*.py bench/tests/test_bench_columns.py \
		$$(grep -lE 'importorskip\("(pyarrow|nanoarrow)|^from table_files import' python/tests/test_*.py python/tests/cli/test_*.py) \
		'python/tests/cli/test_transcripts.py::test_transcript[columns.txt]' $(PYTEST_FLAGS)

spark-test: .venv/.test .venv/.spark ## Run rijn.spark and its command on Apache Spark (Debian: openjdk-17-jre-headless)
	$(BIN)/python -m pytest python/tests/spark $(PYTEST_FLAGS)

micro: ## Build the C core for Cortex-M4, M3 and M0 (Debian: gcc-arm-none-eabi)
	$(PYTHON) c/tests/micro/micro.py build $(BUILD)/micro

micro-test: micro ## Run it in QEMU, and count instructions (Debian: qemu-system-arm)
	$(PYTHON) c/tests/micro/micro.py test $(BUILD)/micro

putty-bench: build ## Build PuTTY's ciphers for `rijn bench --as putty` (x86-64, apt)
	integrations/putty/build.sh $(PUTTY) original rijn
	bench/harness/putty_peer.sh $(PUTTY)
	$(BIN)/python -m pip install $(FROM_LIBRARY) --force-reinstall ./bench

bench-peers: library .venv/.test ## Fetch the peers of `rijn bench` into this checkout
	for peer in $(PEERS); do \
		$(BIN)/python -m pip install --quiet $$peer || echo "not to be had here: $$peer"; \
	done
	PYTHON=$(BIN)/python bench/fetch_peers.sh $(BUILD)/peers
	$(BIN)/python -m pip install $(FROM_LIBRARY) --force-reinstall ./bench
	@"$$($(BIN)/python -c 'import rijn_bench; print(*rijn_bench.__path__)')"/harness --list

columns-peers: .venv/.test .venv/.columns-bench ## Fetch the peers of `rijn bench --as columns` (Debian: openjdk-17-jre-headless)

putty: library ## Build PuTTY's programs on Rijn, for x86-64 (PUTTY=0.78, 0.83 or 0.85) from Debian's source
	integrations/putty/build.sh $(PUTTY) rijn

putty-test: putty ## Run PuTTY's own suite on Rijn, and transfers over loopback (needs sshd)
	$(BIN)/python integrations/putty/check.py $(PUTTY) $(PUTTY_FLAGS)

putty-transfer: build ## Measure PuTTY's transfers (PUTTY_FLAGS='--size 256 --rounds 3', MiB)
	integrations/putty/build.sh $(PUTTY)
	$(BIN)/python -m pip install --quiet rijn-bench || echo "no plot: matplotlib is not to be had"
	$(BIN)/python integrations/putty/measure.py --version $(PUTTY) $(PUTTY_FLAGS)

amalgamation: ## Write librijn as one C file into build/amalgamation: rijn.h, rijn.c, rijn-portable.c
	$(PYTHON) c/amalgamate.py $(BUILD)/amalgamation

crate: ## Write the C file into the crate in rust (needs cargo), and package it in build/crate
	$(PYTHON) c/amalgamate.py rust/c
	cp LICENSE rust/LICENSE
	cd rust && CARGO_TARGET_DIR=$(CURDIR)/$(BUILD)/crate $(CARGO) package --allow-dirty --no-verify

crate-test: crate ## Test the crate (CARGO_FLAGS='--test many')
	cd rust && CARGO_TARGET_DIR=$(CURDIR)/$(BUILD)/crate $(CARGO) test --features chunked,getrandom,std,zeroize $(CARGO_FLAGS)

duckdb: library ## Build the DuckDB extension into build/duckdb (needs cargo)
	$(PYTHON) integrations/duckdb/build.py $(BUILD)/duckdb $(LIBRARY)

duckdb-test: .venv/.test .venv/.columns duckdb ## Test it beside rijn.columns
	$(BIN)/python -m pytest -n $(JOBS) integrations/duckdb/test_extension.py $(PYTEST_FLAGS)

openssl: library ## Build the OpenSSL provider, build/openssl/rijn.so (Debian: libssl-dev)
	$(PYTHON) integrations/openssl/build.py $(BUILD)/openssl $(LIBRARY)

openssl-test: .venv/.test openssl ## Test it beside OpenSSL's own, with evp_test and in programs (valgrind, clang, nginx, sshd; root: OpenSSL 3.5 too)
	$(BIN)/python integrations/openssl/tests/check.py $(BUILD)/openssl $(OPENSSL_FLAGS)

openssl-bench: openssl ## Compare its speed with OpenSSL's own (OPENSSL_FLAGS='--rounds 31')
	$(BIN)/python integrations/openssl/bench/bench.py $(BUILD)/openssl $(OPENSSL_FLAGS)

jar: library ## Build the jars for Spark SQL into build/jar (Debian: maven, a JDK, gcc for x86-64 and aarch64)
	PATH="$(BIN):$$PATH" $(BIN)/python integrations/spark/build.py $(BUILD)/jar $(LIBRARY)

jar-test: .venv/.test .venv/.spark jar ## Test them in Java, PySpark and spark-sql, beside rijn.columns (Debian: qemu-user)
	$(BIN)/python integrations/spark/check.py $(BUILD)/jar

jar-bench: .venv/.test .venv/.spark jar ## Compare its speed with aes_encrypt (BENCH_FLAGS='--rows 100000')
	$(BIN)/python integrations/spark/bench.py $(BUILD)/jar $(BENCH_FLAGS)

micropython: .venv/.micropython ## Build MicroPython (MICROPYTHON=1.25 or 1.26) from Debian's source, and Rijn for it
	PYTHON=$(BIN)/python integrations/micropython/build.sh $(MICROPYTHON)

micropython-test: .venv/.rijn micropython ## Run Rijn on MicroPython in QEMU and in node; count instructions
	$(BIN)/python integrations/micropython/check.py $(MICROPYTHON)

npm: .venv/.ziglang ## Build rijn.wasm and the npm package into build/npm (needs npm)
	$(BIN)/python js/build.py $(BUILD)/npm

npm-test: .venv/.test npm ## Test the npm package in Node, Deno, Bun and Chromium (needs chromium)
	$(BIN)/python js/check.py $(BUILD)/npm

npm-bundlers: npm ## Bundle a program with esbuild, Rollup, Vite and webpack, and run it (chromium; BUNDLERS_FLAGS=--full)
	node js/bundlers/check.mjs $(BUILD)/npm $(BUNDLERS_FLAGS)

npm-bench: npm ## Compare its speed in Node with @noble/ciphers, WebCrypto and node:crypto
	npm install --silent --no-save --prefix $(BUILD)/npm/peers @noble/ciphers@2
	node js/bench.mjs $(BUILD)/npm
	node js/engines.mjs $(BUILD)/npm/rijn

clean: ## Remove everything that these targets made
	rm -rf $(BUILD) .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find .ci bench c integrations js python tools -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- What other targets depend on ----

# librijn alone. Several targets link it.
.PHONY: library
library: .venv/.tools
	$(CMAKE) -S c -B $(BUILD)/c -DRIJN_WERROR=$(WERROR) '-DRIJN_FUZZ_FOLDERS=$(FUZZ_FOLDERS)'
	$(CMAKE) --build $(BUILD)/c --target rijn_static -j$(JOBS)

# librijn with its tests, and the harness of the benchmark with its tests.
.PHONY: c-build
c-build: library
	$(CMAKE) --build $(BUILD)/c -j$(JOBS)
	$(CMAKE) -S bench -B $(BUILD)/bench -DRIJN_LIBRARY=$(LIBRARY)
	$(CMAKE) --build $(BUILD)/bench -j$(JOBS)

# Tools that build Rijn. They stay in .venv, so that a rebuild needs no network.
.venv/.tools:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet 'scikit-build-core>=0.11' 'click>=8.1' ninja \
		$(if $(shell command -v cmake),,cmake)
	@touch $@

# Records whether Python's headers are present. It changes when they appear or disappear.
WITH = .venv/.with$(if $(HEADERS),,out)-headers
$(WITH): .venv/.tools
	@rm -f .venv/.with*-headers
	@touch $@

# Decode and compare machine code.
.venv/.proofs: c/proofs/requirements.txt | .venv/.tools
	$(BIN)/python -m pip install --quiet -r c/proofs/requirements.txt
	@touch $@

$(BUILD)/cbmc:
	tools/cbmc.sh $@

# Links native modules of MicroPython.
.venv/.micropython: .venv/.tools
	$(BIN)/python -m pip install --quiet 'pyelftools>=0.31'
	@touch $@

# Compiles for WebAssembly and other machines.
.venv/.ziglang: .venv/.tools
	$(BIN)/python -m pip install --quiet ziglang
	@touch $@

# Checks the names of wheels.
.venv/.wheels: .venv/.ziglang
	$(BIN)/python -m pip install --quiet 'auditwheel>=6.4' 'cyclonedx-python-lib[json-validation]>=11' 'hatchling>=1.27' pefile twine wheel
	@touch $@

.PHONY: say
say:
	@$(if $(HEADERS),true,echo "*** Python's headers are missing (Debian: python3-dev):" \
		"Rijn is built without its C binding ***")

# pip installs a wheel of these sources, as it does for users. The build uses the tools in .venv
# and links the library that is already built.
FROM_LIBRARY = --quiet --no-build-isolation --no-deps --config-settings=cmake.define.RIJN_LIBRARY=$(LIBRARY)
.venv/.rijn: $(WITH) $(SOURCES) $(PACKAGE) | say $(if $(HEADERS),library)
	$(if $(HEADERS),,RIJN_PURE=1) $(BIN)/python -m pip install $(FROM_LIBRARY) .
	@touch $@

# The package of rijn bench, installed in the same way.
.venv/.bench: $(WITH) $(SOURCES) $(BENCH) | .venv/.rijn
	$(if $(HEADERS),,RIJN_PURE=1) $(BIN)/python -m pip install $(FROM_LIBRARY) ./bench
	@touch $@

# The packages that an extra of pyproject.toml names, as the installed Rijn lists them. pip builds
# source distributions with the build requirements that they name.
NEEDED = 'rijn[$*]'
.venv/.test: private NEEDED = 'rijn-bench[test]'
.venv/.test: bench/pyproject.toml $(if $(HEADERS),.venv/.test-source) | .venv/.bench
.venv/.demo .venv/.docs .venv/.test .venv/.test-source: .venv/.%: pyproject.toml tools/check_extra.py | .venv/.rijn
	$(BIN)/python -m pip install --quiet $(NEEDED)
	$(BIN)/python tools/check_extra.py $(NEEDED)
	@touch $@

# Some of their modules need packages that they do not require, and do not load.
.venv/.columns: pyproject.toml | .venv/.rijn
	$(BIN)/python -m pip install --quiet 'rijn[columns-test]'
	$(BIN)/python -c 'import chdb, duckdb, fsspec, pandas, polars, pyarrow, ray.data, tink'
	@touch $@

.venv/.columns-bench: pyproject.toml bench/pyproject.toml | .venv/.bench
	$(BIN)/python -m pip install --quiet 'rijn-bench[columns]'
	@touch $@

.venv/.spark: pyproject.toml | .venv/.rijn
	$(BIN)/python -m pip install --quiet 'rijn[spark]'
	$(BIN)/python -c 'import nanoarrow, pandas, pyarrow, pyspark'
	@touch $@
