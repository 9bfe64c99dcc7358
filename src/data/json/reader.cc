#include "data/json/reader.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "data/json/text.h"

namespace inferd::json {

namespace {

// Up to this number, a new key is compared with each one before it. Beyond, all are sorted when the object closes.
constexpr size_t kKeysComparedAtOnce = 16;

// Skips `word` if it is at `p`.
bool TakeWord(const char*& p, const char* end, std::string_view word) {
  if (!std::string_view(p, static_cast<size_t>(end - p)).starts_with(word)) return false;
  p += word.size();
  return true;
}

}  // namespace

Reader::Reader(std::string_view text, const ReaderOptions& options)
    : begin_(text.data()), p_(begin_), end_(begin_ + text.size()), options_(options) {
  // Skips a byte order mark, which a parser may ignore (RFC 8259, section 8.1).
  if (text.starts_with("\xef\xbb\xbf")) p_ += 3;
}

base::Status Reader::ErrorAt(const char* where, std::string_view message) const {
  std::string text = "JSON at byte " + std::to_string(where - begin_) + ": ";
  return base::InvalidArgument(text.append(message));
}

base::Status Reader::Expected(std::string_view what) const {
  return Error("expected " + std::string(what) + ", got " + Describe(p_, end_));
}

std::string_view Reader::Rest() {
  SkipSpace();
  return {p_, static_cast<size_t>(end_ - p_)};
}

base::Result<ValueType> Reader::Peek() {
  SkipSpace();
  if (p_ != end_) {
    switch (*p_) {
      case '{': return ValueType::kObject;
      case '[': return ValueType::kArray;
      case '"': return ValueType::kString;
      case 't':
      case 'f': return ValueType::kBool;
      case 'n': return ValueType::kNull;
      default:
        if (*p_ == '-' || IsDigit(*p_)) return ValueType::kNumber;
        if (options_.nonfinite_tokens && NonFiniteLength(p_, end_, options_.short_infinity) > 0)
          return ValueType::kNumber;
    }
  }
  return std::unexpected(Expected("a value"));
}

base::Status Reader::Open(char bracket, std::string_view what) {
  SkipSpace();
  if (p_ == end_ || *p_ != bracket) return Expected(what);
  if (frames_.size() >= options_.depth_max) {
    return Error("nested deeper than " + std::to_string(options_.depth_max) + " levels");
  }
  ++p_;
  frames_.push_back({static_cast<uint32_t>(keys_.size()), bracket == '{', true});
  return {};
}

base::Status Reader::BeginObject() { return Open('{', "an object"); }

base::Status Reader::BeginArray() { return Open('[', "an array"); }

base::Result<std::optional<std::string_view>> Reader::NextKey() {
  assert(!frames_.empty() && frames_.back().object);
  SkipSpace();
  if (p_ != end_ && *p_ == '}') {
    INFERD_RETURN_IF_ERROR(CloseObject());
    ++p_;
    return std::nullopt;
  }
  if (!frames_.back().first) {
    if (p_ == end_ || *p_ != ',') return std::unexpected(Expected("',' or '}' behind a member"));
    ++p_;
    SkipSpace();
  }
  if (p_ == end_ || *p_ != '"') {
    return std::unexpected(Expected(frames_.back().first ? "a key or '}'" : "a key behind ','"));
  }
  frames_.back().first = false;
  const char* const where = p_;
  INFERD_ASSIGN_OR_RETURN(const std::string_view key, ScanQuoted(true));
  if (base::Status status = RecordKey(key); !status.ok()) return std::unexpected(ErrorAt(where, status.message()));
  SkipSpace();
  if (p_ == end_ || *p_ != ':') return std::unexpected(Expected("':' behind a key"));
  ++p_;
  return key;
}

base::Status Reader::RecordKey(std::string_view key) {
  const size_t first = frames_.back().keys_begin;
  if (keys_.size() - first < kKeysComparedAtOnce &&
      std::find(keys_.begin() + static_cast<ptrdiff_t>(first), keys_.end(), key) != keys_.end()) {
    repeated_key_ = key;
    return base::InvalidArgument("repeated key '" + Shorten(key) + "'");
  }
  if (keys_.size() >= options_.members_max) {
    return base::InvalidArgument("more than " + std::to_string(options_.members_max) + " members");
  }
  keys_.push_back(key);
  return {};
}

base::Status Reader::CloseObject() {
  const auto first = keys_.begin() + frames_.back().keys_begin;
  if (static_cast<size_t>(keys_.end() - first) > kKeysComparedAtOnce) {
    std::sort(first, keys_.end());
    const auto repeated = std::adjacent_find(first, keys_.end());
    if (repeated != keys_.end()) {
      repeated_key_ = *repeated;
      return Error("repeated key '" + Shorten(*repeated) + "' in the object closed here");
    }
  }
  keys_.resize(frames_.back().keys_begin);
  frames_.pop_back();
  return {};
}

base::Result<bool> Reader::NextElement() {
  assert(!frames_.empty() && !frames_.back().object);
  SkipSpace();
  Frame& frame = frames_.back();
  if (p_ != end_ && *p_ == ']') {
    ++p_;
    frames_.pop_back();
    return false;
  }
  if (!frame.first) {
    if (p_ == end_ || *p_ != ',') return std::unexpected(Expected("',' or ']' behind an element"));
    ++p_;
    SkipSpace();
    if (p_ != end_ && *p_ == ']') return std::unexpected(Expected("an element behind ','"));
  }
  frame.first = false;
  return true;
}

// Reads from the opening quote through the closing one. Most strings have plain bytes only.
base::Result<std::string_view> Reader::ScanQuoted(bool decode) {
  const char* const content = p_ + 1;
  if (const char* const end = SkipPlain(content, end_); end != end_ && *end == '"') {
    p_ = end + 1;
    return std::string_view(content, end);
  }
  const ScannedString scanned = ScanString(content, end_);
  if (scanned.fault != nullptr) return std::unexpected(ErrorAt(scanned.end, scanned.fault));
  p_ = scanned.end + 1;
  const std::string_view raw(content, static_cast<size_t>(scanned.end - content));
  if (!decode || !scanned.escaped) return raw;
  char* const memory = static_cast<char*>(decoded_.allocate(raw.size(), 1));
  return std::string_view(memory, DecodeString(raw, memory));
}

base::Result<std::string_view> Reader::ReadString() {
  SkipSpace();
  if (p_ == end_ || *p_ != '"') return std::unexpected(Expected("a string"));
  return ScanQuoted(true);
}

base::Result<bool> Reader::ReadBool() {
  SkipSpace();
  const bool value = p_ != end_ && *p_ == 't';
  if (!TakeWord(p_, end_, value ? "true" : "false")) return std::unexpected(Expected("true or false"));
  return value;
}

base::Status Reader::ReadNull() {
  SkipSpace();
  return TakeWord(p_, end_, "null") ? base::OkStatus() : Expected("null");
}

// Reads a scalar or opens a container.
base::Status Reader::SkipOne() {
  INFERD_ASSIGN_OR_RETURN(const ValueType type, Peek());
  bool integer = false;
  switch (type) {
    case ValueType::kObject: return BeginObject();
    case ValueType::kArray: return BeginArray();
    case ValueType::kString: {
      INFERD_ASSIGN_OR_RETURN([[maybe_unused]] const auto raw, ScanQuoted(false));
      return {};
    }
    case ValueType::kNumber: {
      INFERD_ASSIGN_OR_RETURN([[maybe_unused]] const auto token, ScanNumberToken(&integer));
      return {};
    }
    case ValueType::kBool: {
      INFERD_ASSIGN_OR_RETURN([[maybe_unused]] const bool value, ReadBool());
      return {};
    }
    case ValueType::kNull: return ReadNull();
  }
  return {};
}

base::Status Reader::SkipValue() {
  const size_t outside = frames_.size();
  do {
    INFERD_RETURN_IF_ERROR(SkipOne());
    bool more = false;
    while (!more && frames_.size() > outside) {
      if (frames_.back().object) {
        INFERD_ASSIGN_OR_RETURN(const auto key, NextKey());
        more = key.has_value();
      } else {
        INFERD_ASSIGN_OR_RETURN(more, NextElement());
      }
    }
  } while (frames_.size() > outside);
  return {};
}

base::Result<std::string_view> Reader::ReadRaw() {
  SkipSpace();
  const char* const start = p_;
  INFERD_RETURN_IF_ERROR(SkipValue());
  return std::string_view(start, static_cast<size_t>(p_ - start));
}

base::Status Reader::Finish() {
  assert(frames_.empty());
  SkipSpace();
  if (p_ != end_) return Expected("the end of the text");
  return {};
}

}  // namespace inferd::json
