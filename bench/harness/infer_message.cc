#include "bench/harness/infer_message.h"

#include "json/writer.h"
#include "oip/grpc_service.pb.h"
#include "tensorjson/nested_writer.h"
#include "tfs/dtype.h"
#include "tfs/prediction_service.pb.h"

namespace inferd::bench {

std::string InferMessage(const std::string& model, const std::vector<ctl::NamedTensor>& inputs) {
  inference::ModelInferRequest request;
  request.set_model_name(model);
  for (const ctl::NamedTensor& input : inputs) {
    auto& tensor = *request.add_inputs();
    tensor.set_name(input.name);
    tensor.set_datatype(std::string(tensor::DataTypeName(input.datatype)));
    for (const int64_t dim : input.shape.dims()) tensor.add_shape(dim);
    request.add_raw_input_contents(std::string(input.data.view()));
  }
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

// A tag, the length as a varint, the message.
size_t StreamMessageBytes(size_t bytes) {
  size_t length_bytes = 1;
  for (size_t rest = bytes; rest >= 0x80; rest >>= 7) ++length_bytes;
  return 1 + length_bytes + bytes;
}

}  // namespace inferd::bench
