#include "io/deck/repeat.hpp"

#include "core/counted.hpp"
#include "io/deck/hints.hpp"

#include <charconv>
#include <cstdint>

namespace emmy::deck {

namespace {

const Field& repeat_field() {
  return *table_entry("body").find("repeat");
}

/// Whether a counter may have this name; otherwise says why not.
bool check_counter(Reading& reading, const Member& member, const Target& target) {
  const std::string name(member.key);
  std::string reason;
  if (!Expressions::is_name(name) || name.size() > Expressions::longest_name)
    reason = "it is no name of a parameter";
  else if (Expressions::is_reserved(name))
    reason = "it is " + Expressions::meaning(name);
  else if (reading.expressions.is_defined(name))
    reason = "it is a parameter of the deck";
  if (reason.empty())
    return true;
  reading.diagnostics.error(member.key_at,
                            quoted(name) + " cannot be a counter of " + target.describe() + ": " + reason,
                            {"expected a name that means nothing else, such as i, j or k"});
  return false;
}

/// Counters with the numbers that they run to; empty after an error.
std::vector<Counter> read_counters(Reading& reading, const Node& node, const Target& target) {
  if (!node.is_map() || node.members.empty()) {
    report_wrong_kind(reading, node, target);
    return {};
  }
  if (node.members.size() > most_counters) {
    reading.diagnostics.error(span_of(node),
                              target.describe() + " has " + std::to_string(node.members.size()) + " counters",
                              {"expected at most " + std::to_string(most_counters)});
    return {};
  }
  std::vector<Counter> counters;
  Field count = target.field;
  count.type = Type::integer;
  double copies = 1;
  for (const Member& member : node.members) {
    count.name = member.key;
    const bool named = check_counter(reading, member, target);
    const auto number = read_integer(reading, *member.value, {count, target.describe()});
    if (named && number) {
      counters.push_back({std::string(member.key), *number});
      copies *= *number;
    }
  }
  if (counters.size() != node.members.size())
    return {};
  if (static_cast<double>(reading.copies) + copies > most_copies) {
    reading.diagnostics.error(
        span_of(node),
        target.describe() + " makes " + number_text(copies) + " copies" +
            (reading.copies > 0 ? ", after " + std::to_string(reading.copies) + " of others" : ""),
        {"expected at most " + std::to_string(most_copies) + " in all of the deck"});
    return {};
  }
  reading.copies += static_cast<long>(copies);
  return counters;
}

std::vector<Counter> starts(std::vector<Counter> counters) {
  for (Counter& counter : counters)
    counter.value = 1;
  return counters;
}

/// The next values of the counters, the last one first; false after the last.
bool advance(std::vector<Counter>& counters, const std::vector<Counter>& ends) {
  for (std::size_t k = counters.size(); k-- > 0;) {
    if (counters[k].value < ends[k].value) {
      ++counters[k].value;
      return true;
    }
    counters[k].value = 1;
  }
  return false;
}

std::string copy_name(std::string_view name, const std::vector<Counter>& counters) {
  std::string text(name);
  for (std::size_t k = 0; k < counters.size(); ++k)
    text += (k > 0 ? "_" : "") + std::to_string(counters[k].value);
  return text;
}

void visit_copies(Reading& reading, std::string_view name, const Node& node, const Span& at, const std::string& kind,
                  Names& names, const std::vector<Counter>& ends, const VisitCopy& visit) {
  names.add_copies(name, ends);
  std::vector<Counter> counters = starts(ends);
  const std::size_t errors = reading.diagnostics.error_count();
  std::optional<Diagnostics::Silence> silence;
  do {
    const CountersAgain scope(reading, counters);
    const std::string copy = copy_name(name, counters);
    if (names.find(copy) >= 0)
      reading.diagnostics.error(
          at, "the copy " + quoted(copy) + " of " + kind + " " + quoted(name) + " has the name of another " + kind,
          {"expected another name for one of them"});
    else
      visit(copy, node, at);
    if (!silence && reading.diagnostics.error_count() > errors)
      silence.emplace(reading.diagnostics);
  } while (advance(counters, ends));
}

/// A name and the shifts behind it.
struct Reference {
  std::string_view name;
  std::vector<int> shifts;
};

std::optional<Reference> as_reference(std::string_view text) {
  Reference found;
  std::size_t end = text.size();
  // From behind: a '-' may also be part of the name.
  while (true) {
    const std::size_t digits = text.find_last_not_of("0123456789", end == 0 ? 0 : end - 1);
    if (digits == std::string_view::npos || digits + 1 == end || (text[digits] != '+' && text[digits] != '-'))
      break;
    int shift = 0;
    const auto parsed = std::from_chars(text.data() + digits + 1, text.data() + end, shift);
    if (parsed.ec != std::errc{})
      break;
    found.shifts.insert(found.shifts.begin(), text[digits] == '-' ? -shift : shift);
    end = digits;
  }
  found.name = text.substr(0, end);
  return is_valid_name(found.name) ? std::optional(found) : std::nullopt;
}

} // namespace

CountersAgain::CountersAgain(Reading& reading, const std::vector<Counter>& counters) : reading_(reading) {
  reading_.counters = counters;
  for (const Counter& counter : counters)
    reading_.expressions.define(counter.name, counter.value);
}

CountersAgain::~CountersAgain() {
  for (const Counter& counter : reading_.counters)
    reading_.expressions.forget(counter.name);
  reading_.counters.clear();
}

void for_each_copy(Reading& reading, const Node* node, const Target& target, const std::string& kind, Names& names,
                   const VisitCopy& visit) {
  for_each_named(reading, node, target, kind, [&](std::string_view name, const Node& entry, const Span& at) {
    const Member* repeat = entry.is_map() ? entry.find("repeat") : nullptr;
    if (repeat == nullptr) {
      if (names.find(name) >= 0)
        reading.diagnostics.error(at, kind + " " + quoted(name) + " has the name of another " + kind,
                                  {"expected another name for one of them"});
      else
        visit(name, entry, at);
      return;
    }
    const auto ends = read_counters(reading, *repeat->value, {repeat_field(), kind + " " + quoted(name)});
    if (!ends.empty())
      visit_copies(reading, name, entry, at, kind, names, ends, visit);
    else
      names.add_copies(name, {}); // how many is not known
  });
}

bool is_reference(std::string_view text) {
  return as_reference(text).has_value();
}

std::string meant(const Reading& reading, const Names& names, std::string_view text) {
  if (names.find(text) >= 0 || reading.counters.empty())
    return std::string(text);
  const auto reference = as_reference(text);
  const auto* ends = reference ? names.copies(reference->name) : nullptr;
  if (ends == nullptr || ends->size() != reading.counters.size() ||
      (!reference->shifts.empty() && reference->shifts.size() != ends->size()))
    return std::string(text);
  std::vector<Counter> counters = reading.counters;
  for (std::size_t k = 0; k < reference->shifts.size(); ++k)
    counters[k].value += reference->shifts[k];
  return copy_name(reference->name, counters);
}

std::vector<std::string> copies_of(const Names& names, std::string_view name) {
  const auto* ends = names.copies(name);
  if (ends == nullptr || ends->empty())
    return {};
  std::vector<std::string> copies;
  std::vector<Counter> counters = starts(*ends);
  do
    copies.push_back(copy_name(name, counters));
  while (advance(counters, *ends));
  return copies;
}

std::vector<std::string> notes_for_name(const Reading& reading, const Names& names, std::string_view text,
                                        const std::vector<std::string>& others) {
  if (reading.diagnostics.is_full())
    return {};
  const auto reference = as_reference(text);
  const auto* ends = reference ? names.copies(reference->name) : nullptr;
  if (ends == nullptr) {
    std::vector<std::string> known = names.list();
    known.insert(known.end(), others.begin(), others.end());
    return notes_for(text, known);
  }
  if (ends->empty())
    return {quoted(reference->name) + " is repeated, but it is not known how often"};
  std::vector<std::string> notes = {quoted(reference->name) +
                                    " is repeated: " + copy_name(reference->name, starts(*ends)) + " to " +
                                    copy_name(reference->name, *ends)};
  const std::string counters = counted(ends->size(), "counter", "counters");
  if (reading.counters.empty())
    notes.push_back("expected one of them, or an entry that is repeated over " + counters + " itself");
  else if (reading.counters.size() != ends->size())
    notes.push_back("expected one of them by its name: this entry is repeated over " +
                    counted(reading.counters.size(), "counter", "counters") + ", not " + std::to_string(ends->size()));
  else if (!reference->shifts.empty() && reference->shifts.size() != ends->size())
    notes.push_back("expected a shift for each of its " + counters + ", such as +1+0");
  return notes;
}

Vec3 read_scatter(Reading& reading, const Fields& fields, std::string_view name) {
  const Node* node = fields.node("scatter");
  if (node == nullptr)
    return Vec3::Zero();
  double by = 0;
  int seed = 0;
  if (node->is_map()) {
    const Fields map = fields.entry("scatter", "'scatter' of " + fields.owner());
    by = map.number("by").value_or(0);
    seed = map.integer("seed").value_or(0);
  } else if (reading.faulty.count(node) == 0) {
    const auto number = read_number(reading, *node, fields.target("scatter"));
    if (!number)
      reading.faulty.insert(node);
    by = number.value_or(0);
  }
  // FNV-1a of name and seed, then splitmix64: the same on every machine, whatever else is in the deck.
  std::uint64_t bits = 14695981039346656037U;
  for (const char c : std::string(name) + "+" + std::to_string(seed))
    bits = (bits ^ static_cast<unsigned char>(c)) * 1099511628211U;
  Vec3 moved;
  for (double& component : moved) {
    bits += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = bits;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    mixed ^= mixed >> 31;
    component = by * (static_cast<double>(mixed >> 11) * 0x1p-52 - 1); // 53 bits, from -1 to 1
  }
  return moved;
}

} // namespace emmy::deck
