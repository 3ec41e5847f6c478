#include "io/deck/reader.hpp"
#include "io/deck/schema.hpp"

#include <sstream>

namespace emmy::deck {

namespace {

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + code(word);
  return text;
}

/// What may be written, beyond the type: range, words, or the table to look at.
std::string allowed(const Field& field) {
  if (field.type == Type::choice)
    return joined(field.choices) + (field.later.empty() ? "" : "; not served yet: " + joined(field.later));
  if (!field.entry.empty())
    return "see *" + table_entry(field.entry).title + "*" +
           (field.other_entry.empty() ? "" : " and *" + table_entry(field.other_entry).title + "*");
  return field.allowed.text();
}

void write_fields(std::ostream& out, const std::vector<Field>& fields) {
  out << "| entry | type | unit | allowed | default | meaning |\n|---|---|---|---|---|---|\n";
  for (const Field& field : fields)
    out << "| " << code(field.name) << " | " << type_form(field.type).name << " | " << field.unit << " | "
        << allowed(field) << " | " << (field.is_required ? "required" : code(field.fallback)) << " | " << field.doc
        << " |\n";
  out << '\n';
}

void write_groups(std::ostream& out, const Entry& entry) {
  for (const Group& group : entry.groups)
    out << (!group.excludes   ? "At least one of "
            : group.needs_one ? "Exactly one of "
                              : "At most one of ")
        << joined(group.names) << ".\n";
  if (!entry.groups.empty())
    out << '\n';
}

} // namespace

std::string markdown_reference() {
  std::ostringstream out;
  out << "## Reference\n\n### Types of values\n\n| type | how it is written |\n|---|---|\n";
  for (const TypeForm& form : type_forms())
    out << "| " << form.name << " | " << form.form << " |\n";
  out << '\n';
  for (const Entry& entry : table()) {
    out << "### " << entry.title << "\n\n" << entry.doc << "\n\n";
    if (!entry.fields.empty())
      write_fields(out, entry.fields);
    write_groups(out, entry);
    for (const Entry& variant : entry.variants) {
      out << "**" << variant.title << "**: " << variant.doc;
      if (!entry.fields.empty())
        out << " Beside the entries above:";
      out << "\n\n";
      write_fields(out,
                   {variant.fields.begin() + static_cast<std::ptrdiff_t>(entry.fields.size()), variant.fields.end()});
    }
  }
  std::string text = out.str();
  text.pop_back(); // one line end at the end
  return text;
}

} // namespace emmy::deck
