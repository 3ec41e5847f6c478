#pragma once
/// One entry that stands for many: `ball: {..., position: [0.1*i, 0, 0], repeat: {i: 10}}` is ball1 to ball10. Counters
/// run from 1 and are parameters of the expressions of the entry; with several of them the last runs fastest, and names
/// are ball1_1, ball1_2 and so on.
///
/// In an entry that is repeated, the name of another one that is repeated over as many counters means its copy with the
/// same counters, and `link+1`, `link-1` (one shift a counter: `ball+1+0`) its neighbours.

#include "io/deck/fields.hpp"

#include <functional>

namespace emmy::deck {

inline constexpr std::size_t most_counters = 6;

/// Calls `visit(name, node, name_at)` for every entry of a map of names, once for each copy of those that are repeated,
/// with their counters defined. What is wrong with one copy is not said of those after it.
using VisitCopy = std::function<void(std::string_view name, const Node& node, const Span& at)>;
void for_each_copy(Reading& reading, const Node* node, const Target& target, const std::string& kind, Names& names,
                   const VisitCopy& visit);

/// Sets the counters of an entry while something of it is read after its turn.
class CountersAgain {
public:
  CountersAgain(Reading& reading, const std::vector<Counter>& counters);
  ~CountersAgain();
  CountersAgain(const CountersAgain&) = delete;
  CountersAgain& operator=(const CountersAgain&) = delete;

private:
  Reading& reading_;
};

/// Whether a text could be a name or the shift of one: `link`, `link+1`.
bool is_reference(std::string_view text);

/// The name that a text means in the entry that is being read; the text itself where it means nothing.
std::string meant(const Reading& reading, const Names& names, std::string_view text);

/// The names of all copies of an entry that is repeated.
std::vector<std::string> copies_of(const Names& names, std::string_view name);

/// Hints at what a name that is not known could be; `others` may stand there as well.
std::vector<std::string> notes_for_name(const Reading& reading, const Names& names, std::string_view text,
                                        const std::vector<std::string>& others = {});

/// How far a position is moved: each coordinate by a number between -by and by that follows from the name alone.
/// Zero without the entry `scatter`.
Vec3 read_scatter(Reading& reading, const Fields& fields, std::string_view name);

} // namespace emmy::deck
