#include "protocols/tfs_grpc/codec/tensor_reader.h"

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"
#include "data/wire/elements_reader.h"
#include "data/wire/packed.h"
#include "protocols/tfs/dtype.h"
#include "protocols/tfs_grpc/codec/tensor_field.h"

namespace inferd::tfs_grpc {

namespace {

// More than any machine has: a shape that requires it is an error, not a memory shortage.
constexpr uint64_t kFillBytesPossible = uint64_t{1} << 38;

using base::InvalidArgument;
using tensor::DataType;
using wire::Reader;
using wire::Tag;
using wire::Type;

// Returns the last element in a tensor's form, or a zero or an empty string.
std::string_view LastElement(DataType type, std::string_view data) {
  static constexpr std::string_view kZero("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
  if (type != DataType::kBytes) {
    const size_t size = tensor::ElementSize(type);
    return data.empty() ? kZero.substr(0, size) : data.substr(data.size() - size);
  }
  std::string_view last = kZero.substr(0, tensor::kLengthSize);
  const std::span<const std::byte> packed(reinterpret_cast<const std::byte*>(data.data()), data.size());
  for (const std::string_view element : tensor::PackedElements(packed)) {
    last = {element.data() - tensor::kLengthSize, element.size() + tensor::kLengthSize};
  }
  return last;
}

class TensorReader {
 public:
  TensorReader(const base::BufferSlice& message, std::span<const Reader> parts, core::InferTensor& tensor)
      : message_(message), parts_(parts), tensor_(tensor) {}

  base::Status Read(uint64_t& fill_bytes_left) {
    for (const Reader& part : parts_) INFERD_RETURN_IF_ERROR(ReadPart(part));
    tensor_.datatype = tfs::DataTypeOf(dtype_);
    if (tensor_.datatype == DataType::kInvalid) {
      return InvalidArgument(
          "dtype: expected DT_BOOL, DT_INT8 to DT_INT64, DT_UINT8 to DT_UINT64, DT_HALF, "
          "DT_BFLOAT16, DT_FLOAT, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128, DT_STRING or a quantized one, got " +
          std::to_string(dtype_));
    }
    if (unknown_rank_) return InvalidArgument("tensor_shape: expected a known rank");
    INFERD_ASSIGN_OR_RETURN(count_, tensor::ElementCount(tensor_.shape));
    if (const auto size = tensor::ByteSize(tensor_.datatype, tensor_.shape); !size.has_value()) return size.error();
    const uint32_t used = content_.empty() ? ValueField(tensor_.datatype) : kTensorContent;
    for (const Reader& part : parts_) INFERD_RETURN_IF_ERROR(CheckUnused(part, used));
    return content_.empty() ? ReadValues(fill_bytes_left) : ReadContent();
  }

 private:
  // Reads the fields that are needed before the elements; they may come after them.
  base::Status ReadPart(Reader in) {
    while (const uint32_t tag = in.Next()) {
      switch (tag) {
        case Tag(kDtype, Type::kVarint): dtype_ = static_cast<uint32_t>(in.Varint()); break;
        case Tag(kTensorShape, Type::kBytes): INFERD_RETURN_IF_ERROR(ReadShape(in.Message())); break;
        case Tag(kTensorContent, Type::kBytes): content_ = in.Bytes(); break;
        default: in.Skip();
      }
    }
    return in.status();
  }

  base::Status ReadShape(Reader in) {
    while (const uint32_t tag = in.Next()) {
      if (tag == Tag(kShapeDim, Type::kBytes)) {
        INFERD_RETURN_IF_ERROR(ReadDim(in.Message()));
      } else if (tag == Tag(kShapeUnknownRank, Type::kVarint)) {
        unknown_rank_ = in.Varint() != 0;
      } else {
        in.Skip();
      }
    }
    return in.status();
  }

  base::Status ReadDim(Reader in) {
    int64_t size = 0;
    while (const uint32_t tag = in.Next()) {
      switch (tag) {
        case Tag(kDimSize, Type::kVarint): size = static_cast<int64_t>(in.Varint()); break;
        case Tag(kDimName, Type::kBytes): in.String(); break;
        default: in.Skip();
      }
    }
    if (tensor_.shape.rank() == tensor::kRankMax) {
      return InvalidArgument("tensor_shape: expected at most " + std::to_string(tensor::kRankMax) +
                             " dimensions, got more");
    }
    tensor_.shape.Append(size);
    return in.status();
  }

  // Values in other fields need not fit the tensor, but must be well-formed.
  static base::Status CheckUnused(Reader in, uint32_t used) {
    while (const uint32_t tag = in.Next()) {
      const uint32_t number = wire::NumberOf(tag);
      if (wire::TypeOf(tag) != Type::kBytes || number == used) {
        in.Skip();
        continue;
      }
      const std::string_view packed = in.Bytes();
      const Type element = NumbersType(number);
      const bool whole = element == Type::kVarint    ? wire::ForEachVarint(packed, [](uint64_t) {})
                         : element == Type::kFixed32 ? packed.size() % sizeof(float) == 0
                                                     : element != Type::kFixed64 || packed.size() % sizeof(double) == 0;
      if (!whole) in.Fail("a packed field ends inside a number");
    }
    return in.status();
  }

  base::BufferSlice ViewOf(std::string_view bytes) const {
    return message_.Sub(static_cast<size_t>(bytes.data() - message_.view().data()), bytes.size());
  }

  base::Status ReadContent() {
    if (tensor_.datatype == DataType::kBytes) return ReadStringContent();
    tensor_.data = ViewOf(content_);
    const base::Status fits = tensor::CheckRaw(tensor_.datatype, tensor_.shape, tensor_.data.bytes());
    return fits.WithContext("tensor_content");
  }

  // Reads TensorFlow's encoding of strings: a varint with the length of each, then their bytes.
  base::Status ReadStringContent() {
    const char* const end = content_.data() + content_.size();
    const char* p = content_.data();
    for (size_t i = 0; i < count_ && p != nullptr; ++i) {
      uint64_t length = 0;
      p = p == end ? nullptr : wire::DecodeVarint(p, end, length);
    }
    if (p == nullptr) {
      return InvalidArgument("tensor_content: expected the lengths of " + std::to_string(count_) + " strings");
    }
    tensor::BytesPacker packer(content_.size() + count_ * tensor::kLengthSize);
    const char* lengths = content_.data();
    for (size_t i = 0; i < count_; ++i) {
      uint64_t length = 0;
      lengths = wire::DecodeVarint(lengths, end, length);
      if (length > static_cast<uint64_t>(end - p)) {
        return InvalidArgument("tensor_content: expected " + std::to_string(length) + " bytes of string " +
                               std::to_string(i) + ", got " + std::to_string(end - p));
      }
      INFERD_RETURN_IF_ERROR(packer.Append({p, static_cast<size_t>(length)}));
      p += length;
    }
    if (p != end)
      return InvalidArgument("tensor_content: " + std::to_string(end - p) + " bytes behind the last string");
    tensor_.data = base::BufferSlice(packer.Take());
    return {};
  }

  base::Status ReadValues(uint64_t& fill_bytes_left) {
    const uint32_t field = ValueField(tensor_.datatype);
    const Type element = wire::ElementType(tensor_.datatype);
    const auto element_type = [&](uint32_t number) { return number == field ? element : Type::kEndGroup; };
    wire::Extent extent;
    for (const Reader& part : parts_) INFERD_RETURN_IF_ERROR(wire::Measure(part, field, element_type, extent));
    const size_t numbers = wire::NumbersPerElement(tensor_.datatype);
    if (extent.elements % numbers != 0) {
      return InvalidArgument(std::string(ValueFieldName(tensor_.datatype)) +
                             ": expected a real and an imaginary part of each element, got " +
                             std::to_string(extent.elements) + " numbers");
    }
    const size_t elements = extent.elements / numbers;
    if (elements > count_) {
      return InvalidArgument(std::string(ValueFieldName(tensor_.datatype)) + ": expected at most " +
                             std::to_string(count_) + " elements for shape " + tensor_.shape.ToString() + ", got " +
                             std::to_string(elements));
    }
    if (const auto run = OnlyRun(field, element, elements)) {
      tensor_.data = ViewOf(*run);
    } else {
      INFERD_ASSIGN_OR_RETURN(base::Buffer data, wire::ReadElements(parts_, field, tensor_.datatype, extent));
      tensor_.data = base::BufferSlice(std::move(data));
    }
    return elements == count_ ? base::OkStatus() : Fill(elements, fill_bytes_left);
  }

  // Returns the packed run of floats that contains all elements: it is the tensor's bytes.
  std::optional<std::string_view> OnlyRun(uint32_t field, Type element, size_t elements) const {
    if (element == Type::kVarint || element == Type::kBytes) return std::nullopt;
    const size_t size = elements * tensor::ElementSize(tensor_.datatype);
    for (Reader in : parts_) {
      while (const uint32_t tag = in.Next()) {
        if (tag != Tag(field, Type::kBytes)) {
          in.Skip();
        } else if (const std::string_view run = in.Bytes(); run.size() == size) {
          return run;
        }
      }
    }
    return std::nullopt;
  }

  base::Status Fill(size_t elements, uint64_t& fill_bytes_left) {
    const std::string_view fewer = tensor_.data.view();
    const std::string_view last = LastElement(tensor_.datatype, fewer);
    uint64_t added = 0;
    const bool impossible =
        __builtin_mul_overflow(count_ - elements, last.size(), &added) || added > kFillBytesPossible;
    if (impossible || added > fill_bytes_left) {
      const auto code = impossible ? base::StatusCode::kInvalidArgument : base::StatusCode::kResourceExhausted;
      return base::Status(code, "expected " + std::to_string(count_) + " elements for shape " +
                                    tensor_.shape.ToString() + ", got " + std::to_string(elements) +
                                    ", and filling up the rest takes too much memory");
    }
    fill_bytes_left -= added;
    base::Buffer data = base::Buffer::Allocate(fewer.size() + added);
    if (!fewer.empty()) std::memcpy(data.data(), fewer.data(), fewer.size());
    for (size_t at = fewer.size(); at < data.size(); at += last.size()) {
      std::memcpy(data.data() + at, last.data(), last.size());
    }
    tensor_.data = base::BufferSlice(std::move(data));
    return {};
  }

  const base::BufferSlice& message_;
  const std::span<const Reader> parts_;
  core::InferTensor& tensor_;
  uint32_t dtype_ = 0;
  bool unknown_rank_ = false;  // the last one counts
  size_t count_ = 0;           // elements that the shape requires
  std::string_view content_;
};

}  // namespace

base::Status ReadTensor(const base::BufferSlice& message, std::span<const Reader> parts, uint64_t& fill_bytes_left,
                        core::InferTensor& tensor) {
  return TensorReader(message, parts, tensor).Read(fill_bytes_left);
}

}  // namespace inferd::tfs_grpc
