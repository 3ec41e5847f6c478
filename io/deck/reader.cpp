#include "io/deck/reader.hpp"

#include "io/deck/overrides.hpp"
#include "io/deck/sections.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace emmy::deck {

namespace {

/// The bytes of a file, or nothing after a reported error.
std::optional<std::string> load(const std::string& path, const std::string& name, Diagnostics& diagnostics) {
  const Location nowhere{name, 0, 0};
  const bool is_input = path == standard_input;
  std::error_code code;
  if (!is_input && std::filesystem::is_directory(path, code)) {
    diagnostics.error(nowhere, "this is a directory", {"expected a deck file"});
    return std::nullopt;
  }
  const auto leave_open = [](std::FILE*) { return 0; };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(is_input ? stdin : std::fopen(path.c_str(), "rb"),
                                                             is_input ? +leave_open : std::fclose);
  if (file == nullptr) {
    const int reason = errno;
    diagnostics.error(nowhere, reason == ENOENT ? "there is no such file"
                                                : std::string("the file cannot be opened: ") + std::strerror(reason));
    return std::nullopt;
  }
  std::string bytes;
  char block[1 << 16];
  while (const std::size_t count = std::fread(block, 1, sizeof block, file.get())) {
    bytes.append(block, count);
    if (bytes.size() > largest_deck) {
      diagnostics.error(nowhere, "the file is larger than " + std::to_string(largest_deck / 1'000'000) + " MB");
      return std::nullopt;
    }
  }
  if (std::ferror(file.get()) != 0) {
    diagnostics.error(nowhere, std::string("the file cannot be read: ") + std::strerror(errno));
    return std::nullopt;
  }
  return bytes;
}

/// Reports bytes that no text editor wrote; yaml-cpp would replace or misplace them.
bool is_text(const std::string& name, const std::string& bytes, Diagnostics& diagnostics) {
  const std::size_t bad = first_non_text_byte(bytes);
  if (bad == std::string::npos)
    return true;
  char hex[8];
  std::snprintf(hex, sizeof hex, "0x%02X", static_cast<unsigned char>(bytes[bad]));
  diagnostics.error(Location{name, 0, 0},
                    std::string("this is not a text file: byte ") + hex + " at offset " + std::to_string(bad),
                    {"expected a YAML deck in UTF-8"});
  return false;
}

void read_sections(Reading& reading, const Node& root, const Span& whole) {
  const Fields top(reading, table_entry("deck"), &root, whole, "");
  if (!top.is_map())
    return;
  read_parameters(reading, top);
  reading.deck.title = top.text("title").value_or("");
  reading.deck.gravity = top.vector("gravity").value_or(Vec3::Zero());
  read_analysis(reading, top);
  read_integrator(reading, top);
  read_bodies(reading, top);
  read_chains(reading, top);
  read_joints(reading, top);
  read_forces(reading, top);
  read_limits(reading, top);
  read_contact(reading, top);
  check_scheme(reading);
  read_initial(reading, top);
  read_solver(reading, top);
  read_output(reading, top);
  read_checkpoint(reading, top);
  read_audit(reading, top);
}

} // namespace

Deck read_deck_text(const std::string& name, std::string text, const std::vector<std::string>& overrides,
                    Diagnostics& diagnostics) {
  Reading reading(diagnostics);
  reading.deck.file = name;
  if (!is_text(name, text, diagnostics))
    return std::move(reading.deck);
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) // a byte order mark is no part of the text
    text.erase(0, 3);
  reading.deck.text = text;
  const Source& source = diagnostics.add_source(name, std::move(text));
  const Span whole{&source, 0, 0, 0};
  Node* root = parse_yaml(source, reading.tree, diagnostics);
  if (root == nullptr)
    return std::move(reading.deck);
  if (root->is_null()) {
    diagnostics.error(whole, "the deck is empty", {"expected at least 'bodies' and 'integrator'"});
    return std::move(reading.deck);
  }
  root = apply_overrides(root, overrides, reading.tree, diagnostics);
  read_sections(reading, *root, whole);
  return std::move(reading.deck);
}

Deck read_deck(const std::string& path, const std::vector<std::string>& overrides, Diagnostics& diagnostics) {
  const std::string name = path == standard_input ? "<stdin>" : path;
  auto bytes = load(path, name, diagnostics);
  if (bytes)
    return read_deck_text(name, std::move(*bytes), overrides, diagnostics);
  Deck nothing;
  nothing.file = name;
  return nothing;
}

} // namespace emmy::deck
