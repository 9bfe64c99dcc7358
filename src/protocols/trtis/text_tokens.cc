#include "protocols/trtis/text_tokens.h"

namespace inferd::trtis {

namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Returns 16 if it is not a digit.
unsigned DigitValue(char c) {
  if (IsDigit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

void AppendUtf8(uint32_t code, std::string& out) {
  const auto put = [&out](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace

void TextTokens::SkipSpace() {
  while (p_ != end_) {
    if (IsSpace(*p_)) {
      ++p_;
    } else if (*p_ == '#') {
      while (p_ != end_ && *p_ != '\n') ++p_;
    } else {
      return;
    }
  }
}

void TextTokens::Fail(const char* what) {
  if (what_ == nullptr) {
    what_ = what;
    wrong_at_ = p_;
  }
  p_ = end_;
}

base::Status TextTokens::status() const {
  if (ok()) return {};
  return base::InvalidArgument(std::string(what_) + " at byte " + std::to_string(wrong_at_ - begin_));
}

bool TextTokens::Expect(char symbol) {
  if (Take(symbol)) return true;
  switch (symbol) {
    case ':': Fail("expected ':'"); break;
    case '{': Fail("expected '{'"); break;
    case '}': Fail("expected '}'"); break;
    case '>': Fail("expected '>'"); break;
    default: Fail("expected ','");
  }
  return false;
}

std::string_view TextTokens::Name() {
  const char* const name = p_;
  if (p_ == end_ || !IsLetter(*p_)) {
    Fail("expected a field's name");
    return {};
  }
  while (p_ != end_ && (IsLetter(*p_) || IsDigit(*p_))) ++p_;
  const std::string_view taken(name, static_cast<size_t>(p_ - name));
  SkipSpace();
  return taken;
}

uint64_t TextTokens::Digits(unsigned base, uint64_t max) {
  uint64_t value = 0;
  for (; p_ != end_; ++p_) {
    const unsigned digit = DigitValue(*p_);
    if (digit >= base) break;
    if (value > (max - digit) / base) {
      Fail("integer out of range");
      return 0;
    }
    value = value * base + digit;
  }
  return value;
}

uint64_t TextTokens::Unsigned(uint64_t max) {
  if (p_ == end_ || !IsDigit(*p_)) {
    Fail("expected an integer that is not negative");
    return 0;
  }
  unsigned base = 10;
  if (*p_ == '0' && end_ - p_ > 1) {
    if (p_[1] == 'x' || p_[1] == 'X') {
      base = 16;
      p_ += 2;
      if (p_ == end_ || DigitValue(*p_) == 16) Fail("expected hexadecimal digits");
    } else if (IsDigit(p_[1])) {
      base = 8;
    }
  }
  const uint64_t value = Digits(base, max);
  // It would continue as another number, or as a word.
  if (p_ != end_ && (*p_ == '.' || IsDigit(*p_) || IsLetter(*p_))) Fail("expected an integer");
  SkipSpace();
  return value;
}

std::string TextTokens::String() {
  std::string text;
  if (!Sees('"') && !Sees('\'')) Fail("expected a string");
  while (Sees('"') || Sees('\'')) {
    QuotedTo(text);
    SkipSpace();
  }
  return text;
}

void TextTokens::QuotedTo(std::string& out) {
  const char quote = *p_++;
  for (;;) {
    const char* const run = p_;
    while (p_ != end_ && *p_ != quote && *p_ != '\\') ++p_;
    out.append(run, p_);
    if (p_ == end_) return Fail("unterminated string");
    if (*p_++ == quote) return;
    EscapedTo(out);
  }
}

bool TextTokens::HexDigits(int count, uint32_t& value) {
  value = 0;
  for (; count > 0; --count) {
    const unsigned digit = p_ == end_ ? 16 : DigitValue(*p_);
    if (digit == 16) return false;
    value = value * 16 + digit;
    ++p_;
  }
  return true;
}

// Reads the text after "\u" or "\U". Two escapes may be the halves of a surrogate pair.
void TextTokens::CodePointTo(std::string& out, int digits) {
  uint32_t code = 0;
  if (!HexDigits(digits, code) || code > 0x10ffff) return Fail("invalid escape sequence in a string");
  const bool high = code >= 0xd800 && code < 0xdc00;
  if (high && end_ - p_ >= 6 && p_[0] == '\\' && p_[1] == 'u') {
    const char* const before = p_;
    uint32_t low = 0;
    p_ += 2;
    if (HexDigits(4, low) && low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else {
      p_ = before;
    }
  }
  AppendUtf8(code, out);
}

// Reads the text after the backslash.
void TextTokens::EscapedTo(std::string& out) {
  if (p_ == end_) return Fail("unterminated string");
  const char c = *p_++;
  if (DigitValue(c) < 8) {
    unsigned value = DigitValue(c);
    for (int i = 0; i < 2 && p_ != end_ && DigitValue(*p_) < 8; ++i) value = value * 8 + DigitValue(*p_++);
    out.push_back(static_cast<char>(value));
    return;
  }
  switch (c) {
    case 'a': out.push_back('\a'); return;
    case 'b': out.push_back('\b'); return;
    case 'f': out.push_back('\f'); return;
    case 'n': out.push_back('\n'); return;
    case 'r': out.push_back('\r'); return;
    case 't': out.push_back('\t'); return;
    case 'v': out.push_back('\v'); return;
    case '\\':
    case '?':
    case '\'':
    case '"': out.push_back(c); return;
    case 'x': {
      uint32_t value = 0;
      if (!HexDigits(1, value)) return Fail("invalid escape sequence in a string");
      if (p_ != end_ && DigitValue(*p_) < 16) value = value * 16 + DigitValue(*p_++);
      out.push_back(static_cast<char>(value));
      return;
    }
    case 'u': return CodePointTo(out, 4);
    case 'U': return CodePointTo(out, 8);
    default: --p_; return Fail("invalid escape sequence in a string");
  }
}

}  // namespace inferd::trtis
