#pragma once

#include <algorithm>
#include <string>

#include "base/buffer.h"
#include "fuzz/require.h"
#include "protocols/trtis/answer.h"
#include "protocols/trtis/infer_request.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_response.h"
#include "trtis/api.pb.h"

// The shared code of the fuzz targets for the TensorRT Inference Server's protocol.

namespace inferd::fuzz {

inline nvidia::inferenceserver::InferRequestHeader MessageOf(const trtis::InferHeader& header) {
  nvidia::inferenceserver::InferRequestHeader message;
  message.set_batch_size(header.batch_size);
  for (const trtis::InferHeader::Input& input : header.inputs) {
    auto& to = *message.add_input();
    to.set_name(input.name);
    to.set_byte_size(input.byte_size);
  }
  for (const trtis::InferHeader::Output& output : header.outputs) {
    auto& to = *message.add_output();
    to.set_name(output.name);
    to.set_byte_size(output.byte_size);
    if (output.classes) to.mutable_cls()->set_count(*output.classes);
  }
  return message;
}

// Returns a model with tensors that the protocol can and cannot express. Its names have one letter, so that the fuzzer
// finds them soon.
inline core::ModelSignature FuzzSignature() {
  using tensor::DataType;
  core::ModelSignature signature;
  signature.max_batch_size = 8;
  signature.inputs = {{.name = "a", .datatype = DataType::kFp32, .shape = {-1, 2}},
                      {.name = "b", .datatype = DataType::kInt8, .shape = {-1}, .optional = true},
                      {.name = "c", .datatype = DataType::kBytes, .shape = {-1, 1}, .optional = true},
                      {.name = "d", .datatype = DataType::kInt8, .shape = {-1, -1}, .optional = true}};
  signature.outputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 3}, .labels = {"one", "\"\xff\n"}},
                       {.name = "y", .datatype = DataType::kBool, .shape = {-1, 1}},
                       {.name = "z", .datatype = DataType::kUint64, .shape = {-1}}};
  return signature;
}

// Makes an answer that the model might give to a planned request, and checks that it reads back the same.
inline void CheckAnswer(const trtis::PlannedRequest& planned, const core::ModelSignature& signature) {
  core::InferResponse response;
  response.model_name = "m";
  for (const core::RequestedOutput& wanted : planned.request->outputs) {
    const core::TensorSpec& spec = signature.outputs[static_cast<size_t>(signature.FindOutput(wanted.name))];
    core::InferTensor& tensor = response.outputs.emplace_back();
    tensor.name = wanted.name;
    tensor.datatype = spec.datatype;
    tensor.shape = spec.shape;
    tensor.shape[0] = planned.plan.batch_size;
    const auto bytes = static_cast<size_t>(tensor.shape.ElementCount().value()) * tensor::ElementSize(tensor.datatype);
    base::Buffer data = base::Buffer::Allocate(bytes);
    for (size_t i = 0; i < bytes; ++i) data.data()[i] = static_cast<std::byte>(i * 37);
    tensor.data = base::BufferSlice(std::move(data));
  }
  const auto answer = trtis::MakeAnswer(response, planned.plan, signature, "3");
  Require(answer.has_value(), "a planned request is not answered");
  nvidia::inferenceserver::InferResponseHeader message;
  Require(message.ParseFromString(trtis::AnswerMessage(*answer)), "an answer's message does not parse");
  Require(message.output_size() == static_cast<int>(planned.plan.outputs.size()), "an answer lacks outputs");
  for (const auto& output : message.output()) {
    Require(output.has_raw() != (output.batch_classes_size() > 0), "an output is neither raw nor classes");
    Require(output.has_raw() || output.batch_classes_size() == static_cast<int>(planned.plan.batch_size),
            "classes are not those of each entry");
  }
}

}  // namespace inferd::fuzz
