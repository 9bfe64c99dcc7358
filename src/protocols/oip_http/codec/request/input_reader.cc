#include "protocols/oip_http/codec/request/input_reader.h"

#include <limits>
#include <string>
#include <utility>

#include "data/tensorjson/flatten.h"
#include "data/tensorjson/parse.h"
#include "protocols/oip_http/codec/request/parameters_json.h"
#include "protocols/v2/parameters.h"

namespace inferd::oip_http {

namespace {

using base::InvalidArgument;

// The text that Triton's clients look for.
constexpr std::string_view kNegative =
    "Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer";

// Reads one input's members as they come, then combines them.
class InputReader {
 public:
  InputReader(json::Reader& reader, std::string_view text, size_t index, core::InferTensor& tensor,
              tensorjson::DataFault& fault, bool any_nesting)
      : reader_(reader), text_(text), index_(index), tensor_(tensor), fault_(fault), any_nesting_(any_nesting) {}

  base::Result<std::optional<uint64_t>> Read() {
    if (base::Status status = ReadMembers(); !status.ok()) return std::unexpected(status.WithContext(Who()));
    if (base::Status status = Complete(); !status.ok()) return std::unexpected(status.WithContext(Who()));
    return binary_bytes_;
  }

 private:
  std::string Who() const { return has_name_ ? "input '" + tensor_.name + "'" : "input #" + std::to_string(index_); }

  base::Status ReadMembers() {
    INFERD_RETURN_IF_ERROR(reader_.BeginObject());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader_.NextKey());
      if (!key) return {};
      INFERD_RETURN_IF_ERROR(ReadMember(*key));
    }
  }

  base::Status ReadMember(std::string_view key) {
    if (key == "name") {
      INFERD_ASSIGN_OR_RETURN(const std::string_view name, reader_.ReadString());
      tensor_.name = name;
      has_name_ = true;
      return {};
    }
    if (key == "shape") return ReadShape().WithContext("shape");
    if (key == "datatype") return ReadDatatype().WithContext("datatype");
    if (key == "data") return ReadData();
    if (key == "parameters") return ReadParameters();
    return reader_.SkipValue();
  }

  base::Status ReadShape() {
    INFERD_RETURN_IF_ERROR(reader_.BeginArray());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const bool more, reader_.NextElement());
      if (!more) break;
      const bool negative = reader_.Rest().starts_with('-');
      const auto read = reader_.ReadUint64();
      if (!read.has_value()) return negative ? read.error().WithContext(kNegative) : read.error();
      const uint64_t dim = *read;
      if (tensor_.shape.rank() == tensor::kRankMax) {
        return reader_.Error("expected at most " + std::to_string(tensor::kRankMax) + " dimensions, got more");
      }
      if (dim > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return reader_.Error("dimension " + std::to_string(dim) + " is out of range");
      }
      tensor_.shape.Append(static_cast<int64_t>(dim));
    }
    has_shape_ = true;
    return {};
  }

  base::Status ReadDatatype() {
    INFERD_ASSIGN_OR_RETURN(const std::string_view name, reader_.ReadString());
    const std::optional<tensor::DataType> datatype = tensor::ParseDataType(name);
    if (!datatype) {
      return reader_.Error("expected BOOL, UINT8 to UINT64, INT8 to INT64, FP16, BF16, FP32, FP64 or BYTES, got '" +
                           std::string(name.substr(0, 64)) + "'");
    }
    tensor_.datatype = *datatype;
    return {};
  }

  base::Status ReadParameters() {
    ParametersReader parameters(reader_, "");
    INFERD_RETURN_IF_ERROR(parameters.Begin());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(auto parameter, parameters.Next());
      if (!parameter) break;
      if (parameter->name == "binary_data_size") {
        INFERD_RETURN_IF_ERROR(TakeBinarySize(parameter->value));
      } else {
        tensor_.parameters.emplace_back(parameter->name, std::move(parameter->value));
      }
    }
    INFERD_ASSIGN_OR_RETURN(base64_, v2::WantsBase64(tensor_.parameters, ""));
    return {};
  }

  base::Status TakeBinarySize(const core::ParameterValue& value) {
    const auto* size = std::get_if<int64_t>(&value);
    if (size == nullptr || *size < 0) {
      return InvalidArgument("parameter 'binary_data_size': expected a number of bytes, got " + v2::Describe(value));
    }
    binary_bytes_ = static_cast<uint64_t>(*size);
    return {};
  }

  bool described() const { return has_shape_ && tensor_.datatype != tensor::DataType::kInvalid; }

  // Decodes directly into the tensor if its shape and datatype are known. Otherwise, and for the rare base64 that is
  // announced only after the data, the text is read (again) at the end.
  base::Status ReadData() {
    const std::string_view rest = reader_.Rest();
    if (described() && !any_nesting_) {
      INFERD_RETURN_IF_ERROR(DecodeData(reader_));
      decoded_base64_ = base64_;
      decoded_ = true;
    } else {
      INFERD_RETURN_IF_ERROR(reader_.SkipValue());
    }
    const size_t begin = static_cast<size_t>(rest.data() - text_.data());
    data_ = text_.substr(begin, reader_.offset() - begin);
    return {};
  }

  // `source` is the reader, or the text of a value that it has read before.
  template <typename Source>
  base::Status DecodeData(Source& source) {
    INFERD_ASSIGN_OR_RETURN(base::Buffer bytes, tensorjson::ParseData(source, tensor_.datatype, tensor_.shape,
                                                                      {.base64 = base64_, .fault = &fault_}));
    tensor_.data = base::BufferSlice(std::move(bytes));
    return {};
  }

  base::Status Complete() {
    if (!has_name_) return InvalidArgument("expected a member 'name', got none");
    if (!has_shape_) return InvalidArgument("expected a member 'shape', got none");
    if (tensor_.datatype == tensor::DataType::kInvalid) {
      return InvalidArgument("expected a member 'datatype', got none");
    }
    const bool has_data = data_.data() != nullptr;
    const bool in_region = !tensor_.parameters.empty() && v2::NamesRegion(tensor_.parameters);
    const int places = int{has_data} + int{binary_bytes_.has_value()} + int{in_region};
    if (places != 1) {
      return InvalidArgument(
          "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', "
          "'shared_memory_region' in 'parameters'; got " +
          std::string(places == 0   ? "none"
                      : places == 2 ? "both"
                                    : "all"));
    }
    if (!has_data || (decoded_ && decoded_base64_ == base64_)) return {};
    if (!any_nesting_ || !data_.starts_with('[')) return DecodeData(data_);
    INFERD_ASSIGN_OR_RETURN(const std::string flat, tensorjson::FlattenLists(data_));
    const std::string_view flat_text = flat;
    return DecodeData(flat_text);
  }

  json::Reader& reader_;
  const std::string_view text_;
  const size_t index_;
  core::InferTensor& tensor_;
  tensorjson::DataFault& fault_;
  const bool any_nesting_;
  std::optional<uint64_t> binary_bytes_;
  std::string_view data_;  // the text of `data`; null if none
  bool has_name_ = false;
  bool has_shape_ = false;
  bool base64_ = false;
  bool decoded_ = false;
  bool decoded_base64_ = false;
};

}  // namespace

base::Result<std::optional<uint64_t>> ReadInput(json::Reader& reader, std::string_view text, size_t index,
                                                core::InferTensor& tensor, tensorjson::DataFault& fault,
                                                bool any_nesting) {
  return InputReader(reader, text, index, tensor, fault, any_nesting).Read();
}

}  // namespace inferd::oip_http
