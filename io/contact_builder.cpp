#include "io/contact_builder.hpp"

#include "contact/narrow.hpp"
#include "io/mesh_loading.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace emmy {

namespace {

using contact::Geometry;
using Signature = std::vector<int>;

/// Numbers that are the same for geometries that can meet the same others.
Signature kind_of(const Geometry& geometry) {
  const auto radius = [&] {
    if (const auto* nodes = std::get_if<contact::NodeSet>(&geometry))
      return nodes->radius;
    return 1.0;
  };
  const auto* box = std::get_if<contact::Box>(&geometry);
  return {static_cast<int>(geometry.index()), box != nullptr && box->inside ? 1 : 0, radius() > 0 ? 1 : 0};
}

class SceneBuilder {
public:
  SceneBuilder(const deck::Deck& deck, const BuiltModel& built, deck::Diagnostics& diagnostics,
               std::vector<ReferredFile>& files)
      : deck_(deck), contact_(deck.contact), built_(built), diagnostics_(diagnostics), files_(files) {}

  contact::Scene build() {
    for (const deck::Surface& surface : contact_.surfaces)
      scene_.surfaces.push_back(
          {surface.name, port_of(surface.body), loaded_geometry(deck_, surface, diagnostics_, files_)});
    add_rules();
    if (!classify())
      return std::move(scene_);
    fill_table();
    keep_apart();
    return std::move(scene_);
  }

private:
  Index port_of(int body) const {
    return body == deck::ground ? Model::ground : built_.bodies[static_cast<std::size_t>(body)]->port();
  }

  void add_rules() {
    scene_.rules.push_back({"", contact_.material, {}, Model::ground});
    for (const deck::ContactPair& pair : contact_.pairs) {
      contact::Rule rule{pair.name, pair.material, pair.between[1].surfaces, Model::ground};
      const auto port = [&](int surface) { return scene_.surfaces[static_cast<std::size_t>(surface)].port; };
      if (std::all_of(rule.second.begin(), rule.second.end(),
                      [&](int surface) { return port(surface) == port(rule.second.front()); }))
        rule.second_port = port(rule.second.front());
      scene_.rules.push_back(std::move(rule));
    }
  }

  /// Surfaces of one kind that belong to the same sides of all pairs and exclusions are a class.
  bool classify() {
    std::vector<Signature> signatures;
    for (const contact::Surface& surface : scene_.surfaces)
      signatures.push_back(kind_of(surface.geometry));
    int side = 0;
    const auto enter = [&](const std::array<deck::ContactSide, 2>& sides) {
      for (const deck::ContactSide& one : sides) {
        for (const int surface : one.surfaces)
          signatures[static_cast<std::size_t>(surface)].push_back(side);
        ++side;
      }
    };
    for (const deck::ContactPair& pair : contact_.pairs)
      enter(pair.between);
    for (const auto& sides : contact_.excluded)
      enter(sides);
    std::map<Signature, int> classes;
    for (const Signature& signature : signatures) {
      const auto [found, is_new] = classes.emplace(signature, static_cast<int>(classes.size()));
      scene_.class_of.push_back(found->second);
      if (is_new)
        example_.push_back(static_cast<int>(scene_.class_of.size()) - 1);
    }
    if (classes.size() <= most_classes)
      return true;
    diagnostics_.error(
        contact_.where,
        "the pairs and exclusions of 'contact' tell " + std::to_string(classes.size()) + " kinds of surfaces apart",
        {"expected at most " + std::to_string(most_classes) + ": put surfaces that behave alike in groups"});
    return false;
  }

  std::vector<int> classes_of(const deck::ContactSide& side) const {
    std::vector<int> classes;
    for (const int surface : side.surfaces)
      classes.push_back(scene_.class_of[static_cast<std::size_t>(surface)]);
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    return classes;
  }

  bool can_meet(int one, int other) const {
    const auto geometry = [&](int of_class) -> const Geometry& {
      return scene_.surfaces[static_cast<std::size_t>(example_[static_cast<std::size_t>(of_class)])].geometry;
    };
    return contact::can_meet(geometry(one), geometry(other));
  }

  /// Sets the rule of all surfaces of two sides that can meet; false if none can.
  bool set_rule(const std::array<deck::ContactSide, 2>& between, int rule) {
    bool any = false;
    for (const int one : classes_of(between[0]))
      for (const int other : classes_of(between[1]))
        if (can_meet(one, other)) {
          scene_.rule_of(one, other) = scene_.rule_of(other, one) = rule;
          any = true;
        }
    return any;
  }

  void fill_table() {
    const auto n = static_cast<Index>(example_.size());
    scene_.rule_of.setConstant(n, n, -1);
    for (int one = 0; one < n && !contact_.only_pairs; ++one)
      for (int other = 0; other < n; ++other)
        scene_.rule_of(one, other) = can_meet(one, other) ? 0 : -1;
    // The narrower and the later pair is set last.
    std::vector<std::size_t> order(contact_.pairs.size());
    std::iota(order.begin(), order.end(), 0);
    const auto narrowness = [&](std::size_t i) {
      return contact_.pairs[i].between[0].narrowness + contact_.pairs[i].between[1].narrowness;
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t k) { return narrowness(i) < narrowness(k); });
    for (const std::size_t i : order)
      if (!set_rule(contact_.pairs[i].between, static_cast<int>(i) + 1))
        complain_of(contact_.pairs[i]);
    for (const auto& sides : contact_.excluded)
      set_rule(sides, -1);
  }

  void complain_of(const deck::ContactPair& pair) {
    static const char* const kinds[] = {"spheres",       "shells", "half spaces", "boxes", "capsules",
                                        "sets of nodes", "meshes", "rooms",       "lines"};
    const auto kind = [&](const deck::ContactSide& side) {
      const Geometry& geometry = scene_.surfaces[static_cast<std::size_t>(side.surfaces.front())].geometry;
      const auto* box = std::get_if<contact::Box>(&geometry);
      return std::string(kinds[box != nullptr && box->inside ? 7 : geometry.index()]);
    };
    const std::string first = kind(pair.between[0]), second = kind(pair.between[1]);
    diagnostics_.error(pair.where,
                       "pair '" + pair.name + "' can never touch: " +
                           (first == second ? "two " + first : first + " and " + second) + " do not meet",
                       {first == "sets of nodes" ? "expected a 'radius' of one of them: points do not meet points"
                                                 : "expected one of them to be seen from outside: half spaces, shells "
                                                   "and rooms are what others meet"});
  }

  /// Bodies that something connects.
  void keep_apart() {
    if (contact_.jointed)
      return;
    const auto add = [&](const std::array<int, 2>& between) {
      const Index a = port_of(between[0]), b = port_of(between[1]);
      scene_.apart.emplace_back(std::min(a, b), std::max(a, b));
    };
    for (const deck::Joint& joint : deck_.joints)
      if (joint.type != "coupler")
        add(joint.between);
    for (const deck::Force& force : deck_.forces)
      if (force.type == "bushing")
        add(force.between);
    std::sort(scene_.apart.begin(), scene_.apart.end());
    scene_.apart.erase(std::unique(scene_.apart.begin(), scene_.apart.end()), scene_.apart.end());
  }

  const deck::Deck& deck_;
  const deck::Contact& contact_;
  const BuiltModel& built_;
  deck::Diagnostics& diagnostics_;
  std::vector<ReferredFile>& files_;
  contact::Scene scene_;
  std::vector<int> example_; ///< class -> one of its surfaces
};

} // namespace

contact::Scene build_scene(const deck::Deck& deck, const BuiltModel& built, deck::Diagnostics& diagnostics,
                           std::vector<ReferredFile>& files) {
  return deck.contact.surfaces.empty() ? contact::Scene{} : SceneBuilder(deck, built, diagnostics, files).build();
}

FreeBodiesOptions contact_options(const deck::Deck& deck) {
  static const std::map<std::string, Arms> arms{{"common", Arms::common},
                                                {"mean", Arms::mean},
                                                {"corrected", Arms::corrected},
                                                {"start", Arms::start},
                                                {"printed", Arms::printed}};
  using contact::ContactMethod;
  static const std::map<std::string, ContactMethod> methods{{"auto", ContactMethod::automatic},
                                                            {"constraint_planes", ContactMethod::constraint_planes},
                                                            {"semismooth", ContactMethod::semismooth},
                                                            {"interior_point", ContactMethod::interior_point},
                                                            {"gauss_seidel", ContactMethod::gauss_seidel}};
  static const std::map<std::string, NotConverged> not_converged{
      {"warn", NotConverged::warn}, {"halve", NotConverged::halve}, {"stop", NotConverged::stop}};
  const deck::ContactSolver& solver = deck.contact.solver;
  FreeBodiesOptions options;
  options.exponential = deck.integrator.exponential;
  options.located = deck.integrator.located;
  options.arms = arms.at(deck.contact.arms);
  options.stabilise = deck.contact.stabilise;
  options.solver.method = methods.at(solver.method);
  options.solver.fast = solver.fast;
  options.solver.tolerance = solver.tolerance;
  options.solver.most_applications = solver.most_applications;
  options.not_converged = not_converged.at(solver.not_converged);
  return options;
}

} // namespace emmy
