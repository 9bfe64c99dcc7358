#include "serving/scheduling/requests/resized_tensor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "data/tensor/bytes.h"
#include "data/tensor/half.h"
#include "data/tensor/raw.h"

namespace inferd::scheduling {

namespace {

using tensor::DataType;
using tensor::Shape;

template <typename T>
std::optional<uint64_t> IntegerBits(double value) {
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (!(value >= static_cast<double>(std::numeric_limits<T>::min()) && value < end)) return std::nullopt;
  if (std::trunc(value) != value) return std::nullopt;
  return static_cast<std::make_unsigned_t<T>>(static_cast<T>(value));
}

// Infinity and NaN are ordinary values. A finite value that only becomes infinite by narrowing does not fit.
std::optional<uint64_t> FloatBits(uint64_t bits, double narrowed, double value) {
  if (std::isinf(narrowed) && !std::isinf(value)) return std::nullopt;
  return bits;
}

std::optional<uint64_t> BitsOf(DataType type, double value) {
  switch (type) {
    case DataType::kBool: return value == 0 || value == 1 ? std::optional(static_cast<uint64_t>(value)) : std::nullopt;
    case DataType::kUint8: return IntegerBits<uint8_t>(value);
    case DataType::kUint16: return IntegerBits<uint16_t>(value);
    case DataType::kUint32: return IntegerBits<uint32_t>(value);
    case DataType::kUint64: return IntegerBits<uint64_t>(value);
    case DataType::kInt8: return IntegerBits<int8_t>(value);
    case DataType::kInt16: return IntegerBits<int16_t>(value);
    case DataType::kInt32: return IntegerBits<int32_t>(value);
    case DataType::kInt64: return IntegerBits<int64_t>(value);
    case DataType::kFp16: {
      const uint16_t bits = tensor::DoubleToHalf(value);
      return FloatBits(bits, tensor::HalfToFloat(bits), value);
    }
    case DataType::kBf16: {
      const uint16_t bits = tensor::DoubleToBf16(value);
      return FloatBits(bits, tensor::Bf16ToFloat(bits), value);
    }
    case DataType::kFp32: {
      // A conversion that overflows has undefined behaviour.
      if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) return std::nullopt;
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    }
    case DataType::kFp64: return std::bit_cast<uint64_t>(value);
    case DataType::kBytes: return value == 0 ? std::optional<uint64_t>(0) : std::nullopt;
    default: break;
  }
  return std::nullopt;
}

// Returns true if a dimension is 0. The other dimensions may then have any size, so do not walk them.
bool HasNoElements(const Shape& shape) { return std::ranges::find(shape.dims(), 0) != shape.dims().end(); }

// Walks two tensors of different shapes in parallel, outermost dimension first, each from its first byte to its last.
class Walk {
 public:
  Walk(DataType type, const base::BufferSlice& source, const Shape& from, const Shape& to, const Filling& filling)
      : size_(tensor::ElementSize(type)), source_(source.bytes()), filling_(filling) {
    size_t from_inner = 1;
    size_t to_inner = 1;
    for (size_t axis = from.rank(); axis-- > 0;) {
      const auto source_dim = static_cast<size_t>(from[axis]);
      const auto target_dim = static_cast<size_t>(to[axis]);
      const size_t common = std::min(source_dim, target_dim);
      if (!differ_ && source_dim != target_dim) {
        differ_ = true;
        last_ = axis;
        run_ = common * from_inner;
      }
      levels_[axis] = {
          .common = common, .skip = (source_dim - common) * from_inner, .fill = (target_dim - common) * to_inner};
      from_inner *= source_dim;
      to_inner *= target_dim;
    }
  }

  // Returns true if the common part of the two tensors is the beginning of the source.
  bool IsPrefix() const {
    return std::all_of(levels_.begin(), levels_.begin() + last_, [](const Level& level) { return level.common == 1; });
  }
  size_t PrefixBytes() const { return BytesOf(run_); }

  // Copies the tensor, and returns the end of the output.
  std::byte* Copy(std::byte* out) {
    out_ = out;
    CopyLevel(0);
    return out_;
  }

 private:
  struct Level {
    size_t common = 0;  // elements of the next level that both have
    size_t skip = 0;    // further elements that only the source has
    size_t fill = 0;    // further elements that only the target has
  };

  void CopyLevel(size_t axis) {
    const Level& level = levels_[axis];
    if (axis == last_) {
      Take(run_);
    } else {
      for (size_t i = 0; i < level.common; ++i) CopyLevel(axis + 1);
    }
    if (level.skip > 0) source_ = source_.subspan(BytesOf(level.skip));
    if (level.fill > 0) Fill(level.fill);
  }

  size_t BytesOf(size_t elements) const {
    if (size_ > 0) return elements * size_;
    return tensor::PackedPrefix(source_, elements).value_or(source_.size());
  }

  void Take(size_t elements) {
    const size_t bytes = BytesOf(elements);
    if (bytes > 0) std::memcpy(out_, source_.data(), bytes);
    source_ = source_.subspan(bytes);
    out_ += bytes;
  }

  void Fill(size_t elements) {
    switch (size_) {
      case 0: return filling_.packed.empty() ? FillWith<uint32_t>(elements) : Repeat(elements);  // lengths of 0
      case 1: return FillWith<uint8_t>(elements);
      case 2: return FillWith<uint16_t>(elements);
      case 4: return FillWith<uint32_t>(elements);
      case 8: return FillWith<uint64_t>(elements);
      default: return filling_.packed.empty() ? FillWithZeros(elements * size_) : Repeat(elements);
    }
  }

  void Repeat(size_t elements) {
    const std::span<const std::byte> element = filling_.packed;
    for (size_t i = 0; i < elements; ++i, out_ += element.size()) std::memcpy(out_, element.data(), element.size());
  }

  void FillWithZeros(size_t bytes) {
    std::memset(out_, 0, bytes);
    out_ += bytes;
  }

  template <typename T>
  void FillWith(size_t elements) {
    const size_t bytes = elements * sizeof(T);
    if (filling_.bits == 0) {
      std::memset(out_, 0, bytes);
    } else {
      // All elements of the target have the same size, so each is aligned to it.
      std::fill_n(reinterpret_cast<T*>(out_), elements, static_cast<T>(filling_.bits));
    }
    out_ += bytes;
  }

  const size_t size_;  // of an element; 0 for BYTES
  std::span<const std::byte> source_;
  std::byte* out_ = nullptr;
  const Filling filling_;
  bool differ_ = false;
  size_t last_ = 0;  // the last dimension in which the shapes differ
  size_t run_ = 0;   // contiguous elements in it that both have
  std::array<Level, tensor::kRankMax> levels_;
};

}  // namespace

base::Result<uint64_t> ElementOf(DataType type, double value) {
  if (const auto bits = BitsOf(type, value)) return *bits;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return std::unexpected(base::InvalidArgument("expected a value of " + std::string(tensor::DataTypeName(type)) +
                                               (type == DataType::kBytes ? ", which is 0 for an empty element" : "") +
                                               ", got " + std::string(text, end)));
}

size_t PaddedBytesMax(size_t sent_bytes) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(sent_bytes, kPaddedGrowthMax, &bytes)) return sent_bytes;
  return std::max(bytes, kSmallPaddedBytesMax);
}

Filling Filling::FirstOf(DataType type, const base::BufferSlice& data) {
  Filling filling(0);
  const size_t size = tensor::ElementSize(type);
  if (size == 0) {
    filling.packed = data.bytes().first(tensor::PackedPrefix(data.bytes(), 1).value_or(0));
  } else if (size > sizeof filling.bits) {
    filling.packed = data.bytes().first(size);
  } else {
    std::memcpy(&filling.bits, data.data(), size);
  }
  return filling;
}

std::optional<size_t> PaddedSize(DataType type, size_t data_size, const Shape& from, const Shape& to,
                                 const Filling& filling) {
  if (type != DataType::kBytes) {
    const auto bytes = tensor::ByteSize(type, to);
    return bytes.has_value() ? std::optional(*bytes) : std::nullopt;
  }
  const auto before = tensor::ElementCount(from);
  const auto after = tensor::ElementCount(to);
  size_t bytes = 0;
  if (!before.has_value() || !after.has_value() ||
      __builtin_mul_overflow(*after - *before, std::max(tensor::kLengthSize, filling.packed.size()), &bytes) ||
      __builtin_add_overflow(bytes, data_size, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

base::BufferSlice Padded(DataType type, const base::BufferSlice& data, const Shape& from, const Shape& to,
                         const Filling& filling) {
  if (from == to) return data;
  base::Buffer buffer = base::Buffer::Allocate(PaddedSize(type, data.size(), from, to, filling).value_or(0));
  if (!HasNoElements(to)) Walk(type, data, from, to, filling).Copy(buffer.data());
  return base::BufferSlice(std::move(buffer));
}

std::optional<base::BufferSlice> Cropped(DataType type, const base::BufferSlice& data, const Shape& from,
                                         const Shape& to) {
  if (from.rank() > tensor::kRankMax || !tensor::CheckRaw(type, from, data.bytes()).ok()) return std::nullopt;
  if (from == to) return data;
  if (HasNoElements(to)) return data.Sub(0, 0);
  Walk walk(type, data, from, to, 0);
  if (walk.IsPrefix()) return data.Sub(0, walk.PrefixBytes());
  base::Buffer buffer =
      base::Buffer::Allocate(type == DataType::kBytes ? data.size() : tensor::ByteSize(type, to).value_or(0));
  const std::byte* end = walk.Copy(buffer.data());
  buffer.Truncate(static_cast<size_t>(end - buffer.data()));
  return base::BufferSlice(std::move(buffer));
}

}  // namespace inferd::scheduling
