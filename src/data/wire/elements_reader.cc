#include "data/wire/elements_reader.h"

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "data/tensor/bytes.h"
#include "data/wire/packed.h"

namespace inferd::wire {

namespace {

using tensor::DataType;

// Writes the elements of one field consecutively.
template <typename T>
class Filler {
 public:
  explicit Filler(std::byte* begin) : begin_(begin), out_(begin) {}

  base::Status Fill(Reader in, uint32_t number) {
    const uint32_t packed = Tag(number, Type::kBytes);
    const uint32_t single = Tag(number, kElement);
    while (const uint32_t tag = in.Next()) {
      if (tag == packed) {
        FillPacked(in, in.Bytes());
      } else if (tag == single) {
        FillOne(in);
      } else {
        in.Skip();
      }
    }
    return in.status();
  }

  // Checks that T can hold every element.
  base::Status RangeStatus(DataType type) const {
    if (!misfit_) return {};
    using Limits = std::numeric_limits<T>;
    return base::InvalidArgument("element " + std::to_string(misfit_->index) + ": expected " +
                                 std::to_string(Limits::min()) + " to " + std::to_string(Limits::max()) + " for " +
                                 std::string(tensor::DataTypeName(type)) + ", got " + std::to_string(misfit_->value));
  }

 private:
  static constexpr Type kElement = std::is_same_v<T, float>    ? Type::kFixed32
                                   : std::is_same_v<T, double> ? Type::kFixed64
                                                               : Type::kVarint;

  struct Misfit {
    size_t index;
    int64_t value;
  };

  void FillPacked(Reader& in, std::string_view packed) {
    if constexpr (std::is_floating_point_v<T>) {
      if (packed.empty()) return;
      std::memcpy(out_, packed.data(), packed.size());
      out_ += packed.size();
    } else {
      std::byte* out = out_;  // a local, which, unlike a member, no store of an element can change
      if (!ForEachVarint(packed, [this, &out](uint64_t value) { out = Put(out, value); })) {
        in.Fail("a number has too many bytes");
      }
      out_ = out;
    }
  }

  void FillOne(Reader& in) {
    if constexpr (std::is_same_v<T, float>) {
      out_ = Store(out_, in.Fixed32());
    } else if constexpr (std::is_same_v<T, double>) {
      out_ = Store(out_, in.Fixed64());
    } else {
      out_ = Put(out_, in.Varint());
    }
  }

  // Narrow integers are 32-bit varints on the wire; protobuf drops the bits above.
  std::byte* Put(std::byte* out, uint64_t varint) {
    const T element = static_cast<T>(varint);
    if constexpr (sizeof(T) < 4 && !std::is_same_v<T, bool>) {
      using Wide = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
      const Wide value = static_cast<Wide>(varint);
      if (value != element && !misfit_) [[unlikely]] {
        misfit_ = {static_cast<size_t>(out - begin_) / sizeof(T), value};
      }
    }
    return Store(out, element);
  }

  template <typename V>
  static std::byte* Store(std::byte* out, V value) {
    std::memcpy(out, &value, sizeof value);
    return out + sizeof value;
  }

  std::byte* const begin_;
  std::byte* out_;
  std::optional<Misfit> misfit_;  // the first one
};

template <typename T>
base::Result<base::Buffer> ReadNumbers(std::span<const Reader> parts, uint32_t number, DataType type,
                                       const Extent& extent) {
  base::Buffer tensor = base::Buffer::Allocate(extent.elements * sizeof(T));
  Filler<T> filler(tensor.data());
  for (const Reader& part : parts) INFERD_RETURN_IF_ERROR(filler.Fill(part, number));
  INFERD_RETURN_IF_ERROR(filler.RangeStatus(type));
  return tensor;
}

base::Result<base::Buffer> ReadBytes(std::span<const Reader> parts, uint32_t number, const Extent& extent) {
  tensor::BytesPacker packer(extent.elements * tensor::kLengthSize + extent.bytes);
  for (Reader in : parts) {
    while (const uint32_t tag = in.Next()) {
      if (tag == Tag(number, Type::kBytes)) {
        INFERD_RETURN_IF_ERROR(packer.Append(in.Bytes()));
      } else {
        in.Skip();
      }
    }
  }
  return packer.Take();
}

}  // namespace

Type ElementType(DataType type) {
  switch (type) {
    case DataType::kComplex64:
    case DataType::kFp32: return Type::kFixed32;
    case DataType::kComplex128:
    case DataType::kFp64: return Type::kFixed64;
    case DataType::kBytes: return Type::kBytes;
    default: return Type::kVarint;
  }
}

size_t NumbersPerElement(DataType type) {
  return type == DataType::kComplex64 || type == DataType::kComplex128 ? 2 : 1;
}

size_t CountPacked(Reader& in, std::string_view packed, Type element) {
  if (element == Type::kVarint) {
    const bool cut_off = !packed.empty() && static_cast<unsigned char>(packed.back()) >= 0x80;
    if (cut_off) in.Fail("a packed field ends inside a number");
    return CountVarints(packed);
  }
  const size_t size = element == Type::kFixed32 ? 4 : 8;
  if (packed.size() % size != 0) in.Fail("a packed field ends inside a number");
  return packed.size() / size;
}

base::Result<base::Buffer> ReadElements(std::span<const Reader> parts, uint32_t number, DataType type,
                                        const Extent& extent) {
  switch (type) {
    case DataType::kBool: return ReadNumbers<bool>(parts, number, type, extent);
    case DataType::kQint8:
    case DataType::kInt8: return ReadNumbers<int8_t>(parts, number, type, extent);
    case DataType::kQint16:
    case DataType::kInt16: return ReadNumbers<int16_t>(parts, number, type, extent);
    case DataType::kQint32:
    case DataType::kInt32: return ReadNumbers<int32_t>(parts, number, type, extent);
    case DataType::kInt64: return ReadNumbers<int64_t>(parts, number, type, extent);
    case DataType::kQuint8:
    case DataType::kUint8: return ReadNumbers<uint8_t>(parts, number, type, extent);
    case DataType::kFp16:
    case DataType::kBf16:
    case DataType::kQuint16:
    case DataType::kUint16: return ReadNumbers<uint16_t>(parts, number, type, extent);
    case DataType::kUint32: return ReadNumbers<uint32_t>(parts, number, type, extent);
    case DataType::kUint64: return ReadNumbers<uint64_t>(parts, number, type, extent);
    case DataType::kComplex64:
    case DataType::kFp32: return ReadNumbers<float>(parts, number, type, extent);
    case DataType::kComplex128:
    case DataType::kFp64: return ReadNumbers<double>(parts, number, type, extent);
    case DataType::kBytes:
    case DataType::kInvalid: break;
  }
  return ReadBytes(parts, number, extent);
}

}  // namespace inferd::wire
