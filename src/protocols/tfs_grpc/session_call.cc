#include "protocols/tfs_grpc/session_call.h"

#include <algorithm>
#include <utility>

#include "protocols/tfs/aliases.h"
#include "protocols/tfs_grpc/codec/predict_request_reader.h"
#include "protocols/tfs_grpc/codec/predict_response_writer.h"
#include "protocols/tfs_grpc/codec/tensor_reader.h"

namespace inferd::tfs_grpc {

namespace {

constexpr uint32_t kModelSpec = 1;

}  // namespace

base::Status SessionCall::Begin(const base::BufferSlice& message) {
  INFERD_ASSIGN_OR_RETURN(RequestedModel model, ReadModelSpecOf(message.view(), kModelSpec));
  const std::string signature = model.signature;
  INFERD_RETURN_IF_ERROR(PinModel(std::move(model)));
  INFERD_ASSIGN_OR_RETURN(request_, ReadSessionRequest(message.view()));
  auto plan = PlanSession(request_, *pinned(), signature);
  const bool beyond = !plan.has_value() && plan.error().code() == base::StatusCode::kUnimplemented;
  if (beyond && service_options().session_graph && !request_.aliases) return CallGraph();
  INFERD_ASSIGN_OR_RETURN(plan_, std::move(plan));
  return {};
}

base::Status SessionCall::CallGraph() {
  core::GraphCall call;
  plan_ = {};
  for (const SessionRequest::Feed& feed : request_.feeds) {
    plan_.inputs.push_back(static_cast<int>(call.feeds.size()));
    call.feeds.emplace_back(feed.name);
  }
  for (const std::string_view fetch : request_.fetches) {
    const auto known =
        std::ranges::find_if(call.fetches, [&](const std::string& name) { return SameTensor(name, fetch); });
    plan_.outputs.push_back(static_cast<int>(known - call.fetches.begin()));
    if (known == call.fetches.end()) call.fetches.emplace_back(fetch);
  }
  call.targets.assign(request_.targets.begin(), request_.targets.end());
  INFERD_ASSIGN_OR_RETURN(auto pinned, dispatcher().CallGraph(shared_pinned(), call));
  Pin(std::move(pinned));
  return {};
}

// Feeds have the position of a PredictRequest's inputs.
bool SessionCall::ReadingIsBig(const base::BufferSlice& message) const {
  const size_t limit = options().offload_bytes;
  return message.size() >= limit && BytesToDecode(message.view()) >= limit;
}

base::Result<std::unique_ptr<core::InferRequest>> SessionCall::Read(const base::BufferSlice& message) {
  const core::ModelSignature& signature = *pinned()->signatures()[plan_.signature];
  auto request = std::make_unique<core::InferRequest>();
  uint64_t fill_bytes_left = service_options().fill_bytes_max;
  for (size_t i = 0; i < request_.feeds.size(); ++i) {
    const SessionRequest::Feed& feed = request_.feeds[i];
    core::InferTensor& input = request->inputs.emplace_back();
    input.name = signature.inputs[static_cast<size_t>(plan_.inputs[i])].name;
    const base::Status status = ReadTensor(message, feed.tensor, fill_bytes_left, input);
    if (!status.ok()) return std::unexpected(status.WithContext("tensor parsing error: " + std::string(feed.name)));
    const auto place = static_cast<size_t>(plan_.inputs[i]);
    const tensor::DataType wanted = signature.inputs[place].datatype;
    if (input.datatype != wanted && wanted != tensor::DataType::kInvalid) {
      return std::unexpected(tfs::WrongDatatype(signature, place, input.datatype));
    }
  }
  // A tensor may be fetched repeatedly, but an output is requested once.
  for (size_t i = 0; i < request_.fetches.size(); ++i) {
    const std::string& name = signature.outputs[static_cast<size_t>(plan_.outputs[i])].name;
    const auto known = std::ranges::find(request->outputs, name, &core::RequestedOutput::name);
    fetches_.push_back({static_cast<size_t>(known - request->outputs.begin()), std::string(request_.fetches[i])});
    if (known == request->outputs.end()) request->outputs.push_back({.name = name});
  }
  INFERD_RETURN_IF_ERROR(Complete(plan_.signature, message, *request));
  request_ = {};
  return request;
}

bool SessionCall::EncodingIsBig(const core::InferResponse& response) const {
  return BytesToEncode(response, service_options().tensor_content) >= options().offload_bytes;
}

base::Result<net::grpc::Message> SessionCall::Encode(core::InferResponse&& response) {
  std::vector<core::InferTensor> fetched;
  for (Fetch& fetch : fetches_) {
    if (fetch.output >= response.outputs.size()) return std::unexpected(base::Internal("an output is missing"));
    fetched.push_back(response.outputs[fetch.output]);
    fetched.back().name = std::move(fetch.name);
  }
  response.outputs = std::move(fetched);
  return Logged(WriteSessionRunResponse(std::move(response), service_options().tensor_content));
}

}  // namespace inferd::tfs_grpc
