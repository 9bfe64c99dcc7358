#include "ctl/generator.h"

#include <cmath>
#include <random>
#include <string>

#include "data/tensor/bytes.h"
#include "data/tensor/half.h"
#include "data/tensor/raw.h"

namespace inferd::ctl {

namespace {

using tensor::DataType;

// The sequence of generated numbers.
class Source {
 public:
  Source(Generator generator, bool floating, uint32_t seed)
      : generator_(generator), floating_(floating), random_(seed) {}

  double Next() {
    switch (generator_) {
      case Generator::kZeros: return 0;
      case Generator::kOnes: return 1;
      case Generator::kRange: return next_++;
      case Generator::kRandom: return floating_ ? Fraction() : std::floor(Fraction() * 100);
    }
    return 0;
  }

 private:
  double Fraction() { return static_cast<double>(random_() >> 8) / (1 << 24); }

  Generator generator_;
  bool floating_;
  double next_ = 0;
  std::mt19937 random_;
};

template <typename T, typename Convert>
void Fill(base::Buffer& buffer, size_t count, Source& source, Convert convert) {
  std::byte* out = buffer.data();
  for (size_t i = 0; i < count; ++i, out += sizeof(T)) {
    const T value = convert(source.Next());
    std::memcpy(out, &value, sizeof value);
  }
}

// Integers wrap around if the range is longer than the type.
template <typename T>
T Wrap(double value) {
  return static_cast<T>(static_cast<uint64_t>(value));
}

void FillNumbers(DataType type, base::Buffer& buffer, size_t count, Source& source) {
  switch (type) {
    case DataType::kBool: return Fill<uint8_t>(buffer, count, source, [](double v) { return Wrap<uint8_t>(v) & 1; });
    case DataType::kUint8: return Fill<uint8_t>(buffer, count, source, Wrap<uint8_t>);
    case DataType::kUint16: return Fill<uint16_t>(buffer, count, source, Wrap<uint16_t>);
    case DataType::kUint32: return Fill<uint32_t>(buffer, count, source, Wrap<uint32_t>);
    case DataType::kUint64: return Fill<uint64_t>(buffer, count, source, Wrap<uint64_t>);
    case DataType::kInt8:
      return Fill<int8_t>(buffer, count, source, [](double v) { return Wrap<int8_t>(std::fmod(v, 128)); });
    case DataType::kInt16: return Fill<int16_t>(buffer, count, source, Wrap<int16_t>);
    case DataType::kInt32: return Fill<int32_t>(buffer, count, source, Wrap<int32_t>);
    case DataType::kInt64: return Fill<int64_t>(buffer, count, source, Wrap<int64_t>);
    case DataType::kFp16:
      return Fill<uint16_t>(buffer, count, source, [](double v) { return tensor::DoubleToHalf(v); });
    case DataType::kBf16:
      return Fill<uint16_t>(buffer, count, source, [](double v) { return tensor::DoubleToBf16(v); });
    case DataType::kFp32: return Fill<float>(buffer, count, source, [](double v) { return static_cast<float>(v); });
    case DataType::kFp64: return Fill<double>(buffer, count, source, [](double v) { return v; });
    case DataType::kBytes:
    default: return;
  }
}

base::Result<base::BufferSlice> GenerateBytes(size_t count, Source& source) {
  constexpr size_t kUsualBytes = tensor::kLengthSize + 4;
  tensor::BytesPacker packer(count * kUsualBytes);
  for (size_t i = 0; i < count; ++i) {
    INFERD_RETURN_IF_ERROR(packer.Append(std::to_string(static_cast<int64_t>(source.Next()))));
  }
  return base::BufferSlice(packer.Take());
}

}  // namespace

std::optional<Generator> ParseGenerator(std::string_view name) {
  if (name == "zeros") return Generator::kZeros;
  if (name == "ones") return Generator::kOnes;
  if (name == "range") return Generator::kRange;
  if (name == "random") return Generator::kRandom;
  return std::nullopt;
}

base::Result<base::BufferSlice> Generate(Generator generator, DataType type, const tensor::Shape& shape,
                                         uint32_t seed) {
  constexpr size_t kElementsMax = size_t{1} << 31;
  INFERD_ASSIGN_OR_RETURN(const size_t count, tensor::ElementCount(shape));
  if (count > kElementsMax)
    return std::unexpected(base::InvalidArgument("shape " + shape.ToString() + " is too large"));
  const bool floating =
      type == DataType::kFp16 || type == DataType::kBf16 || type == DataType::kFp32 || type == DataType::kFp64;
  Source source(generator, floating, seed);
  if (type == DataType::kBytes) return GenerateBytes(count, source);
  INFERD_ASSIGN_OR_RETURN(const size_t bytes, tensor::ByteSize(type, shape));
  base::Buffer buffer = base::Buffer::Allocate(bytes);
  FillNumbers(type, buffer, count, source);
  return base::BufferSlice(std::move(buffer));
}

}  // namespace inferd::ctl
