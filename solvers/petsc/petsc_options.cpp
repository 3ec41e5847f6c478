#include "solvers/petsc/petsc_options.hpp"

#include "solvers/petsc/petsc.hpp"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <vector>

namespace emmy {

std::string petsc_options_in_use() {
  char* all = nullptr;
  check(PetscOptionsGetAll(nullptr, &all));
  std::string text = all != nullptr ? all : "";
  check(PetscFree(all));
  return text;
}

namespace {

struct Option {
  std::string name, value;
};

std::vector<Option> all_options() {
  std::istringstream words(petsc_options_in_use());
  std::vector<Option> options;
  for (std::string word; words >> word;) {
    const bool is_name = word.size() > 1 && word[0] == '-' && std::string("0123456789.").find(word[1]) == word.npos;
    if (is_name)
      options.push_back({word, ""});
    else if (!options.empty())
      options.back().value = word;
  }
  return options;
}

bool begins(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

/// PETSc names what only shows something in these words.
bool only_looks(const std::string& name) {
  for (const char* word : {"_monitor", "_view", "_converged_reason", "_test_jacobian"})
    if (name.find(word) != std::string::npos)
      return true;
  return false;
}

bool is_one_of(const std::string& text, std::initializer_list<const char*> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

constexpr const char* convergence_test = "-snes_convergence_test";

/// Why an option cannot work; empty if it can.
std::string reason_against(const Option& option) {
  const auto& [name, value] = option;
  if (name == "-snes_type" && !is_one_of(value, {"newtonls", "newtontr"}))
    return "methods that do not solve with the tangent do not reach rounding; expected newtonls or newtontr";
  if (name == convergence_test)
    return "emmy decides when a step is solved";
  if (name == "-pc_type" && is_one_of(value, {"cholesky", "icc"}))
    return "the matrix is not symmetric; expected a factorisation such as lu or ilu";
  if (name == "-pc_type" && value == "emmy")
    return "the block LU is a package of factors; expected -pc_type lu -pc_factor_mat_solver_type emmy";
  return {};
}

} // namespace

bool has_petsc_option(const std::string& prefix) {
  const std::vector<Option> options = all_options();
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return begins(option.name + " " + option.value, prefix); });
}

PetscWishes petsc_wishes() {
  PetscWishes wishes;
  for (const Option& option : all_options()) {
    const bool newton = begins(option.name, "-snes_");
    const bool linear = begins(option.name, "-ksp_") || begins(option.name, "-pc_") || begins(option.name, "-mat_");
    if (only_looks(option.name))
      wishes.looks = wishes.looks || newton || linear;
    else {
      wishes.newton = wishes.newton || newton;
      wishes.linear = wishes.linear || linear;
    }
  }
  return wishes;
}

std::vector<RefusedOption> refused_petsc_options() {
  std::vector<RefusedOption> refused;
  for (const Option& option : all_options())
    if (const std::string reason = reason_against(option); !reason.empty())
      refused.push_back({option.name + (option.value.empty() ? "" : " " + option.value), reason,
                         option.name == convergence_test ? Remedy::tolerance : Remedy::none});
  return refused;
}

} // namespace emmy
