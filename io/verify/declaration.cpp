#include "io/verify/declaration.hpp"

#include "io/deck/sections.hpp"
#include "io/verify/check_reader.hpp"
#include "io/verify/schema.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace emmy::verify {

namespace {

namespace fs = std::filesystem;
using deck::Fields;
using deck::Node;
using deck::Span;

DeckRun read_run(deck::Reading& reading, const std::string& folder, const std::string& name, const Node& node,
                 const Span& at) {
  const Fields fields(reading, run_entry(), &node, at, "run " + deck::quoted(name));
  DeckRun run;
  run.name = name;
  if (!fields.is_map())
    return run;
  run.set = read_settings(reading, fields);
  if (const auto file = fields.text("deck")) {
    run.deck = (fs::path(folder) / *file).lexically_normal().string();
    std::error_code refused; // of a name that the system does not take
    if (!fs::is_regular_file(run.deck, refused))
      reading.diagnostics.error(span_of(*fields.node("deck")), "there is no deck " + deck::quoted(run.deck));
  }
  return run;
}

/// Calls `read(name, node, at)` for what is in a map of names, which may be any text.
template <class Read>
void for_each(deck::Reading& reading, const Fields& fields, const char* name, Read read) {
  const Node* node = fields.node(name);
  if (node == nullptr)
    return;
  if (!node->is_map()) {
    report_wrong_kind(reading, *node, fields.target(name));
    return;
  }
  if (node->members.empty())
    reading.diagnostics.error(span_of(*node), fields.target(name).describe() + " is empty");
  for (const deck::Member& member : node->members)
    read(std::string(member.key), *member.value, member.key_at);
}

void read_contents(deck::Reading& reading, const std::string& folder, const Fields& top, Case& result) {
  result.title = top.text("title").value_or("");
  result.source = top.text("source").value_or("");
  result.because = top.text("because").value_or("");
  read_parameters(reading, top);
  result.parameters.insert(reading.deck.parameters.begin(), reading.deck.parameters.end());
  for_each(reading, top, "runs", [&](const std::string& name, const Node& node, const Span& at) {
    result.runs.push_back(read_run(reading, folder, name, node, at));
  });
  for_each(reading, top, "checks", [&](const std::string& name, const Node& node, const Span& at) {
    result.checks.push_back(read_check(reading, result, folder, name, node, at));
  });
}

} // namespace

Case read_case_text(const std::string& folder, std::string text, deck::Diagnostics& diagnostics) {
  Case result;
  result.name = fs::path(folder).filename().string();
  const std::string file = folder + "/case.yaml";
  if (deck::first_non_text_byte(text) != std::string::npos) {
    diagnostics.error(deck::Location{file, 0, 0}, "this is not a text file");
    return result;
  }
  deck::Reading reading(diagnostics);
  const deck::Source& source = diagnostics.add_source(file, std::move(text));
  const Span whole{&source, 0, 0, 0};
  const Node* root = parse_yaml(source, reading.tree, diagnostics);
  if (root == nullptr)
    return result;
  const Fields top(reading, case_entry(), root, whole, "the case");
  if (top.is_map())
    read_contents(reading, folder, top, result);
  return result;
}

Case read_case(const std::string& folder, deck::Diagnostics& diagnostics) {
  std::ifstream file(folder + "/case.yaml", std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    diagnostics.error(deck::Location{folder + "/case.yaml", 0, 0}, "the file cannot be read",
                      {"expected the declaration of a case: docs/verification.md"});
    return {};
  }
  return read_case_text(folder, text.str(), diagnostics);
}

} // namespace emmy::verify
