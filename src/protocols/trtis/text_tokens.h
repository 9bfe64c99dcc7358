#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::trtis {

// Reads protobuf's text form token by token, like its own tokenizer. The first error sets status(), and nothing is
// found after it. A view; not thread-safe.
class TextTokens final {
 public:
  explicit TextTokens(std::string_view text) : begin_(text.data()), p_(begin_), end_(begin_ + text.size()) {
    SkipSpace();
  }

  bool AtEnd() const { return p_ == end_; }
  bool Sees(char symbol) const { return p_ != end_ && *p_ == symbol; }

  // Takes the symbol if it is the next token.
  bool Take(char symbol) {
    if (!Sees(symbol)) return false;
    ++p_;
    SkipSpace();
    return true;
  }
  // Requires the symbol as the next token.
  bool Expect(char symbol);
  // Takes a name. Empty if there is none, or it is malformed.
  std::string_view Name();
  // Takes an unsigned integer: decimal, hexadecimal with 0x, or octal with a leading 0.
  uint64_t Unsigned(uint64_t max);
  // Takes one string, or several adjacent ones that form one.
  std::string String();

  bool ok() const { return what_ == nullptr; }
  // INVALID_ARGUMENT, with the error and its byte.
  base::Status status() const;
  void Fail(const char* what);

 private:
  void SkipSpace();
  uint64_t Digits(unsigned base, uint64_t max);
  void QuotedTo(std::string& out);
  void EscapedTo(std::string& out);
  bool HexDigits(int count, uint32_t& value);
  void CodePointTo(std::string& out, int digits);

  const char* begin_;
  const char* p_;
  const char* end_;
  const char* what_ = nullptr;
  const char* wrong_at_ = nullptr;
};

}  // namespace inferd::trtis
