#include "frontends/tfs_grpc/result_call.h"

#include <utility>

#include "frontends/tfs_grpc/examples_reader.h"

namespace inferd::tfs_grpc {

base::Status ResultCall::Begin(const base::BufferSlice& message) {
  INFERD_ASSIGN_OR_RETURN(ResultTask task, ReadResultTask(message.view(), api()));
  result_ = task.result;
  return PinModel(std::move(task.model), UnknownResultSignature);
}

bool ResultCall::PreparingIsBig(const base::BufferSlice& message) const {
  return message.size() >= options().offload_bytes;
}

base::Result<std::unique_ptr<core::InferRequest>> ResultCall::Prepare(const base::BufferSlice& message) {
  const core::ModelSignature& signature = pinned()->signature();
  INFERD_ASSIGN_OR_RETURN(auto request, ReadExamples(message.view(), signature, service_options().context_bytes_max));
  INFERD_RETURN_IF_ERROR(CheckResult(result_, signature));
  INFERD_RETURN_IF_ERROR(Complete(message, *request));
  return request;
}

bool ResultCall::EncodingIsBig(const core::InferResponse& response) const {
  size_t bytes = 0;
  for (const core::InferTensor& output : response.outputs) bytes += output.data.size();
  return bytes >= options().offload_bytes;
}

base::Result<net::grpc::Message> ResultCall::Encode(core::InferResponse&& response) {
  return Logged(WriteResult(result_, api(), response, pinned()->signature()));
}

}  // namespace inferd::tfs_grpc
