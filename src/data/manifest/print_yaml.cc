#include <algorithm>
#include <array>
#include <utility>

#include "base/text/hex.h"
#include "base/text/utf8.h"
#include "data/manifest/plain_scalar.h"
#include "data/manifest/print.h"

namespace inferd::manifest {

namespace {

constexpr size_t kIndent = 2;
// A longer key follows a "?" (YAML 1.1: simple keys have at most 1024 characters).
constexpr size_t kSimpleKeyMax = 1000;

bool IsWordCharacter(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("_./@%+=,-").contains(c);
}

// Returns true if every YAML reader takes the unquoted text for this string. May return false for texts that need no
// quotes.
bool IsPlainSafe(std::string_view text) {
  if (text.empty() || !IsPlainString(text)) return false;
  const char first = text.front();
  const bool begins = IsWordCharacter(first) && !std::string_view("-@%=,+").contains(first);
  if (!begins || text.back() == ' ') return false;
  if (text.starts_with("...")) return false;  // at the start of a line it may end the document
  for (size_t i = 0; i < text.size(); ++i) {
    const bool inner_space = text[i] == ' ' && text[i + 1] != ' ' && text[i + 1] != '#';
    const bool inner_colon = text[i] == ':' && i + 1 < text.size() && text[i + 1] != ' ';
    if (!IsWordCharacter(text[i]) && !inner_space && !inner_colon) return false;
  }
  // Some readers take 2001-01-01 for a date, or 1:30 for a number.
  return !(first >= '0' && first <= '9') || text.find_first_of("-: ") == std::string_view::npos;
}

// Returns true if the text can be a literal block: lines of printable text, the first of them neither empty nor
// indented.
bool IsBlockSafe(std::string_view text) {
  if (!text.contains('\n') || text.front() == ' ' || text.front() == '\n') return false;
  if (text == "\n") return false;
  return std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7f); });
}

// True for characters that YAML does not allow, or that its readers take for line breaks.
bool NeedsEscape(std::string_view character) {
  if (character.size() == 1) return static_cast<unsigned char>(character[0]) < 0x20 || character[0] == 0x7f;
  if (character.size() == 2) return character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0;
  return character == "\xe2\x80\xa8" || character == "\xe2\x80\xa9" || character == "\xef\xbb\xbf" ||
         character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

uint32_t CodePoint(std::string_view character) {
  constexpr std::array<unsigned char, 5> kLeadMask = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t code = static_cast<unsigned char>(character[0]) & kLeadMask[character.size()];
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return code;
}

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const std::string_view character(p, std::max<size_t>(base::Utf8Length(p, end), 1));
    p += character.size();
    if (character == "\"" || character == "\\") {
      out += '\\';
      out += character;
    } else if (character == "\n") {
      out += "\\n";
    } else if (character == "\t") {
      out += "\\t";
    } else if (NeedsEscape(character)) {
      out += "\\u";
      base::AppendHex(out, CodePoint(character), 4);
    } else {
      out += character;
    }
  }
  out += '"';
}

class YamlPrinter {
 public:
  // Prints the value after "key:" or "-", or a whole document.
  void Print(const Value& value, size_t indent) {
    switch (value.kind()) {
      case Kind::kNull: out_ += "null\n"; return;
      case Kind::kBool: out_ += value.boolean() ? "true\n" : "false\n"; return;
      case Kind::kNumber: out_ += value.text() + "\n"; return;
      case Kind::kString: return PrintString(value.text(), indent);
      case Kind::kList: return PrintList(value, indent);
      case Kind::kMap: return PrintMap(value, indent);
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  void PrintString(std::string_view text, size_t indent) {
    if (IsBlockSafe(text)) return PrintBlock(text, std::max(indent, kIndent));
    PrintWord(text);
    out_ += '\n';
  }

  void PrintWord(std::string_view text) {
    if (IsPlainSafe(text)) {
      out_ += text;
    } else {
      AppendQuoted(out_, text);
    }
  }

  void PrintBlock(std::string_view text, size_t indent) {
    const bool ends_with_line = text.ends_with('\n');
    const bool ends_with_more = text.ends_with("\n\n");
    out_ += ends_with_more ? "|+\n" : ends_with_line ? "|\n" : "|-\n";
    if (ends_with_line) text.remove_suffix(1);
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      if (end > begin) out_ += std::string(indent, ' ');
      out_ += text.substr(begin, end - begin);
      out_ += '\n';
      begin = end + 1;
    }
  }

  void PrintList(const Value& list, size_t indent) {
    if (list.items().empty()) {
      out_ += "[]\n";
      return;
    }
    // A list within a map starts below its key's first letter, as kubectl prints it.
    bool first = true;
    for (const Value& item : list.items()) {
      if (!std::exchange(first, false) || !at_item_) out_ += std::string(indent, ' ');
      at_item_ = true;
      out_ += "- ";
      Print(item, indent + kIndent);
      at_item_ = false;
    }
  }

  void PrintMap(const Value& map, size_t indent) {
    if (map.members().empty()) {
      out_ += "{}\n";
      return;
    }
    bool first = true;
    for (const Member& member : map.members()) {
      if (!std::exchange(first, false) || !at_item_) out_ += std::string(indent, ' ');
      at_item_ = false;
      const size_t begin = out_.size();
      PrintWord(member.key);
      const bool is_long = out_.size() - begin > kSimpleKeyMax;
      if (is_long) {
        out_.insert(begin, "? ");
        out_ += '\n' + std::string(indent, ' ');
      }
      const bool beside = member.value.is(Kind::kList) && !is_long;
      PrintMember(member.value, beside ? indent : indent + kIndent);
    }
  }

  void PrintMember(const Value& value, size_t indent) {
    const bool nested = !value.items().empty() || !value.members().empty();
    out_ += nested ? ":\n" : ": ";
    Print(value, indent);
  }

  std::string out_;
  bool at_item_ = false;  // after "- ", where the first line needs no indentation
};

}  // namespace

std::string ToYaml(const Value& value) {
  YamlPrinter printer;
  printer.Print(value, 0);
  return printer.Take();
}

}  // namespace inferd::manifest
