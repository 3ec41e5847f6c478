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

verify-stops: build ## every case stopped at three random steps of each run, and continued: the same bytes
	@verification/same_results --stops 3 build/emmy build/stops

verify-long: ## a chain and two free bodies over a million steps, a rod in a cube over ten million, windows of four-bar linkages in all sizes through flat positions: two minutes
	@.ci/install build test
	@cmake --preset release -DEMMY_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target emmy_long
	@build/verification/long/emmy_long

FUZZ_SECONDS ?= 60
fuzz: ## feed the readers of decks, --set, cases and meshes with random input, each for FUZZ_SECONDS (60)
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
	@build/emmy run examples/chain_spherical.yaml -o build/figures/chain --force --set integrator.step=0.01 >/dev/null
	@docs/plots/plot build/figures/chain docs/images/chain.png docs/plots/chain.gp
	@for k in 8e4 1e6; do \
	  build/emmy run examples/three_link.yaml -o build/figures/three_link_$$k --force --set defaults.stiffness=$$k >/dev/null 2>&1 && \
	  docs/plots/plot build/figures/three_link_$$k docs/images/three_link_$$k.png docs/plots/three_link.gp || exit 1; done
	@build/emmy run examples/two_link_obstacle.yaml -o build/figures/two_link_obstacle/elastic --force --set output.every=0 >/dev/null
	@build/emmy run examples/two_link_obstacle.yaml -o build/figures/two_link_obstacle/plastic --force --set output.every=0 --set parameters.bounce=0 >/dev/null
	@docs/plots/plot build/figures/two_link_obstacle docs/images/two_link_obstacle.png docs/plots/two_link_obstacle.gp
	@build/verification/long/emmy_long rod build/figures/rod_in_cube
	@docs/plots/plot build/figures/rod_in_cube docs/images/rod_in_cube.png docs/plots/rod_in_cube.gp

PAGES = explicit_rotation augmented_lagrangian director_chains
ROTATION = docs/plots/plot build/tables/explicit_rotation docs/images/explicit_rotation
CHAINS = docs/plots/plot build/tables/director_chains docs/images/director_chains
WALL = docs/plots/plot build/tables/augmented_lagrangian docs/images/augmented_lagrangian

tables: ## recompute docs/explicit_rotation.md, docs/augmented_lagrangian.md, docs/director_chains.md and their figures; fails if published findings do not come out
	@.ci/install build plot
	@cmake --preset release -DEMMY_TESTS=OFF -DEMMY_TABLES=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target emmy_tables
	@for page in $(PAGES); do \
	  mkdir -p docs/images/$$page && \
	  build/verification/tables/emmy_tables $$page verification/tables/$$page.md.in docs/$$page.md build/tables/$$page || exit 1; done
	@$(ROTATION)/fig1_simo_wong.png docs/plots/unstable_rotation.gp sw_mid
	@$(ROTATION)/fig2_predictor_corrector.png docs/plots/unstable_rotation.gp pc_mid
	@$(ROTATION)/fig3_staggered.png docs/plots/unstable_rotation.gp stg_mid
	@$(ROTATION)/fig4_park_chiou_downer.png docs/plots/unstable_rotation.gp pcd_points
	@$(ROTATION)/fig5_top_axis.png docs/plots/top_axis.gp
	@$(ROTATION)/fig6_top.png docs/plots/top.gp
	@$(ROTATION)/fig7_simo_wong.png docs/plots/nutation.gp "sw_trap sw_mid sw_sym"
	@$(ROTATION)/fig8_predictor_corrector.png docs/plots/nutation.gp "pc_trap pc_mid"
	@$(ROTATION)/fig9_staggered.png docs/plots/nutation.gp "stg_trap stg_mid"
	@$(ROTATION)/fig10_others.png docs/plots/nutation.gp "pcd_mid lm split"
	@$(ROTATION)/energies.png docs/plots/explicit_energies.gp
	@$(WALL)/restitution.png docs/plots/restitution.gp
	@$(WALL)/fig2_multipliers.png docs/plots/wall.gp "+ho_kept ho_reset"
	@$(WALL)/fig4_augmented_lagrangian.png docs/plots/wall.gp "+ho_kept_nested ho_reset_nested"
	@$(WALL)/fig6_penalty.png docs/plots/wall.gp "ho_1e4 ho_1e5 ho_1e6"
	@$(WALL)/fig8_linear_acceleration.png docs/plots/wall.gp "+la_kept_nested la_reset_nested"
	@$(WALL)/fig9_explicit_euler.png docs/plots/wall.gp "euler_1e4 euler_1e4_fine"
	@$(WALL)/safe.png docs/plots/wall.gp "rods_elastic rods_half rods_plastic em_1e5 midpoint"
	@$(CHAINS)/fig2_revolute.png docs/plots/chain_shapes.gp "revolute 0 1 2 3 1"
	@$(CHAINS)/fig3_revolute.png docs/plots/chain_books.gp revolute
	@$(CHAINS)/fig4_revolute.png docs/plots/chain_constraints.gp revolute
	@$(CHAINS)/fig5_spherical.png docs/plots/chain_shapes.gp "spherical 0 1 2 3 2"
	@$(CHAINS)/fig6_spherical.png docs/plots/chain_books.gp spherical
	@$(CHAINS)/fig7_spherical.png docs/plots/chain_constraints.gp spherical

docs: build ## regenerate the generated parts of docs/
	@docs/update build/emmy

clean: ## remove everything that was built
	rm -rf build build-debug build-sanitize build-fuzz demo.out
