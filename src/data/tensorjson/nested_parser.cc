#include "data/tensorjson/nested_parser.h"

#include <array>
#include <new>
#include <utility>

#include "data/json/reader.h"
#include "data/tensorjson/data_parser.h"
#include "data/tensorjson/nested_elements.h"
#include "data/tensorjson/nested_fault.h"
#include "data/tensorjson/number_codec.h"

namespace inferd::tensorjson {

using tensor::DataType;

// Walks one value's nesting. The first list at each level defines the shape; later lists must match it.
template <typename Elements>
class NestedParser::Walk {
 public:
  Walk(DataType type, const Elements& elements, GrowingBytes& bytes, const char* p, const char* end)
      : type_(type), elements_(elements), bytes_(bytes), p_(p), end_(end) {}

  // Returns false on an error; fault() has the reason.
  bool Value() {
    if (p_ == end_) return Refuse(base::InvalidArgument("expected a value, got the end of the text"));
    if (*p_ == '[') return List(0);
    rank_ = 0;
    return Element(0);
  }

  const char* end() const { return p_; }
  size_t elements() const { return taken_; }
  base::Status fault() { return std::move(fault_); }
  tensor::Shape shape() const {
    return tensor::Shape(std::span<const int64_t>(sizes_.data(), static_cast<size_t>(rank_)));
  }

 private:
  static constexpr int kUnknown = -1;

  // Parses a list inside `level` others, at its '['.
  bool List(int level) {
    if (level == static_cast<int>(tensor::kRankMax)) return Refuse(TooDeep());
    if (rank_ != kUnknown && level >= rank_) return Refuse(UnexpectedList(level, rank_));
    const bool first = rank_ == kUnknown;
    if (first) sizes_[static_cast<size_t>(level)] = kUnknown;
    const char* const open = p_;
    p_ = json::SkipSpace(p_ + 1, end_);
    int64_t size = 0;
    if (p_ == end_ || *p_ != ']') {
      const bool leaves = rank_ == kUnknown ? p_ != end_ && *p_ != '[' : level + 1 == rank_;
      if (first && leaves) rank_ = level + 1;
      if (!(leaves ? Row(level, size) : Lists(level, size))) return false;
    }
    if (p_ == end_ || *p_ != ']') return Refuse(base::InvalidArgument("expected ',' or ']' behind a value"));
    ++p_;
    // An empty first list ends the shape.
    if (rank_ == kUnknown) rank_ = level + 1;
    int64_t& expected = sizes_[static_cast<size_t>(level)];
    if (expected == kUnknown) expected = size;
    return size == expected || Refuse(UnexpectedSize(open, end_, level, expected));
  }

  bool Lists(int level, int64_t& size) {
    bool in_runs = true;  // until a run fails
    for (;;) {
      if (p_ == end_) return Refuse(base::InvalidArgument("expected a list, got the end of the text"));
      if (*p_ != '[') return Refuse(UnexpectedLeaf(p_, end_, level + 1, rank_));
      if (!List(level + 1)) return false;
      ++size;
      p_ = json::SkipSpace(p_, end_);
      if (p_ == end_ || *p_ != ',') return true;
      p_ = json::SkipSpace(p_ + 1, end_);
      if (in_runs) {
        const size_t run = RowRun(level + 1);
        in_runs = run > 0;
        size += static_cast<int64_t>(run);
      }
    }
  }

  // Reads rows at `level`, whose shape is known, in a fast batch. Returns their number.
  size_t RowRun(int level) {
    if (level + 1 != rank_) return 0;
    const auto row_size = static_cast<size_t>(sizes_[static_cast<size_t>(level)]);
    const size_t rows = elements_.ReadRows(p_, end_, row_size, bytes_);
    taken_ += rows * row_size;
    return rows;
  }

  bool Row(int level, int64_t& size) {
    const char* p = p_;
    int64_t count = 0;
    bool in_runs = true;  // until a run fails: if elements are of another kind, most are
    for (;;) {
      if (in_runs) {
        const size_t run = elements_.ReadRun(p, end_, bytes_);
        in_runs = run > 0;
        count += static_cast<int64_t>(run);
        p = json::SkipSpace(p, end_);
      }
      const char* const behind = p == end_ ? nullptr : elements_.Read(p, end_, bytes_);
      if (behind == nullptr) {
        p_ = p;
        return ElementFault(level + 1);
      }
      ++count;
      p = json::SkipSpace(behind, end_);
      if (p == end_ || *p != ',') break;
      p = json::SkipSpace(p + 1, end_);
    }
    p_ = p;
    size = count;
    taken_ += static_cast<size_t>(count);
    return true;
  }

  bool Element(int level) {
    const char* const behind = elements_.Read(p_, end_, bytes_);
    if (behind == nullptr) return ElementFault(level);
    p_ = behind;
    ++taken_;
    return true;
  }

  // Returns the error for text at p_ that is not an element.
  bool ElementFault(int level) {
    if (p_ != end_ && *p_ == '[') return Refuse(UnexpectedList(level, rank_));
    return Refuse(WrongValue(p_, end_, type_));
  }

  bool Refuse(base::Status fault) {
    fault_ = std::move(fault);
    return false;
  }

  const DataType type_;
  const Elements& elements_;
  GrowingBytes& bytes_;
  const char* p_;
  const char* const end_;
  int rank_ = kUnknown;
  std::array<int64_t, tensor::kRankMax> sizes_;  // sizes of the first list of each level, as far as used
  size_t taken_ = 0;
  base::Status fault_;
};

template <typename Elements>
base::Result<size_t> NestedParser::AddWith(Elements elements, std::string_view text) {
  const char* const begin = text.data();
  const char* end = begin + text.size();
  // Trailing bytes that could belong to a number come after the value. Without them every scan stops by itself.
  while (end != begin && IsNumberByte(end[-1])) --end;
  GrowingBytes bytes(buffer_, used_);
  Walk<Elements> walk(type_, elements, bytes, json::SkipSpace(begin, end), end);
  if (!walk.Value()) return std::unexpected(walk.fault());
  INFERD_RETURN_IF_ERROR(CheckShape(walk.shape(), walk.elements()));
  return static_cast<size_t>(walk.end() - begin);
}

base::Status NestedParser::CheckShape(const tensor::Shape& shape, size_t elements) {
  if (count_++ == 0) {
    shape_ = shape;
    elements_ = elements;
    return {};
  }
  if (elements != elements_) {
    return base::InvalidArgument("Expecting tensor size: " + std::to_string(elements_) +
                                 " but got: " + std::to_string(elements));
  }
  if (shape == shape_) return {};
  return base::InvalidArgument("Expecting shape " + shape_.ToString() + " but got: " + shape.ToString());
}

base::Result<size_t> NestedParser::AddTyped(std::string_view text) {
  constexpr ParseOptions kNumbers = {.short_infinity = true, .nonfinite_strings = false};
  const auto numbers = [&]<typename Codec>(Codec codec) { return AddWith(NumberElements<Codec>(codec), text); };
  const auto narrow = [&]<typename T>(T) {
    return rules_ == ValueRules::kLenient ? numbers(CutIntegerCodec<T>()) : numbers(IntegerCodec<T>());
  };
  switch (type_) {
    case DataType::kBool: return numbers(BoolCodec());
    case DataType::kUint8: return narrow(uint8_t());
    case DataType::kUint16: return narrow(uint16_t());
    case DataType::kUint32: return numbers(IntegerCodec<uint32_t>());
    case DataType::kUint64: return numbers(IntegerCodec<uint64_t>());
    case DataType::kInt8: return narrow(int8_t());
    case DataType::kInt16: return narrow(int16_t());
    case DataType::kInt32: return numbers(IntegerCodec<int32_t>());
    case DataType::kInt64: return numbers(IntegerCodec<int64_t>());
    case DataType::kFp16: return numbers(FloatCodec<DataType::kFp16>(kNumbers));
    case DataType::kFp32:
      return rules_ == ValueRules::kLenient ? numbers(OverflowingFloatCodec(kNumbers))
                                            : numbers(FloatCodec<DataType::kFp32>(kNumbers));
    case DataType::kFp64: return numbers(FloatCodec<DataType::kFp64>(kNumbers));
    case DataType::kBf16: return numbers(FloatCodec<DataType::kBf16>(kNumbers));
    case DataType::kBytes: return AddWith(TextElements(rules_ == ValueRules::kLenient), text);
    case DataType::kInvalid: return std::unexpected(base::Internal("the tensor has no datatype"));
    default: return std::unexpected(NoConversion(text.data(), text.data() + text.size(), type_));
  }
}

base::Result<size_t> NestedParser::Add(std::string_view text) {
  try {
    // The text bounds what a hint may reserve.
    const size_t hint = std::min(elements_hint_, text.size() / 2);
    if (count_ == 0 && hint > 0 && type_ != DataType::kBytes) {
      buffer_ = base::Buffer::Allocate(hint * tensor::ElementSize(type_));
    }
    return AddTyped(text);
  } catch (const std::bad_alloc&) {
    return std::unexpected(base::ResourceExhausted("no memory for so much data"));
  }
}

bool StartsWithBase64(std::string_view text) {
  json::Reader reader(text);
  return TextElements::FindBase64(reader).has_value();
}

base::Buffer NestedParser::Take() {
  if (buffer_) buffer_.Truncate(used_);
  return std::move(buffer_);
}

}  // namespace inferd::tensorjson
