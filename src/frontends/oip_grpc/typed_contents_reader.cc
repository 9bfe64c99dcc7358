#include "frontends/oip_grpc/typed_contents_reader.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "frontends/oip_grpc/typed_contents_field.h"
#include "frontends/oip_grpc/wire/packed.h"
#include "tensor/bytes.h"

namespace inferd::oip_grpc {

namespace {

using base::InvalidArgument;
using tensor::DataType;
using wire::Reader;
using wire::Type;

// What the parts hold, found before any memory is taken.
struct Extent {
  size_t elements = 0;
  size_t bytes = 0;           // of all BYTES elements
  uint32_t wrong_number = 0;  // a field with elements that is not the type's
};

// The elements in a packed field.
size_t CountPacked(Reader& in, std::string_view packed, Type element) {
  if (element == Type::kVarint) {
    const bool cut_off = !packed.empty() && static_cast<unsigned char>(packed.back()) >= 0x80;
    if (cut_off) in.Fail("a packed field ends inside a number");
    return wire::CountVarints(packed);
  }
  const size_t size = element == Type::kFixed32 ? 4 : 8;
  if (packed.size() % size != 0) in.Fail("a packed field ends inside a number");
  return packed.size() / size;
}

base::Status Measure(Reader in, uint32_t wanted, Extent& extent) {
  while (const uint32_t tag = in.Next()) {
    const uint32_t number = wire::NumberOf(tag);
    const Type element = number <= kContentsFieldMax ? ContentsElementType(number) : Type::kEndGroup;
    size_t elements = 0;
    if (wire::TypeOf(tag) == Type::kBytes && element != Type::kEndGroup) {
      const std::string_view bytes = in.Bytes();
      elements = element == Type::kBytes ? 1 : CountPacked(in, bytes, element);
      extent.bytes += bytes.size();
    } else {
      elements = wire::TypeOf(tag) == element ? 1 : 0;
      in.Skip();
    }
    if (elements == 0) continue;
    if (number != wanted) extent.wrong_number = number;
    extent.elements += elements;
  }
  return in.status();
}

// Writes the elements of one field behind each other.
template <typename T>
class Filler {
 public:
  explicit Filler(std::byte* begin) : begin_(begin), out_(begin) {}

  base::Status Fill(Reader in, uint32_t number) {
    const uint32_t packed = wire::Tag(number, Type::kBytes);
    const uint32_t single = wire::Tag(number, ContentsElementType(number));
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

  // Whether T can hold every element.
  base::Status RangeStatus(DataType type) const {
    if (!misfit_) return {};
    using Limits = std::numeric_limits<T>;
    return InvalidArgument("element " + std::to_string(misfit_->index) + ": expected " + std::to_string(Limits::min()) +
                           " to " + std::to_string(Limits::max()) + " for " + std::string(tensor::DataTypeName(type)) +
                           ", got " + std::to_string(misfit_->value));
  }

 private:
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
      std::byte* out = out_;  // which, unlike a member, no store of an element can change
      if (!wire::ForEachVarint(packed, [this, &out](uint64_t value) { out = Put(out, value); })) {
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

  // Narrow integers are on the wire as 32-bit ones; protobuf drops the bits above.
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
  std::optional<Misfit> misfit_;  // the first
};

template <typename T>
base::Result<base::Buffer> Decode(std::span<const Reader> parts, DataType type, size_t elements) {
  base::Buffer tensor = base::Buffer::Allocate(elements * sizeof(T));
  Filler<T> filler(tensor.data());
  for (const Reader& part : parts) INFERD_RETURN_IF_ERROR(filler.Fill(part, ContentsField(type)));
  INFERD_RETURN_IF_ERROR(filler.RangeStatus(type));
  return tensor;
}

base::Result<base::Buffer> DecodeBytes(std::span<const Reader> parts, const Extent& extent) {
  tensor::BytesPacker packer(extent.elements * tensor::kLengthSize + extent.bytes);
  for (Reader in : parts) {
    while (const uint32_t tag = in.Next()) {
      if (tag == wire::Tag(kBytesContents, Type::kBytes)) {
        INFERD_RETURN_IF_ERROR(packer.Append(in.Bytes()));
      } else {
        in.Skip();
      }
    }
  }
  return packer.Take();
}

base::Status WrongField(DataType type, uint32_t got) {
  const uint32_t wanted = ContentsField(type);
  std::string text = "expected ";
  text.append(wanted == 0 ? "raw_input_contents" : ContentsFieldName(wanted));
  text.append(" for ").append(tensor::DataTypeName(type));
  if (wanted == 0) text.append(", which has no typed contents");
  text.append(", got ").append(got == 0 ? "contents" : ContentsFieldName(got));
  return InvalidArgument(std::move(text));
}

}  // namespace

base::Result<base::Buffer> ReadTypedContents(std::span<const Reader> parts, DataType type) {
  const uint32_t wanted = ContentsField(type);
  Extent extent;
  for (const Reader& part : parts) INFERD_RETURN_IF_ERROR(Measure(part, wanted, extent));
  if (wanted == 0 || extent.wrong_number != 0) return std::unexpected(WrongField(type, extent.wrong_number));
  switch (type) {
    case DataType::kBool: return Decode<bool>(parts, type, extent.elements);
    case DataType::kInt8: return Decode<int8_t>(parts, type, extent.elements);
    case DataType::kInt16: return Decode<int16_t>(parts, type, extent.elements);
    case DataType::kInt32: return Decode<int32_t>(parts, type, extent.elements);
    case DataType::kInt64: return Decode<int64_t>(parts, type, extent.elements);
    case DataType::kUint8: return Decode<uint8_t>(parts, type, extent.elements);
    case DataType::kUint16: return Decode<uint16_t>(parts, type, extent.elements);
    case DataType::kUint32: return Decode<uint32_t>(parts, type, extent.elements);
    case DataType::kUint64: return Decode<uint64_t>(parts, type, extent.elements);
    case DataType::kFp32: return Decode<float>(parts, type, extent.elements);
    case DataType::kFp64: return Decode<double>(parts, type, extent.elements);
    default: return DecodeBytes(parts, extent);
  }
}

}  // namespace inferd::oip_grpc
