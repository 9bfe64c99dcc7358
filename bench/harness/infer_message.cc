#include "bench/harness/infer_message.h"

#include <algorithm>
#include <cstring>

#include "data/json/writer.h"
#include "data/tensorjson/nested_writer.h"
#include "oip/grpc_service.pb.h"
#include "protocols/tfs/dtype.h"
#include "tfs/prediction_service.pb.h"
#include "trtis/grpc_service.pb.h"

namespace inferd::bench {

namespace {

// Returns the elements, each converted to T, for a writer of numbers of this type.
template <typename T, typename Convert>
std::vector<T> Converted(const ctl::NamedTensor& input, Convert convert) {
  std::vector<float> values(input.data.size() / sizeof(float));
  std::memcpy(values.data(), input.data.data(), values.size() * sizeof(float));
  std::vector<T> converted(values.size());
  std::ranges::transform(values, converted.begin(), convert);
  return converted;
}

template <typename T>
base::Status WriteNested(tensor::DataType type, const tensor::Shape& shape, const std::vector<T>& values,
                         json::Writer& body) {
  INFERD_ASSIGN_OR_RETURN(auto writer, tensorjson::NestedWriter::Create(type, shape, std::as_bytes(std::span(values)),
                                                                        /*base64=*/false));
  return writer.WriteAll(body);
}

inference::ModelInferRequest InferRequest(const std::string& model, const std::vector<ctl::NamedTensor>& inputs) {
  inference::ModelInferRequest request;
  request.set_model_name(model);
  for (const ctl::NamedTensor& input : inputs) {
    auto& tensor = *request.add_inputs();
    tensor.set_name(input.name);
    tensor.set_datatype(std::string(tensor::DataTypeName(input.datatype)));
    for (const int64_t dim : input.shape.dims()) tensor.add_shape(dim);
    request.add_raw_input_contents(std::string(input.data.view()));
  }
  return request;
}

}  // namespace

std::string InferMessage(const std::string& model, const std::vector<ctl::NamedTensor>& inputs) {
  return InferRequest(model, inputs).SerializeAsString();
}

std::string SequenceMessage(const std::string& model, const std::vector<ctl::NamedTensor>& inputs, int64_t id,
                            bool start) {
  inference::ModelInferRequest request = InferRequest(model, inputs);
  (*request.mutable_parameters())["sequence_id"].set_int64_param(id);
  if (start) (*request.mutable_parameters())["sequence_start"].set_bool_param(true);
  return request.SerializeAsString();
}

std::string RegionMessage(const std::string& model, const std::string& region, int64_t elements) {
  inference::ModelInferRequest request;
  request.set_model_name(model);
  auto& input = *request.add_inputs();
  input.set_name("INPUT0");
  input.set_datatype("FP32");
  input.add_shape(1);
  input.add_shape(elements);
  auto& output = *request.add_outputs();
  output.set_name("OUTPUT0");
  const int64_t bytes = elements * static_cast<int64_t>(sizeof(float));
  for (auto* const parameters : {input.mutable_parameters(), output.mutable_parameters()}) {
    (*parameters)["shared_memory_region"].set_string_param(region);
    (*parameters)["shared_memory_byte_size"].set_int64_param(bytes);
  }
  (*output.mutable_parameters())["shared_memory_offset"].set_int64_param(bytes);
  return request.SerializeAsString();
}

base::Result<std::string> PredictMessage(const std::string& model, const std::vector<ctl::NamedTensor>& inputs) {
  tensorflow::serving::PredictRequest request;
  request.mutable_model_spec()->set_name(model);
  for (const ctl::NamedTensor& input : inputs) {
    if (input.datatype == tensor::DataType::kBytes) {
      return std::unexpected(base::InvalidArgument("input '" + input.name + "': strings have no tensor_content"));
    }
    auto& tensor = (*request.mutable_inputs())[input.name];
    tensor.set_dtype(static_cast<tensorflow::DataType>(tfs::DtypeOf(input.datatype)));
    for (const int64_t dim : input.shape.dims()) tensor.mutable_tensor_shape()->add_dim()->set_size(dim);
    tensor.set_tensor_content(std::string(input.data.view()));
  }
  return request.SerializeAsString();
}

base::Result<std::string> PredictBody(const std::vector<ctl::NamedTensor>& inputs) {
  json::Writer body;
  body.BeginObject();
  body.Key("inputs");
  body.BeginObject();
  for (const ctl::NamedTensor& input : inputs) {
    body.Key(input.name);
    INFERD_ASSIGN_OR_RETURN(auto tensor, tensorjson::NestedWriter::Create(input.datatype, input.shape,
                                                                          input.data.bytes(), /*base64=*/false));
    INFERD_RETURN_IF_ERROR(tensor.WriteAll(body));
  }
  body.EndObject();
  body.EndObject();
  return body.TakeString();
}

base::Result<std::string> PredictRows(const std::vector<ctl::NamedTensor>& inputs, RowNumbers numbers) {
  if (inputs.size() != 1 || inputs.front().datatype != tensor::DataType::kFp32) {
    return std::unexpected(base::InvalidArgument("rows of numbers are for models with one input, of FP32"));
  }
  const ctl::NamedTensor& input = inputs.front();
  json::Writer body;
  body.BeginObject();
  body.Key("instances");
  if (numbers == RowNumbers::kReals) {
    const auto reals = Converted<double>(input, [](float value) { return static_cast<double>(value); });
    INFERD_RETURN_IF_ERROR(WriteNested(tensor::DataType::kFp64, input.shape, reals, body));
  } else {
    const auto pixels = Converted<uint8_t>(input, [](float value) { return static_cast<uint8_t>(value * 255); });
    INFERD_RETURN_IF_ERROR(WriteNested(tensor::DataType::kUint8, input.shape, pixels, body));
  }
  body.EndObject();
  return body.TakeString();
}

base::Result<TrtisRequest> MakeTrtisRequest(const std::string& model, const std::vector<ctl::NamedTensor>& inputs,
                                            const std::vector<ctl::TensorSignature>& outputs) {
  nvidia::inferenceserver::InferRequest request;
  request.set_model_name(model);
  request.set_version("-1");
  auto& header = *request.mutable_meta_data();
  TrtisRequest made;
  for (const ctl::NamedTensor& input : inputs) {
    const int64_t batch = input.shape.rank() > 0 ? input.shape[0] : 1;
    header.set_batch_size(static_cast<uint32_t>(batch));
    auto& tensor = *header.add_input();
    tensor.set_name(input.name);
    tensor.set_byte_size(input.data.size() / static_cast<uint64_t>(batch));
    request.add_raw_input(std::string(input.data.view()));
    made.body += input.data.view();
  }
  for (const ctl::TensorSignature& output : outputs) {
    const tensor::Shape entry(output.shape.dims().subspan(output.shape.rank() > 0 ? 1 : 0));
    const auto elements = entry.ElementCount();
    if (!elements) return std::unexpected(base::InvalidArgument("output '" + output.name + "' has no fixed shape"));
    auto& tensor = *header.add_output();
    tensor.set_name(output.name);
    tensor.set_byte_size(static_cast<uint64_t>(*elements) * tensor::ElementSize(output.datatype));
  }
  made.header = header.ShortDebugString();
  made.message = request.SerializeAsString();
  return made;
}

// The size is that of a tag, the length as a varint, and the message.
size_t StreamMessageBytes(size_t bytes) {
  size_t length_bytes = 1;
  for (size_t rest = bytes; rest >= 0x80; rest >>= 7) ++length_bytes;
  return 1 + length_bytes + bytes;
}

}  // namespace inferd::bench
