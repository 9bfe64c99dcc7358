#include "protocols/mlflow_http/codec/faults.h"

#include "base/text/printable.h"

namespace inferd::mlflow_http {

namespace {

using tensor::DataType;

constexpr size_t kQuotedBytesMax = 256;

// Returns the name of MLflow's column type, or numpy's if it has none.
std::string_view ColumnTypeName(DataType type) {
  switch (type) {
    case DataType::kBool: return "boolean";
    case DataType::kInt32: return "integer";
    case DataType::kInt64: return "long";
    case DataType::kFp32: return "float";
    case DataType::kFp64: return "double";
    case DataType::kBytes: return "string";
    default: return NumpyName(type);
  }
}

std::string SchemaText(const core::ModelSignature& signature) {
  constexpr size_t kBytesMax = 4096;
  std::string text = "[";
  for (const core::TensorSpec& input : signature.inputs) {
    if (text.size() > kBytesMax) return text + ", ...]";
    text.append(text.size() > 1 ? ", '" : "'").append(input.name).append("': ").append(ColumnTypeName(input.datatype));
    text.append(input.optional ? " (optional)" : " (required)");
  }
  return text + "]";
}

}  // namespace

std::string_view NumpyName(DataType type) {
  switch (type) {
    case DataType::kBool: return "bool";
    case DataType::kUint8: return "uint8";
    case DataType::kUint16: return "uint16";
    case DataType::kUint32: return "uint32";
    case DataType::kUint64: return "uint64";
    case DataType::kInt8: return "int8";
    case DataType::kInt16: return "int16";
    case DataType::kInt32: return "int32";
    case DataType::kInt64: return "int64";
    case DataType::kFp16: return "float16";
    case DataType::kFp32: return "float32";
    case DataType::kFp64: return "float64";
    case DataType::kBytes: return "<U0";
    case DataType::kBf16: return "bfloat16";
    default: return "object";
  }
}

std::string TupleText(const tensor::Shape& shape) {
  std::string text = "(";
  for (const int64_t dim : shape.dims()) text.append(text.size() > 1 ? ", " : "").append(std::to_string(dim));
  return text + (shape.rank() == 1 ? ",)" : ")");
}

base::Status InputFault(std::string_view what) { return base::InvalidArgument("Invalid input. " + std::string(what)); }

base::Status JsonFault(std::string_view body, const base::Status& status) {
  return InputFault("Ensure that input is a valid JSON formatted string. Error: '" + status.message() + "'\nInput: \n" +
                    base::Printable(body, kQuotedBytesMax) + "\n");
}

std::string WantedForm(std::string_view received) {
  return "The input must be a JSON dictionary with exactly one of the input fields {'dataframe_split', "
         "'dataframe_records', 'instances', 'inputs'}. " +
         std::string(received);
}

base::Status SchemaFault(std::string_view data, const core::ModelSignature& signature, std::string_view what) {
  const std::string quoted = "'" + base::Printable(data, kQuotedBytesMax) + "'";
  return base::OutOfRange("Failed to predict data " + quoted + ". \nError: Failed to enforce schema of data " + quoted +
                          " with schema '" + SchemaText(signature) + "'. Error: " + std::string(what));
}

}  // namespace inferd::mlflow_http
