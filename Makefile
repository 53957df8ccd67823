# One command per check. Every target installs what it needs (.ci/deps) and
# builds in a folder of its own below build/.

JOBS ?= $(shell nproc)
SHELL := /bin/bash
RUN_TESTS = .ci/tests $(1)
# One word of the shell, whatever it holds.
quote = '$(subst ','\'',$(1))'

CONFIG_test := -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE= \
  -DCMAKE_CXX_FLAGS=-O1 -DWORKERPOOL_TESTS=ON
CONFIG_tsan := -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE= \
  -DCMAKE_CXX_FLAGS=-O1 -DWORKERPOOL_TESTS=ON -DWORKERPOOL_SANITIZER=thread
CONFIG_asan := -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE= \
  -DCMAKE_CXX_FLAGS=-O1 -DWORKERPOOL_TESTS=ON -DWORKERPOOL_SANITIZER=address
CONFIG_coverage := -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE= \
  -DCMAKE_CXX_FLAGS='-O0 -fno-inline' -DWORKERPOOL_TESTS=ON -DWORKERPOOL_COVERAGE=ON
CONFIG_models := -DCMAKE_CXX_COMPILER=g++ -DWORKERPOOL_MODELS=ON
CONFIG_bench := -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release \
  -DWORKERPOOL_BENCH=ON
CONFIG_clang := -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE= \
  -DCMAKE_CXX_FLAGS=-O0 -DWORKERPOOL_MODELS=ON -DWORKERPOOL_BENCH=ON

MODELS := task_ring task_queue session condvar_wait backoff_wait destruction \
  destruction_O0 original_condvar original_pool naive_wake naive_lifecycle \
  naive_completion

.PHONY: help check deps build unit property test tsan asan soak soak-tsan \
  coverage models models-quick models-full litmus mutants mutants-sample \
  mutants-unit mutant clang bench bench-client smoke tables publish \
  publish-models selftest lint format format-check hygiene replay clean

help:
	@echo 'make check     the quick gate: everything marked *, formats and hygiene'
	@echo 'make bench     YCSB read-only on WiredTiger, about three minutes;'
	@echo '               make bench-client: with 200 us outside the pool'
	@echo 'make test      * unit, fault-injection and property tests'
	@echo 'make tsan      * unit, property, stress under ThreadSanitizer (clang)'
	@echo 'make asan      * the same under AddressSanitizer and UBSan'
	@echo 'make models    all models, deep; models-quick * in seconds;'
	@echo '               models-full: models x strategies x workers x submitters'
	@echo 'make litmus    * the models'\'' tool against C++20; memory orders against need'
	@echo 'make soak      pools under load for SECONDS=60, all tasks accounted for;'
	@echo '               make soak-tsan: under ThreadSanitizer'
	@echo 'make coverage  lines and branches of pool/ that no test reaches'
	@echo 'make clang     * models and benchmark compile with clang as well'
	@echo 'make smoke     * the benchmark: its own tests, and a reduced table'
	@echo 'make tables    * generated tables are not stale; make publish renews them'
	@echo 'make selftest  a planted fault turns each kind of check red'
	@echo 'make mutants   plants every fault pool/ could have: which check finds it?'
	@echo '               mutants-sample, mutants-unit * ; make mutant ID=... shows one'
	@echo 'make lint      clang-tidy; make format: clang-format'
	@echo 'make replay MODEL=... CHECK=... SEARCH=... [ITERATION=...]'
	@echo 'make build, unit, property, format-check, hygiene: * parts of the above'
	@echo 'make clean     removes build/'
	@echo 'make deps      installs all packages; NO_INSTALL=1: never do'

check:
	@.ci/parts build unit property tsan asan models-quick litmus mutants-unit \
	  mutants-sample clang smoke tables format-check hygiene

deps:
	@.ci/deps

BUILD = { cmake -S . -B build/$* $(CONFIG_$*) && \
  cmake --build build/$* -j $(JOBS) $(1); } >build/$*.log 2>&1 || \
  { tail -n 60 build/$*.log; false; }
# Configures and builds build/<name>; the output is shown if that fails.
build-%:
	@.ci/deps $*
	@mkdir -p build
	@$(call BUILD)

# The soak's program alone: it need not wait for all tests.
soak-program-%:
	@.ci/deps $*
	@mkdir -p build
	@$(call BUILD,--target soak)

build: build-test build-models build-bench
clang: build-clang

test: unit property
unit: build-test
	@$(call RUN_TESTS,test) -LE 'property|stress'
# Ten times the cases that a plain run takes.
property: build-test
	@PROPERTY_CASES=1000 $(call RUN_TESTS,test) -L property
tsan: build-tsan
	@STRESS_ROUNDS=4 $(call RUN_TESTS,tsan)
asan: build-asan
	@STRESS_ROUNDS=4 $(call RUN_TESTS,asan)

SECONDS ?= 60
soak: soak-program-test
	@build/test/tests/soak --seconds $(call quote,$(SECONDS))
soak-tsan: soak-program-tsan
	@build/tsan/tests/soak --seconds $(call quote,$(SECONDS)) --workers 8

coverage: build-coverage
	@tests/coverage/run build/coverage

models: build-models
	@models/run standard $(JOBS) $(MODELS)
# The grid of models x strategies x workers x submitters, about half an hour.
GRIDS := full_condvar full_backoff
models-full: build-models
	@cmake --build build/models -j $(JOBS) --target models_full >build/models_full.log 2>&1 || \
	  { tail -n 60 build/models_full.log; false; }
	@models/run full $(JOBS) $(GRIDS)
models-quick: build-models
	@$(call RUN_TESTS,models)
	@models/run quick $(JOBS) $(MODELS)
litmus: build-models
	@.ci/deps litmus
	@/usr/bin/python3 models/litmus/oracle_test.py --quiet
	@models/litmus/run
# MODEL, if it is one of those there are.
KNOWN = $(and $(filter 1,$(words $(MODEL))),$(filter $(subst %,\%,$(MODEL)),$(MODELS) $(GRIDS)))
replay: build-models
	@test -n $(call quote,$(CHECK)) && test -n '$(KNOWN)' || { \
	  echo 'error: give MODEL (one of: $(MODELS) $(GRIDS)) and CHECK, as the failure printed them' >&2; \
	  exit 2; }
	@cmake --build build/models --target model_$(MODEL) >build/models.log
	@build/models/models/model_$(MODEL) --only $(call quote,$(CHECK)) \
	  --replay $(call quote,$(or $(SEARCH),bound:2)) \
	  $(if $(ITERATION),--iteration $(call quote,$(ITERATION)))

TPS := build/bench/bench/tps
bench: build-bench
	@$(TPS) --json build/bench/ycsb.json --force $(BENCH_ARGS)
bench-client: build-bench
	@$(TPS) --json build/bench/ycsb-client-200us.json --force --client-us 200 \
	  $(BENCH_ARGS)
smoke: build-bench
	@$(call RUN_TESTS,bench)
	@$(TPS) --smoke
# Generated tables: `tables` says whether they are stale; `publish` puts the last
# `make bench`, `make bench-client` and `make models` into the project, and
# publish-models the last `make models` and `make models-full` alone.
RESULTS = bench/results/$(shell $(TPS) --machine)
CLIENT_TABLE = --json $(RESULTS)/ycsb-client-200us.json --readme bench/README.md
tables: build-bench build-models
	@bench/update_readme --check --tps $(TPS)
	@bench/update_readme --check --tps $(TPS) --readme bench/README.md \
	  --json $(wildcard bench/results/*/ycsb-client-200us.json)
	@models/update_readme --check $(MODELS)
publish: build-bench build-models
	@mkdir -p $(RESULTS)
	@cp build/bench/ycsb.json build/bench/ycsb-client-200us.json $(RESULTS)
	@bench/update_readme --tps $(TPS)
	@bench/update_readme --tps $(TPS) $(CLIENT_TABLE)
	@models/update_readme
publish-models:
	@models/update_readme
selftest:
	@.ci/deps selftest test tsan asan models litmus coverage mutants
	@tests/selftest/run

# Mutants of pool/ (tests/mutants/README.md).
MUTANTS = nice -n 5 tests/mutants/mutants --models '$(filter-out original_% naive_%,$(MODELS))' --jobs $(JOBS)
mutants:
	@.ci/deps mutants test tsan asan models
	@$(MUTANTS) run $(MUTANTS_ARGS)
mutants-sample:
	@.ci/deps mutants models
	@$(MUTANTS) sample
mutants-unit:
	@.ci/deps mutants
	@/usr/bin/python3 -m unittest discover -q -s tests/mutants -p '*_test.py'
	@tests/mutants/update_readme --check
mutant:
	@test -n $(call quote,$(ID)) || { echo 'error: give ID, as make mutants printed it' >&2; exit 2; }
	@.ci/deps mutants test models
	@$(MUTANTS) --tiers quick,tests,stress show -- $(call quote,$(ID))

lint: build-test
	@.ci/deps lint
	@clang-tidy --quiet -p build/test \
	  $(filter-out tests/bench_%,$(wildcard tests/*_test.cpp)) 2>build/lint.log

SOURCES = $(shell git ls-files '*.h' '*.cpp' 2>/dev/null || \
  find pool models tests bench -name '*.h' -o -name '*.cpp')
format:
	@.ci/deps format
	@clang-format -i $(SOURCES)
format-check:
	@.ci/deps format
	@# Not --dry-run, which version 14 lets complain of what it would not change.
	@bad=0; for f in $(SOURCES); do \
	  clang-format "$$f" | cmp -s - "$$f" || { echo "not formatted: $$f"; bad=1; }; \
	done; exit $$bad
hygiene:
	@.ci/hygiene

clean:
	rm -rf build
