# A thin front: CMakePresets.json builds, .ci/packages lists what is installed.
.NOTPARALLEL:
.PHONY: help demo build build-bench check test sanitize verify verify-solvers verify-stops verify-long fuzz bench bench-quick lint format format-check tidy figures tables docs clean

JOBS ?= $(shell nproc)
# Clones in other places share the compiler cache.
export CCACHE_BASEDIR = $(CURDIR)
export CCACHE_NOHASHDIR = 1

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## install, build, and run the chain of four boxes
	@.ci/install build plot
	@cmake --preset release -DEMMY_TESTS=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target emmy
	build/emmy run examples/chain_spherical.yaml -o demo.out --force --set integrator.step=0.01
	@docs/plots/plot demo.out demo.out/chain.png docs/plots/chain.gp
	@echo "  Plot in demo.out/chain.png"

build: ## install what is needed and build build/emmy with its tests
	@.ci/install build test
	@cmake --preset release -DEMMY_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS)

check: build test sanitize ## install, build and pass all tests

test: build ## unit tests, bad decks and the verification suite
	@ctest --preset release -j $(JOBS)

sanitize: ## unit tests under AddressSanitizer and UBSan
	@.ci/install build test
	@cmake --preset sanitize >/dev/null
	@cmake --build --preset sanitize -j $(JOBS)
	@ctest --preset sanitize -j $(JOBS) -R "^unit[.]"

verify: build ## the verification suite, as a table
	@build/emmy verify --output build

verify-solvers: build ## the verification suite with every linear solver, directly and by SNES: minutes
	@verification/solver_choices build/emmy $(JOBS)

verify-stops: build ## every case stopped at three random steps of each run, and restarted from its checkpoint: the same results, audits and last states
	@verification/same_results --stops 3 build/emmy build/stops

KILLS ?= 200
verify-long: ## a chain and two free bodies over a million steps, a rod in a cube over ten million, windows of four-bar linkages in all sizes through flat positions, and KILLS (200) runs that are killed and go on: a quarter of an hour
	@.ci/install build test
	@cmake --preset release -DEMMY_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target emmy emmy_long
	@build/verification/long/emmy_long
	@verification/kills build/emmy $(KILLS)

FUZZ_SECONDS ?= 60
fuzz: ## feed the readers of decks, --set, cases, meshes and checkpoints with random input, each for FUZZ_SECONDS (60)
	@.ci/install build fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@verification/fuzz/run build-fuzz $(FUZZ_SECONDS) $(JOBS)

BENCH = build/verification/benchmarks/emmy_bench

bench: build-bench ## measure speed and write docs/performance.md; fails if a promise of that page is missed
	verification/benchmarks/instructions $(BENCH) >build/bench/instructions
	$(BENCH) --template verification/benchmarks/performance.md.in --page docs/performance.md \
	  --instructions build/bench/instructions --json build/bench/figures.json

bench-quick: build-bench ## the same in a minute, with rougher figures: all must run, none is judged
	@$(BENCH) --quick --json build/bench/quick.json || [ $$? -eq 1 ]

build-bench:
	@.ci/install build test bench
	@cmake --preset release -DEMMY_BENCH=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target emmy_bench
	@mkdir -p build/bench

SOURCES = $(shell git ls-files '*.cpp' '*.hpp')

lint: format-check tidy ## check format and static analysis

format: ## format all sources
	@.ci/install lint
	@clang-format -i $(SOURCES)

format-check:
	@.ci/install lint
	@clang-format --dry-run --Werror $(SOURCES)

tidy: build
	@.ci/install lint
	@git ls-files 'core/*.cpp' 'elements/*.cpp' 'solvers/*.cpp' 'io/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p build --quiet --extra-arg=-Wno-unknown-warning-option

figures: build ## redraw the figures of docs/images from runs of the examples
	@.ci/install plot
	@docs/plots/figures build

tables: ## recompute docs/explicit_rotation.md, docs/augmented_lagrangian.md, docs/director_chains.md and their figures; fails if published findings do not come out
	@.ci/install build plot
	@cmake --preset release -DEMMY_TESTS=OFF -DEMMY_TABLES=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target emmy_tables
	@docs/plots/tables build

docs: build ## regenerate the generated parts of docs/
	@docs/update build/emmy

clean: ## remove everything that was built
	rm -rf build build-debug build-sanitize build-fuzz demo.out
