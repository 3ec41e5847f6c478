#pragma once
/// What the parts of the reader share while one deck is read.

#include "io/deck/schema.hpp"
#include "io/deck/tree.hpp"
#include "io/expressions.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace emmy::deck {

/// A parameter of an entry that is repeated.
struct Counter {
  std::string name;
  int value = 1;
};

/// Things of one kind by name, in the order of the deck.
class Names {
public:
  void add(std::string_view name);
  int find(std::string_view name) const; ///< index, or -1
  const std::vector<std::string>& list() const { return list_; }

  /// Of an entry that is repeated: its counters with the numbers that they run to.
  void add_copies(std::string_view name, const std::vector<Counter>& ends) { copies_[std::string(name)] = ends; }
  const std::vector<Counter>* copies(std::string_view name) const; ///< null for others

private:
  std::vector<std::string> list_;
  std::unordered_map<std::string, int> index_;
  std::unordered_map<std::string, std::vector<Counter>> copies_;
};

struct Reading {
  explicit Reading(Diagnostics& d) : diagnostics(d) {}

  Diagnostics& diagnostics;
  Tree tree;
  Expressions expressions;
  std::unordered_set<std::string> later_parameters; ///< declared, but not defined yet
  std::vector<std::string> misnamed_parameters;     ///< declared under names that mean something else
  Names bodies, joints, forces, limits;
  Names surfaces, pairs;         ///< of contact
  std::vector<Counter> counters; ///< of the entry that is being read, if it is repeated
  long copies = 0;               ///< made so far
  long looks = 400'000;          ///< left for targets of drives: what takes a fraction of a second
  Deck deck;
  /// Values already reported: shared by an alias or by the defaults of all bodies, a mistake is still one mistake.
  std::unordered_set<const Node*> faulty;

  /// Angles that were warned of, likewise once.
  std::unordered_set<const Node*> suspected;

  /// The default of a field as if it were written in the deck; null when it has none.
  const Node* fallback(const Field& field);

private:
  std::unordered_map<const Field*, const Node*> fallbacks_;
};

/// What is being read, put into words only when there is something to say about it.
struct Target {
  const Field& field;
  const std::string& owner; ///< "body 'link1'"; empty at the top level of the deck
  int component = 0;        ///< of a vector, 1-based

  std::string describe() const; ///< "component 2 of 'position' of body 'link1'"
};

std::string quoted(std::string_view text);
std::string number_text(double value); ///< six digits, for messages

} // namespace emmy::deck
