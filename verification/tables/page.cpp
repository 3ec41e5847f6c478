#include "verification/tables/page.hpp"

#include "verification/tables/text.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace emmy::tables {

namespace {

std::string finding_table(const std::vector<Finding>& findings) {
  std::vector<Row> rows;
  for (const Finding& f : findings)
    rows.push_back({f.statement, f.found, f.expected + (f.holds ? "" : " **missed**")});
  return table({"finding", "here", "expected"}, rows);
}

} // namespace

std::string page(const std::string& text, const Tables& tables, const std::vector<Finding>& findings) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t open = text.find("{{"); open != std::string::npos; open = text.find("{{", done)) {
    const std::size_t close = text.find("}}", open);
    if (close == std::string::npos)
      throw std::runtime_error("'{{' without '}}'");
    const std::string name = text.substr(open + 2, close - open - 2);
    result += text.substr(done, open - done) + (name == "findings" ? finding_table(findings) : tables(name));
    done = close + 2;
  }
  return result + text.substr(done);
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!(text << file.rdbuf()))
    throw std::runtime_error("cannot read '" + path + "'");
  return text.str();
}

} // namespace emmy::tables
