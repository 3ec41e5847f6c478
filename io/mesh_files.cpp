#include "io/mesh_files.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

namespace emmy {

namespace {

[[noreturn]] void fail(const std::string& name, std::size_t line, const std::string& message) {
  throw MeshFileError(name + ":" + std::to_string(line) + ": error: " + message);
}

[[noreturn]] void fail_at_byte(const std::string& name, std::size_t byte, const std::string& message) {
  throw MeshFileError(name + ": error: at byte " + std::to_string(byte) + ": " + message);
}

[[noreturn]] void fail_as_a_whole(const std::string& name, const std::string& message) {
  throw MeshFileError(name + ": error: " + message);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Something from a file as it can be printed: short, and without control characters.
std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out = "'";
  for (const char c : text.substr(0, most))
    out += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  return out + (text.size() > most ? "...'" : "'");
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// A finite number that is all of a word.
std::optional<double> number_in(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-')
    word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return {};
  return value;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

/// Words of a text, with the line of the last one.
class Words {
public:
  explicit Words(std::string_view text) : text_(text) {}

  std::size_t line() const { return line_; }

  /// Empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && is_space(text_[at_]))
      line_ += text_[at_++] == '\n';
    const std::size_t start = at_;
    while (at_ < text_.size() && !is_space(text_[at_]))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n')
      ++at_;
  }

private:
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

/// Numbers nodes by where they are.
class NodeNumbers {
public:
  explicit NodeNumbers(std::vector<Vec3>& nodes) : nodes_(nodes) {}

  int of(const Vec3& x) {
    const Vec3 place = x + Vec3::Zero(); // -0 is 0
    const auto [entry, is_new] =
        numbers_.try_emplace({place.x(), place.y(), place.z()}, static_cast<int>(nodes_.size()));
    if (is_new)
      nodes_.push_back(place);
    return entry->second;
  }

private:
  std::vector<Vec3>& nodes_;
  std::map<std::array<double, 3>, int> numbers_;
};

class TextStl {
public:
  TextStl(const std::string& name, std::string_view text) : name_(name), words_(text), numbers_(mesh_.nodes) {}

  MeshFile read() {
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next()) {
      const std::string keyword = lower(word);
      if (keyword == "solid" || keyword == "endsolid")
        words_.skip_line(); // its name
      else if (keyword == "facet")
        read_facet();
      else
        fail(name_, words_.line(), "expected 'facet', 'solid' or 'endsolid', found " + quoted(word));
    }
    return std::move(mesh_);
  }

private:
  void expect(const char* keyword) {
    const std::string_view word = words_.next();
    if (lower(word) != keyword)
      fail(name_, words_.line(), std::string("expected '") + keyword + "', found " + found(word));
  }

  static std::string found(std::string_view word) { return word.empty() ? "the end of the file" : quoted(word); }

  Vec3 read_vector() {
    Vec3 x;
    for (double& value : x) {
      const std::string_view word = words_.next();
      const std::optional<double> number = number_in(word);
      if (!number)
        fail(name_, words_.line(), "expected a number, found " + found(word));
      value = *number;
    }
    return x;
  }

  void read_facet() {
    expect("normal");
    for (int i = 0; i < 3; ++i) // which some programs write as nan
      if (words_.next().empty())
        fail(name_, words_.line(), "expected a number, found the end of the file");
    expect("outer");
    expect("loop");
    std::array<int, 4> facet{-1, -1, -1, -1};
    for (std::size_t i = 0; i < 3; ++i) {
      expect("vertex");
      facet[i] = numbers_.of(read_vector());
    }
    expect("endloop");
    expect("endfacet");
    mesh_.facets.push_back(facet);
  }

  const std::string& name_;
  Words words_;
  MeshFile mesh_;
  NodeNumbers numbers_;
};

// 80 bytes of anything, the number of triangles (32 bits), then for each 12 floats (normal and corners) and 2 bytes of
// anything; all little-endian.
constexpr std::size_t stl_header = 84, stl_triangle = 50, stl_normal = 12;

std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

float float_at(std::string_view bytes, std::size_t at) {
  const std::uint32_t bits = little_endian(bytes, at);
  float value = 0;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

MeshFile read_binary_stl(const std::string& name, std::string_view bytes) {
  if (bytes.size() < stl_header)
    fail_as_a_whole(
        name,
        "is neither an STL text, which begins with 'solid', nor binary: a header of 84 bytes is expected, found " +
            counted(bytes.size(), "byte"));
  const std::size_t count = little_endian(bytes, stl_header - 4);
  if (bytes.size() != stl_header + stl_triangle * count)
    fail_at_byte(name, stl_header - 4,
                 "says that there are " + counted(count, "triangle") + ", which take " +
                     counted(stl_header + stl_triangle * count, "byte") + "; the file has " +
                     counted(bytes.size(), "byte"));
  MeshFile mesh;
  mesh.facets.reserve(count);
  NodeNumbers numbers(mesh.nodes);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<int, 4> facet{-1, -1, -1, -1};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::size_t at = stl_header + stl_triangle * i + stl_normal * (corner + 1);
      const Vec3 x(float_at(bytes, at), float_at(bytes, at + 4), float_at(bytes, at + 8));
      if (!x.allFinite())
        fail_at_byte(name, at,
                     "corner " + std::to_string(corner + 1) + " of triangle " + std::to_string(i + 1) +
                         " is not finite");
      facet[corner] = numbers.of(x);
    }
    mesh.facets.push_back(facet);
  }
  return mesh;
}

bool is_binary_stl(std::string_view bytes) {
  if (bytes.size() >= stl_header && bytes.size() == stl_header + stl_triangle * little_endian(bytes, stl_header - 4))
    return true; // whatever the header says: some begin with 'solid', too
  return lower(Words(bytes).next()) != "solid" || bytes.substr(0, 1024).find('\0') != std::string_view::npos;
}

class Obj {
public:
  Obj(const std::string& name, std::string_view text) : name_(name), text_(text) {}

  MeshFile read() {
    while (next_line()) {
      Words words(line_);
      const std::string_view keyword = words.next();
      if (keyword == "v")
        read_vertex(words);
      else if (keyword == "f")
        read_face(words);
    }
    return std::move(mesh_);
  }

private:
  /// A line without comment; those that end with a backslash go on in the next.
  bool next_line() {
    line_.clear();
    if (at_ >= text_.size())
      return false;
    number_ = next_number_;
    for (bool goes_on = true; goes_on && at_ < text_.size(); ++next_number_) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view piece = text_.substr(at_, end - at_);
      at_ = end + 1;
      if (!piece.empty() && piece.back() == '\r')
        piece.remove_suffix(1);
      goes_on = !piece.empty() && piece.back() == '\\';
      if (goes_on)
        piece.remove_suffix(1);
      line_.append(piece.substr(0, piece.find('#'))).push_back(' ');
    }
    return true;
  }

  void read_vertex(Words& words) {
    Vec3 x;
    for (double& value : x) {
      const std::string_view word = words.next();
      const std::optional<double> number = number_in(word);
      if (!number)
        fail(name_, number_,
             "expected three coordinates of a vertex, found " + (word.empty() ? "the end of the line" : quoted(word)));
      value = *number;
    }
    mesh_.nodes.push_back(x);
  }

  /// Corners are v, v/vt, v/vt/vn or v//vn; vertices count from 1, or backwards from -1.
  int read_corner(std::string_view word) const {
    const std::string_view own = word.substr(0, word.find('/'));
    long long index = 0;
    const auto [end, error] = std::from_chars(own.data(), own.data() + own.size(), index);
    if (error != std::errc() || end != own.data() + own.size())
      fail(name_, number_, "expected the number of a vertex, found " + quoted(word));
    const auto count = static_cast<long long>(mesh_.nodes.size());
    const long long node = index < 0 ? (index < -count ? -1 : count + index) : index - 1;
    if (node < 0 || node >= count)
      fail(name_, number_,
           "there is no vertex " + quoted(own) + ": the file has " + std::to_string(mesh_.nodes.size()) +
               " up to here");
    return static_cast<int>(node);
  }

  void read_face(Words& words) {
    corners_.clear();
    for (std::string_view word = words.next(); !word.empty(); word = words.next())
      corners_.push_back(read_corner(word));
    if (corners_.size() < 3)
      fail(name_, number_, "expected at least three corners of a face, found " + std::to_string(corners_.size()));
    if (corners_.size() == 4)
      mesh_.facets.push_back({corners_[0], corners_[1], corners_[2], corners_[3]});
    else
      for (std::size_t i = 1; i + 1 < corners_.size(); ++i)
        mesh_.facets.push_back({corners_[0], corners_[i], corners_[i + 1], -1});
  }

  const std::string& name_;
  std::string_view text_;
  std::size_t at_ = 0, number_ = 1, next_number_ = 1;
  std::string line_;
  std::vector<int> corners_;
  MeshFile mesh_;
};

MeshFile with_facets(const std::string& name, MeshFile mesh) {
  if (mesh.facets.empty())
    fail_as_a_whole(name, "has no facets");
  return mesh;
}

std::string contents_of(const std::string& path) {
  constexpr std::uintmax_t most = std::uintmax_t{1} << 30;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    fail_as_a_whole(path, error ? "cannot read: " + error.message() : "cannot read: not a file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > most)
    fail_as_a_whole(path, "has " + std::to_string(size) + " bytes; meshes of more than a gigabyte are not read");
  std::ifstream file(path, std::ios::binary);
  std::string contents(error ? 0 : static_cast<std::size_t>(size), '\0');
  if (error || !file.read(contents.data(), static_cast<std::streamsize>(contents.size())))
    fail_as_a_whole(path, "cannot read: " + (error ? error.message() : std::string(std::strerror(errno))));
  return contents;
}

} // namespace

MeshFile read_stl(const std::string& name, std::string_view contents) {
  return with_facets(name, is_binary_stl(contents) ? read_binary_stl(name, contents) : TextStl(name, contents).read());
}

MeshFile read_obj(const std::string& name, std::string_view contents) {
  return with_facets(name, Obj(name, contents).read());
}

MeshFile read_mesh_file(const std::string& path, std::string& contents) {
  const std::string ending = lower(std::filesystem::path(path).extension().string());
  if (ending != ".stl" && ending != ".obj")
    fail_as_a_whole(path, "expected a file that ends with .stl or .obj");
  contents = contents_of(path);
  return ending == ".stl" ? read_stl(path, contents) : read_obj(path, contents);
}

} // namespace emmy
