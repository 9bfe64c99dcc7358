#include "protocols/oip_grpc/codec/input_reader.h"

#include <boost/container/small_vector.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "data/json/text.h"
#include "data/tensor/raw.h"
#include "data/wire/packed.h"
#include "protocols/oip_grpc/codec/parameters_reader.h"
#include "protocols/oip_grpc/codec/typed_contents_reader.h"

namespace inferd::oip_grpc {

namespace {

using base::InvalidArgument;
using wire::Reader;
using wire::Tag;
using wire::Type;

// Reads one input's fields as they come, then combines them: contents may precede the datatype.
class InputReader {
 public:
  InputReader(Reader in, core::InferTensor& tensor) : in_(in), tensor_(tensor), parameters_(tensor.parameters) {}

  base::Status Read() {
    while (const uint32_t tag = in_.Next()) INFERD_RETURN_IF_ERROR(ReadField(tag));
    if (!in_.ok()) return in_.status();
    INFERD_RETURN_IF_ERROR(parameters_.Finish());
    INFERD_RETURN_IF_ERROR(CheckType());
    if (!has_contents()) return {};
    INFERD_ASSIGN_OR_RETURN(base::Buffer bytes, ReadTypedContents(contents_, tensor_.datatype));
    tensor_.data = base::BufferSlice(std::move(bytes));
    return {};
  }

  bool has_contents() const { return !contents_.empty(); }

 private:
  base::Status ReadField(uint32_t tag) {
    switch (tag) {
      case Tag(1, Type::kBytes): tensor_.name = in_.String(); return {};
      case Tag(2, Type::kBytes): datatype_ = in_.String(); return {};
      case Tag(3, Type::kVarint): return AddDim(in_.Varint());
      case Tag(3, Type::kBytes): return ReadShape(in_.Bytes());
      case Tag(4, Type::kBytes): return parameters_.ReadEntry(in_.Message());
      case Tag(5, Type::kBytes): contents_.push_back(in_.Message()); return {};
      default: in_.Skip(); return {};
    }
  }

  base::Status AddDim(uint64_t dim) {
    if (tensor_.shape.rank() == tensor::kRankMax) {
      return InvalidArgument("shape: expected at most " + std::to_string(tensor::kRankMax) + " dimensions, got more");
    }
    tensor_.shape.Append(static_cast<int64_t>(dim));
    return {};
  }

  base::Status ReadShape(std::string_view packed) {
    base::Status status;
    const bool whole = wire::ForEachVarint(packed, [this, &status](uint64_t dim) {
      if (status.ok()) status = AddDim(dim);
    });
    if (!whole) in_.Fail("a packed field ends inside a number");
    return status;
  }

  base::Status CheckType() {
    const std::optional<tensor::DataType> datatype = tensor::ParseDataType(datatype_);
    if (!datatype) {
      return InvalidArgument(
          "datatype: expected BOOL, UINT8 to UINT64, INT8 to INT64, FP16, BF16, FP32, FP64 or BYTES, got '" +
          json::Shorten(datatype_) + "'");
    }
    tensor_.datatype = *datatype;
    const auto size = *datatype == tensor::DataType::kBytes ? tensor::ElementCount(tensor_.shape)
                                                            : tensor::ByteSize(*datatype, tensor_.shape);
    return size.has_value() ? base::OkStatus() : size.error();
  }

  Reader in_;
  core::InferTensor& tensor_;
  ParametersReader parameters_;
  std::string_view datatype_;
  boost::container::small_vector<Reader, 1> contents_;
};

}  // namespace

base::Result<bool> ReadInput(Reader in, size_t index, core::InferTensor& tensor) {
  InputReader reader(in, tensor);
  base::Status status = reader.Read();
  if (status.ok()) return reader.has_contents();
  return std::unexpected(
      status.WithContext(tensor.name.empty() ? "input #" + std::to_string(index) : "input '" + tensor.name + "'"));
}

}  // namespace inferd::oip_grpc
