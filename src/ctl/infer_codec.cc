#include "ctl/infer_codec.h"

#include <charconv>
#include <optional>

#include "data/json/reader.h"
#include "data/json/writer.h"
#include "data/tensor/raw.h"
#include "data/tensorjson/parse.h"
#include "data/tensorjson/write.h"

namespace inferd::ctl {

namespace {

using base::Result;
using base::Status;

constexpr const char* kHeaderLength = "Inference-Header-Content-Length";

Status WriteInput(json::Writer& writer, const NamedTensor& input, Wire wire) {
  writer.BeginObject();
  tensorjson::WriteTensorHead(writer, input.name, input.datatype, input.shape);
  if (wire == Wire::kBinary) {
    writer.Key("parameters");
    writer.BeginObject();
    writer.Member("binary_data_size", input.data.size());
    writer.EndObject();
  } else {
    writer.Key("data");
    INFERD_RETURN_IF_ERROR(tensorjson::WriteData(writer, input.datatype, input.shape, input.data.bytes()));
  }
  writer.EndObject();
  return base::OkStatus();
}

void WriteOutputs(json::Writer& writer, const InferOptions& options) {
  writer.Key("outputs");
  writer.BeginArray();
  for (const std::string& name : options.outputs) {
    writer.BeginObject();
    writer.Member("name", name);
    writer.Key("parameters");
    writer.BeginObject();
    if (options.wire == Wire::kBinary) {
      writer.Member("binary_data", true);
    }
    if (options.classes > 0) {
      writer.Member("classification", options.classes);
    }
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
}

// An output while it is parsed. Members may come in any order, so the data is decoded after its shape and datatype.
struct PendingOutput {
  NamedTensor tensor;
  std::string_view data;  // JSON
  std::optional<uint64_t> binary_bytes;
};

class AnswerReader {
 public:
  AnswerReader(std::string_view json, base::BufferSlice binary)
      : reader_(json, {.nonfinite_tokens = true}), binary_(std::move(binary)) {}

  Result<InferAnswer> Read() {
    INFERD_RETURN_IF_ERROR(reader_.BeginObject());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader_.NextKey());
      if (!key.has_value()) break;
      if (*key == "model_name") {
        INFERD_ASSIGN_OR_RETURN(answer_.model_name, reader_.ReadString());
      } else if (*key == "model_version") {
        INFERD_ASSIGN_OR_RETURN(answer_.model_version, reader_.ReadString());
      } else if (*key == "id") {
        INFERD_ASSIGN_OR_RETURN(answer_.id, reader_.ReadString());
      } else if (*key == "outputs") {
        INFERD_RETURN_IF_ERROR(ReadOutputs());
      } else {
        INFERD_RETURN_IF_ERROR(reader_.SkipValue());
      }
    }
    INFERD_RETURN_IF_ERROR(reader_.Finish());
    return std::move(answer_);
  }

 private:
  Status ReadOutputs() {
    INFERD_RETURN_IF_ERROR(reader_.BeginArray());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const bool more, reader_.NextElement());
      if (!more) return base::OkStatus();
      PendingOutput output;
      INFERD_RETURN_IF_ERROR(ReadOutput(output));
      if (Status status = Complete(output); !status.ok())
        return status.WithContext("output '" + output.tensor.name + "'");
      answer_.outputs.push_back(std::move(output.tensor));
    }
  }

  Status ReadOutput(PendingOutput& output) {
    INFERD_RETURN_IF_ERROR(reader_.BeginObject());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader_.NextKey());
      if (!key.has_value()) return base::OkStatus();
      if (*key == "name") {
        INFERD_ASSIGN_OR_RETURN(output.tensor.name, reader_.ReadString());
      } else if (*key == "datatype") {
        INFERD_ASSIGN_OR_RETURN(const std::string_view name, reader_.ReadString());
        output.tensor.datatype = tensor::ParseDataType(name).value_or(tensor::DataType::kInvalid);
      } else if (*key == "shape") {
        INFERD_RETURN_IF_ERROR(ReadShape(output.tensor.shape));
      } else if (*key == "data") {
        INFERD_ASSIGN_OR_RETURN(output.data, reader_.ReadRaw());
      } else if (*key == "parameters") {
        INFERD_RETURN_IF_ERROR(ReadParameters(output));
      } else {
        INFERD_RETURN_IF_ERROR(reader_.SkipValue());
      }
    }
  }

  Status ReadShape(tensor::Shape& shape) {
    INFERD_RETURN_IF_ERROR(reader_.BeginArray());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const bool more, reader_.NextElement());
      if (!more) return base::OkStatus();
      INFERD_ASSIGN_OR_RETURN(const int64_t dim, reader_.ReadInt64());
      if (shape.rank() == tensor::kRankMax) return base::Internal("its rank is too high");
      shape.Append(dim);
    }
  }

  Status ReadParameters(PendingOutput& output) {
    INFERD_RETURN_IF_ERROR(reader_.BeginObject());
    for (;;) {
      INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader_.NextKey());
      if (!key.has_value()) return base::OkStatus();
      if (*key == "binary_data_size") {
        INFERD_ASSIGN_OR_RETURN(output.binary_bytes, reader_.ReadUint64());
      } else {
        INFERD_RETURN_IF_ERROR(reader_.SkipValue());
      }
    }
  }

  Status Complete(PendingOutput& output) {
    NamedTensor& tensor = output.tensor;
    if (tensor.datatype == tensor::DataType::kInvalid) return base::Internal("it has no datatype that we know");
    if (!output.binary_bytes.has_value()) {
      INFERD_ASSIGN_OR_RETURN(base::Buffer data, tensorjson::ParseData(output.data, tensor.datatype, tensor.shape));
      tensor.data = base::BufferSlice(std::move(data));
      return base::OkStatus();
    }
    if (*output.binary_bytes > binary_.size()) return base::Internal("the binary part ends before it");
    const auto bytes = static_cast<size_t>(*output.binary_bytes);
    tensor.data = binary_.Sub(0, bytes);
    binary_ = binary_.Sub(bytes, binary_.size() - bytes);
    return tensor::CheckRaw(tensor.datatype, tensor.shape, tensor.data.bytes());
  }

  json::Reader reader_;
  base::BufferSlice binary_;
  InferAnswer answer_;
};

}  // namespace

Result<net::ClientRequest> EncodeInfer(const InferOptions& options, const std::vector<NamedTensor>& inputs) {
  json::Writer writer;
  writer.BeginObject();
  if (!options.id.empty()) {
    writer.Member("id", options.id);
  }
  if (options.wire == Wire::kBinary && options.outputs.empty()) {
    writer.Key("parameters");
    writer.BeginObject();
    writer.Member("binary_data_output", true);
    writer.EndObject();
  }
  writer.Key("inputs");
  writer.BeginArray();
  for (const NamedTensor& input : inputs) {
    if (Status status = WriteInput(writer, input, options.wire); !status.ok()) {
      return std::unexpected(status.WithContext("input '" + input.name + "'"));
    }
  }
  writer.EndArray();
  if (!options.outputs.empty()) WriteOutputs(writer, options);
  writer.EndObject();

  net::ClientRequest request;
  request.method = "POST";
  request.path = ModelPath(options.model, options.version) + "/infer";
  request.body = writer.TakeString();
  if (options.wire == Wire::kJson) {
    request.headers = {{"Content-Type", "application/json"}};
    return request;
  }
  request.headers = {{"Content-Type", "application/octet-stream"},
                     {kHeaderLength, std::to_string(request.body.size())}};
  for (const NamedTensor& input : inputs) request.body += input.data.view();
  return request;
}

Result<InferAnswer> DecodeInfer(const net::ClientResponse& response) {
  size_t json_bytes = response.body.size();
  if (const auto header = response.Find(kHeaderLength)) {
    const auto [end, error] = std::from_chars(header->data(), header->data() + header->size(), json_bytes);
    if (error != std::errc() || json_bytes > response.body.size()) {
      return std::unexpected(base::Internal("the answer's Inference-Header-Content-Length is wrong"));
    }
  }
  const std::string_view body = response.body;
  AnswerReader reader(body.substr(0, json_bytes), base::BufferSlice(base::Buffer::CopyOf(body.substr(json_bytes))));
  auto answer = reader.Read();
  if (!answer.has_value())
    return std::unexpected(base::Internal("the server's answer is malformed: " + answer.error().message()));
  return answer;
}

}  // namespace inferd::ctl
