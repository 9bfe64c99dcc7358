#include "data/json/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/text/utf8.h"
#include "data/json/text.h"

namespace inferd::json {

namespace {

constexpr size_t kChunkMin = 64;
constexpr size_t kChunkMax = 1 << 20;

// The escape of each byte inside quotes: 0 for none, 'u' for \u00XX, else the letter after a backslash.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> table{};
  for (size_t c = 0; c < 0x20; ++c) table[c] = 'u';
  table['"'] = '"';
  table['\\'] = '\\';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  return table;
}();

}  // namespace

void Writer::Grow(size_t bytes) {
  Seal();
  chunk_size_ = std::max({chunk_size_, bytes, kChunkMin});
  chunk_ = base::Buffer::Allocate(chunk_size_);
  begin_ = p_ = reinterpret_cast<char*>(chunk_.data());
  end_ = begin_ + chunk_size_;
  chunk_size_ = std::min(chunk_size_ * 2, kChunkMax);
}

void Writer::Seal() {
  const auto used = static_cast<size_t>(p_ - begin_);
  if (used > 0) {
    chunk_.Truncate(used);
    closed_.emplace_back(std::move(chunk_));
    closed_size_ += used;
  }
  chunk_ = {};
  begin_ = p_ = end_ = nullptr;
}

Writer::Chunks Writer::Take() {
  Seal();
  separate_ = false;
  closed_size_ = 0;
  Chunks chunks = std::move(closed_);
  closed_.clear();
  return chunks;
}

std::string Writer::TakeString() {
  std::string text;
  text.reserve(size());
  for (const base::BufferSlice& chunk : Take()) text += chunk.view();
  return text;
}

void Writer::Append(std::string_view text) {
  if (text.empty()) return;
  std::memcpy(Reserve(text.size()), text.data(), text.size());
  Commit(text.size());
}

void Writer::Raw(std::string_view json) {
  StartValue();
  Append(json);
}

void Writer::QuotePlain(std::string_view text) {
  char* const out = Reserve(text.size() + 2);
  *out = '"';
  if (!text.empty()) std::memcpy(out + 1, text.data(), text.size());
  out[text.size() + 1] = '"';
  Commit(text.size() + 2);
}

void Writer::Quote(std::string_view utf8) {
  static constexpr char kHex[] = "0123456789abcdef";
  Append('"');
  const char* plain = utf8.data();
  const char* const end = plain + utf8.size();
  for (const char* p = plain; p != end; ++p) {
    const char escape = kEscapes[static_cast<unsigned char>(*p)];
    if (escape == '\0') continue;
    Append({plain, static_cast<size_t>(p - plain)});
    plain = p + 1;
    Append('\\');
    Append(escape);
    if (escape == 'u') {
      Append("00");
      Append(kHex[*p >> 4]);
      Append(kHex[*p & 15]);
    }
  }
  Append({plain, static_cast<size_t>(end - plain)});
  Append('"');
}

void Writer::Key(KeyText key) {
  if (key.plain()) {
    StartValue();
    QuotePlain(key.text());
  } else {
    String(key.text());
  }
  Append(':');
  separate_ = false;
}

void Writer::String(std::string_view value) {
  if (!StringIfUtf8(value)) {
    StartValue();
    Quote(base::ReplaceMalformedUtf8(value));
  }
}

bool Writer::StringIfUtf8(std::string_view value) {
  const char* const end = value.data() + value.size();
  const bool plain = SkipPlain(value.data(), end) == end;
  if (!plain && !base::IsUtf8(value)) return false;
  StartValue();
  if (plain) {
    QuotePlain(value);
  } else {
    Quote(value);
  }
  return true;
}

void Writer::Int(int64_t value) {
  StartValue();
  char* const out = Reserve(20);
  Commit(static_cast<size_t>(std::to_chars(out, out + 20, value).ptr - out));
}

void Writer::Uint(uint64_t value) {
  StartValue();
  char* const out = Reserve(20);
  Commit(static_cast<size_t>(std::to_chars(out, out + 20, value).ptr - out));
}

void Writer::Double(double value) {
  if (!std::isfinite(value)) return Null();
  StartValue();
  char* const out = Reserve(32);
  Commit(static_cast<size_t>(std::to_chars(out, out + 32, value).ptr - out));
}

}  // namespace inferd::json
