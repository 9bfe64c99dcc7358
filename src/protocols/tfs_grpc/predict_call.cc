#include "protocols/tfs_grpc/predict_call.h"

#include <string>
#include <utility>

#include "protocols/tfs/signature_method.h"
#include "protocols/tfs_grpc/codec/predict_request_reader.h"
#include "protocols/tfs_grpc/codec/predict_response_writer.h"

namespace inferd::tfs_grpc {

namespace {

constexpr uint32_t kModelSpec = 1;

}  // namespace

base::Status PredictCall::Begin(const base::BufferSlice& message) {
  INFERD_ASSIGN_OR_RETURN(RequestedModel model, ReadModelSpecOf(message.view(), kModelSpec));
  const std::string name(tfs::MeantSignature(model.signature));
  INFERD_RETURN_IF_ERROR(PinModel(std::move(model)));
  const auto found = tfs::FindSignature(*pinned(), name);
  if (!found) INFERD_RETURN_IF_ERROR(tfs::CheckServed(*pinned(), name));
  if (!found) return base::FailedPrecondition("Serving signature key \"" + name + "\" not found.");
  signature_ = *found;
  return service_options().check_methods ? tfs::CheckMethod(api(), signature()) : base::Status();
}

bool PredictCall::ReadingIsBig(const base::BufferSlice& message) const {
  const size_t limit = options().offload_bytes;
  return message.size() >= limit && BytesToDecode(message.view()) >= limit;
}

base::Result<std::unique_ptr<core::InferRequest>> PredictCall::Read(const base::BufferSlice& message) {
  INFERD_ASSIGN_OR_RETURN(auto request, ReadPredictRequest(message, signature(), service_options().fill_bytes_max));
  INFERD_RETURN_IF_ERROR(Complete(signature_, message, *request));
  return request;
}

bool PredictCall::EncodingIsBig(const core::InferResponse& response) const {
  return BytesToEncode(response, service_options().tensor_content) >= options().offload_bytes;
}

base::Result<net::grpc::Message> PredictCall::Encode(core::InferResponse&& response) {
  return Logged(
      WritePredictResponse(std::move(response), service_options().tensor_content, tfs::SignatureName(signature())));
}

}  // namespace inferd::tfs_grpc
