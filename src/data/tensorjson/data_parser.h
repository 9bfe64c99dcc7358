#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/json/text.h"
#include "data/tensor/shape.h"
#include "data/tensorjson/data_fault.h"
#include "data/tensorjson/short_integers.h"

namespace inferd::tensorjson {

// Returns the number of elements of the JSON array at the start of `text`, as far as it is well-formed.
size_t CountElements(std::string_view text);

// Returns true if `c` can stand in a number.
inline bool IsNumberByte(char c) {
  return json::IsDigit(c) || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

// Parses one JSON array, flat or nested like `shape`. A Codec reads its elements:
//
//   using Out = ...;                                               what elements are stored as
//   const char* Read(const char* p, const char* end, Out*& out);   stores one element; its end, or nullptr if refused
//   std::string Fault(const char* p, const char* end);             why, in words
//   static DataFault FaultKind(const char* p);                     and its kind, unless that is always kOther
//
// The storage at `out` has room for as many elements as the text can hold, at most the shape's. For one use.
template <typename Codec>
class DataParser {
 public:
  using Out = typename Codec::Out;

  // `count` is the product of `shape`.
  DataParser(Codec& codec, const tensor::Shape& shape, size_t count, Out* out)
      : codec_(codec), shape_(shape), count_(count), out_(out) {}

  // `text` begins with '['. Returns the size of the array in bytes.
  base::Result<size_t> Parse(std::string_view text) {
    p_ = text.data();
    end_ = p_ + text.size();
    // Trailing bytes that could belong to a number are not part of the array. Without them every scan stops by itself.
    while (IsNumberByte(end_[-1])) --end_;
    const char* const inside = json::SkipSpace(p_ + 1, end_);
    nested_ = inside != end_ && *inside == '[' && shape_.rank() > 1;
    INFERD_RETURN_IF_ERROR(nested_ ? ParseList(0) : ParseRow(count_, 0));
    return static_cast<size_t>(p_ - text.data());
  }

  // Returns the end of the stored elements.
  Out* out() const { return out_; }
  // The kind of the error that Parse() returned.
  DataFault fault() const { return fault_; }

 private:
  // Parses a list of dimension `dim`, at its '['.
  base::Status ParseList(size_t dim) {
    const auto size = static_cast<size_t>(shape_[dim]);
    if (dim + 1 == shape_.rank()) return ParseRow(size, dim);
    const char* const open = p_;
    size_t i = 0;
    for (p_ = json::SkipSpace(p_ + 1, end_); p_ == end_ || *p_ != ']'; p_ = json::SkipSpace(p_, end_)) {
      if (i > 0) {
        if (p_ == end_ || *p_ != ',') return SeparatorFault();
        p_ = json::SkipSpace(p_ + 1, end_);
      }
      if (i == size) return WrongSize(open, dim, size);
      if (p_ == end_ || *p_ != '[') {
        fault_ = DataFault::kNesting;
        return Refused("expected a list of dimension " + std::to_string(dim + 1) + " of shape " + shape_.ToString() +
                       ", got " + json::Describe(p_, end_));
      }
      INFERD_RETURN_IF_ERROR(ParseList(dim + 1));
      ++i;
    }
    if (i != size) return WrongSize(open, dim, size);
    ++p_;
    return {};
  }

  // Parses a row of `size` elements, at its '['.
  base::Status ParseRow(size_t size, size_t dim) {
    const char* const open = p_;
    const char* p = json::SkipSpace(p_ + 1, end_);
    Out* out = out_;
    size_t i = 0;
    bool in_runs = TakesShortIntegers<Codec>;  // until a run fails: if elements are of another kind, most are
    if (p == end_ || *p != ']') {
      while (true) {
        if (in_runs) {
          const size_t run = ReadRun(p, out, size - i);
          in_runs = run > 0;
          i += run;
        }
        if (i == size) return WrongSize(open, dim, size);
        const char* const behind = p == end_ ? nullptr : codec_.Read(p, end_, out);
        if (behind == nullptr) return ElementFault(p, i);
        ++i;
        p = json::SkipSpace(behind, end_);
        if (p == end_ || *p != ',') break;
        p = json::SkipSpace(p + 1, end_);
      }
    }
    p_ = p;
    out_ = out;
    taken_ += i;
    if (p == end_ || *p != ']') return SeparatorFault();
    if (i != size) return WrongSize(open, dim, size);
    ++p_;
    return {};
  }

  // Reads elements in a fast batch, and advances `p` to the next element.
  size_t ReadRun(const char*& p, Out*& out, size_t room) {
    if constexpr (TakesShortIntegers<Codec>) {
      Out* const first = out;
      p = json::SkipSpace(ReadShortIntegers<Codec>(p, end_, out, room), end_);
      return static_cast<size_t>(out - first);
    }
    return 0;
  }

  base::Status Refused(const std::string& fault) const {
    return base::InvalidArgument("data element " + std::to_string(taken_) + ": " + fault);
  }

  // Returns the error for element `i` of the row, which could not be read.
  base::Status ElementFault(const char* p, size_t i) {
    taken_ += i;
    if (p == end_ || *p == ']') return Refused("expected a value, got " + json::Describe(p, end_));
    if (*p != '[') {
      if constexpr (requires { Codec::FaultKind(p); }) fault_ = Codec::FaultKind(p);
      return Refused(codec_.Fault(p, end_));
    }
    fault_ = DataFault::kNesting;
    return Refused("expected data that is flat or nested as shape " + shape_.ToString() + ", got an array");
  }

  base::Status SeparatorFault() const {
    return base::InvalidArgument("data: expected ',' or ']' behind element " + std::to_string(taken_ - 1) + ", got " +
                                 json::Describe(p_, end_));
  }

  base::Status WrongSize(const char* open, size_t dim, size_t expected) {
    fault_ = DataFault::kWrongSize;
    const size_t got = CountElements({open, static_cast<size_t>(end_ - open)});
    std::string text = std::string(kWrongSizeText) + ": expected " + std::to_string(expected) +
                       (expected == 1 ? " element" : " elements");
    if (nested_) text += " in each list of dimension " + std::to_string(dim);
    return base::InvalidArgument(text + " for shape " + shape_.ToString() + ", got " + std::to_string(got));
  }

  Codec& codec_;
  const tensor::Shape& shape_;
  const size_t count_;
  Out* out_;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  size_t taken_ = 0;  // elements of the rows that were read
  bool nested_ = false;
  DataFault fault_ = DataFault::kOther;
};

}  // namespace inferd::tensorjson
