#include "protocols/v1/parse_fault.h"

#include <string>
#include <utility>
#include <vector>

namespace inferd::v1 {

namespace {

constexpr std::string_view kParsePrefix = "JSON Parse error: ";
// More open values are not an error, but not examined.
constexpr size_t kOpenMax = size_t{1} << 22;
constexpr std::string_view kEmpty = "The document is empty.";
constexpr std::string_view kInvalidValue = "Invalid value.";
constexpr std::string_view kNoName = "Missing a name for object member.";
constexpr std::string_view kNoColon = "Missing a colon after a name of object member.";
constexpr std::string_view kNoMemberEnd = "Missing a comma or } after an object member.";
constexpr std::string_view kNoElementEnd = "Missing a comma or ] after an array element.";
constexpr std::string_view kBadHex = "Incorrect hex digit after \\u escape in string.";
constexpr std::string_view kBadSurrogate = "The surrogate pair in string is invalid.";
constexpr std::string_view kBadEscape = "Invalid escape character in string.";
constexpr std::string_view kNoQuote = "Missing a closing quotation mark in string.";
constexpr std::string_view kNoFraction = "Miss fraction part in number.";
constexpr std::string_view kNoExponent = "Miss exponent in number.";

// True for rules that RapidJSON does not have, by json::Reader's text.
bool IsOwnRule(std::string_view what) {
  return what.starts_with("nested deeper than") || what.starts_with("repeated key") || what.starts_with("more than");
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<ParseFault> Find() {
    if (PeekToken() == '\0') return ParseFault{kEmpty, at_};
    if (Value()) {
      while (!open_.empty() && (open_.back() == '[' ? AfterElement() : AfterMember())) {
      }
    }
    return fault_;
  }

 private:
  // Returns 0 after the end, like RapidJSON's streams.
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char PeekToken() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
    return Peek();
  }
  bool Take(char c) {
    if (Peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool Fail(std::string_view what, size_t offset) {
    fault_ = {what, offset};
    return false;
  }
  bool Fail(std::string_view what) { return Fail(what, at_); }
  bool Open(char bracket) {
    if (open_.size() == kOpenMax) return false;
    open_.push_back(bracket);
    return true;
  }
  bool Word(std::string_view rest) {
    for (const char c : rest) {
      if (!Take(c)) return Fail(kInvalidValue);
    }
    return true;
  }

  // Each returns false at the first error. For arrays and objects, Value() reads the beginning with the first value.
  bool Value() {
    for (;;) {
      switch (PeekToken()) {
        case '{':
          ++at_;
          if (PeekToken() == '}') return Take('}');
          if (!Open('{') || !Key()) return false;
          continue;
        case '[':
          ++at_;
          if (PeekToken() == ']') return Take(']');
          if (!Open('[')) return false;
          continue;
        case '"': return String();
        case 'n': return Word("null");
        case 't': return Word("true");
        case 'f': return Word("false");
        default: return Number();
      }
    }
  }

  bool AfterElement() {
    switch (PeekToken()) {
      case ',': ++at_; return PeekToken() == ']' ? Fail(kInvalidValue) : Value();
      case ']':
        ++at_;
        open_.pop_back();
        return true;
      default: return Fail(kNoElementEnd);
    }
  }

  bool AfterMember() {
    switch (PeekToken()) {
      case ',': ++at_; return Key() && Value();
      case '}':
        ++at_;
        open_.pop_back();
        return true;
      default: return Fail(kNoMemberEnd);
    }
  }

  // Reads a key with its colon.
  bool Key() {
    if (PeekToken() != '"') return Fail(kNoName);
    if (!String()) return false;
    if (PeekToken() != ':') return Fail(kNoColon);
    return Take(':');
  }

  // Reads four hexadecimal digits; -1 if they are not.
  int Hex() {
    int value = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = Peek();
      const int digit = IsDigit(c)             ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
      ++at_;
    }
    return value;
  }

  bool Escape() {
    const size_t begin = at_++;
    const char c = Peek();
    if (c != 'u') {
      if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) return Fail(kBadEscape, begin);
      ++at_;
      return true;
    }
    ++at_;
    const int unit = Hex();
    if (unit < 0) return Fail(kBadHex, begin);
    if (unit < 0xd800 || unit > 0xdbff) return true;
    if (!Take('\\') || !Take('u')) return Fail(kBadSurrogate, begin);
    const int low = Hex();
    if (low < 0) return Fail(kBadHex, begin);
    return low >= 0xdc00 && low <= 0xdfff ? true : Fail(kBadSurrogate, begin);
  }

  bool String() {
    ++at_;
    for (;;) {
      const char c = Peek();
      if (c == '"') return Take('"');
      if (c == '\\') {
        if (!Escape()) return false;
      } else if (c == '\0') {
        return Fail(kNoQuote);
      } else if (static_cast<unsigned char>(c) < 0x20) {
        return Fail(kBadEscape);
      } else {
        ++at_;
      }
    }
  }

  bool Digits(std::string_view missing) {
    if (!IsDigit(Peek())) return Fail(missing);
    while (IsDigit(Peek())) ++at_;
    return true;
  }

  bool Number() {
    Take('-');
    if (Peek() == 'N') return Word("NaN");
    if (Peek() == 'I') return Word("Inf") && (Peek() != 'i' || Word("inity"));
    if (!Take('0') && !Digits(kInvalidValue)) return false;
    if (Take('.') && !Digits(kNoFraction)) return false;
    if (!Take('e') && !Take('E')) return true;
    if (!Take('+')) Take('-');
    return Digits(kNoExponent);
  }

  const std::string_view text_;
  size_t at_ = 0;
  std::vector<char> open_;  // open arrays and objects
  std::optional<ParseFault> fault_;
};

}  // namespace

std::optional<ParseFault> FindParseFault(std::string_view body) { return Scanner(body).Find(); }

base::Status InServingWords(base::Status status, std::string_view body) {
  const std::string_view text = status.message();
  if (body.empty() || !text.starts_with(kParsePrefix) || IsOwnRule(text.substr(kParsePrefix.size()))) return status;
  const auto fault = FindParseFault(body);
  if (!fault.has_value()) return status;
  return {status.code(),
          std::string(kParsePrefix).append(fault->what) + " at offset: " + std::to_string(fault->offset)};
}

}  // namespace inferd::v1
