#include <fstream>
#include <iterator>
#include <ostream>

#include "ctl/commands.h"
#include "ctl/text/table.h"
#include "data/json/writer.h"
#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"
#include "data/tensorjson/write.h"

namespace inferd::ctl {

namespace {

using base::Result;
using base::Status;

// Tokens such as NaN, which servers write, are not valid JSON.
constexpr tensorjson::WriteOptions kValidJson{.nonfinite = tensorjson::NonFinite::kStrings};

// Formats the first values of a tensor as in JSON.
std::string ValuesText(const NamedTensor& tensor, size_t values_max) {
  const auto count = static_cast<size_t>(tensor.shape.ElementCount().value_or(0));
  const size_t shown = std::min(count, values_max);
  std::string text;
  if (tensor.datatype == tensor::DataType::kBytes) {
    size_t i = 0;
    for (const std::string_view element : tensor::PackedElements(tensor.data.bytes())) {
      if (i++ == shown) break;
      json::Writer writer;
      writer.String(element);
      if (!text.empty()) text += ", ";
      text += writer.TakeString();
    }
  } else {
    json::Writer writer;
    const tensor::Shape first{static_cast<int64_t>(shown)};
    const auto bytes = tensor.data.bytes().first(shown * tensor::ElementSize(tensor.datatype));
    if (!tensorjson::WriteData(writer, tensor.datatype, first, bytes).ok()) return "?";
    for (const char c : writer.TakeString()) {
      if (c == '[' || c == ']') continue;
      text += c;
      if (c == ',') text += ' ';
    }
  }
  if (shown < count) text += ", ... (" + std::to_string(count) + " in all)";
  return text;
}

Status WriteJson(const InferAnswer& answer, const Output& out) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("model_name", answer.model_name);
  writer.Member("model_version", answer.model_version);
  if (!answer.id.empty()) {
    writer.Member("id", answer.id);
  }
  writer.Key("outputs");
  writer.BeginArray();
  for (const NamedTensor& output : answer.outputs) {
    writer.BeginObject();
    tensorjson::WriteTensorHead(writer, output.name, output.datatype, output.shape);
    writer.Key("data");
    INFERD_RETURN_IF_ERROR(
        tensorjson::WriteData(writer, output.datatype, output.shape, output.data.bytes(), kValidJson));
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  out.Write(writer);
  return base::OkStatus();
}

void WriteTable(const InferAnswer& answer, size_t values_max, std::ostream& out) {
  out << "model " << answer.model_name << ", version " << answer.model_version;
  if (!answer.id.empty()) out << ", id " << answer.id;
  out << "\n\n";
  Table table({"OUTPUT", "DATATYPE", "SHAPE", "VALUES"});
  for (const NamedTensor& output : answer.outputs) {
    table.Add({output.name, std::string(tensor::DataTypeName(output.datatype)), output.shape.ToString(),
               ValuesText(output, values_max)});
  }
  out << table.ToString();
}

Result<net::ClientRequest> RequestFromFile(const InferArguments& arguments) {
  std::ifstream file(arguments.request_file, std::ios::binary);
  if (!file) return std::unexpected(base::NotFound("cannot read the file '" + arguments.request_file + "'"));
  net::ClientRequest request;
  request.method = "POST";
  request.path = ModelPath(arguments.options.model, arguments.options.version) + "/infer";
  request.headers = {{"Content-Type", "application/json"}};
  request.body.assign(std::istreambuf_iterator<char>(file), {});
  return request;
}

// Classification is requested per output. Without names, it is requested for all outputs of the model.
Result<net::ClientRequest> RequestFromInputs(V2Server& server, const InferArguments& arguments) {
  INFERD_ASSIGN_OR_RETURN(const ModelSignature model, server.Model(arguments.options.model, arguments.options.version));
  INFERD_ASSIGN_OR_RETURN(const std::vector<NamedTensor> inputs, MakeInputs(model, arguments.inputs));
  InferOptions options = arguments.options;
  if (options.classes > 0 && options.outputs.empty()) {
    for (const TensorSignature& output : model.outputs) options.outputs.push_back(output.name);
  }
  return EncodeInfer(options, inputs);
}

}  // namespace

Status Infer(V2Server& server, const InferArguments& arguments, const Output& out) {
  INFERD_ASSIGN_OR_RETURN(const net::ClientRequest request, arguments.request_file.empty()
                                                                ? RequestFromInputs(server, arguments)
                                                                : RequestFromFile(arguments));
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse response, server.Call(request));
  INFERD_ASSIGN_OR_RETURN(const InferAnswer answer, DecodeInfer(response));
  if (out.json) return WriteJson(answer, out);
  WriteTable(answer, arguments.values_max, out.stream);
  return base::OkStatus();
}

}  // namespace inferd::ctl
