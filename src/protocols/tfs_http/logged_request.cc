#include "protocols/tfs_http/logged_request.h"

#include <utility>

#include "protocols/tfs/api_messages.h"
#include "protocols/tfs/signature_method.h"
#include "protocols/tfs_http/codec/example_reader.h"

namespace inferd::tfs_http {

namespace {

using Messages = tfs::LoggedCall::Messages;

// The signature of a model that takes every example whole, with all its features.
core::ModelSignature WholeExamples(const std::string& name) {
  return {.name = name,
          .method_name = std::string(tfs::kClassifyMethod),
          .inputs = {{.name = "examples", .datatype = tensor::DataType::kBytes, .shape = {-1}}},
          .outputs = {}};
}

// Return the ModelSpecs of a request and of its response.
std::string RequestSpec(const core::InferResponse& response, const core::ModelSignature& signature) {
  return tfs::ModelSpecMessage(response.model_name, "", signature.name);
}

std::string AnswerSpec(const core::InferResponse& response, const core::ModelSignature& signature) {
  return tfs::ModelSpecMessage(response.model_name, response.model_version, signature.name);
}

Messages PredictMessages(const std::vector<core::InferTensor>& inputs, const core::InferResponse& response,
                         const core::ModelSignature& signature) {
  return {.request = tfs::PredictRequestMessage(RequestSpec(response, signature), inputs),
          .response = tfs::PredictResponseMessage(AnswerSpec(response, signature), response.outputs)};
}

base::Result<Messages> ResultMessages(tfs::Api api, std::string_view body, const v1::BodyRules& rules,
                                      const core::InferResponse& response, const core::ModelSignature& signature) {
  INFERD_ASSIGN_OR_RETURN(const auto examples, ReadExamples(body, WholeExamples(signature.name), {.body = rules}));
  const auto write = api == tfs::Api::kClassify ? tfs::ClassificationResponseMessage : tfs::RegressionResponseMessage;
  INFERD_ASSIGN_OR_RETURN(std::string answer, write(AnswerSpec(response, signature), response, signature));
  return Messages{.request = tfs::ExamplesRequestMessage(RequestSpec(response, signature), examples->inputs[0]),
                  .response = std::move(answer)};
}

}  // namespace

LoggedRequest::LoggedRequest(tfs::Api api, const v1::BodyRules& rules, const base::BufferSlice& body,
                             const core::InferRequest& request)
    : api_(api), rules_(rules), model_(request.model_name), signature_(request.signature) {
  if (api == tfs::Api::kPredict) {
    inputs_.assign(request.inputs.begin(), request.inputs.end());
  } else {
    body_ = body;
  }
}

tfs::LoggedCall LoggedRequest::Answered(core::InferResponse&& response,
                                        std::shared_ptr<const core::PinnedModel> pinned) {
  size_t bytes = body_.size();
  for (const core::InferTensor& input : inputs_) bytes += input.data.size();
  for (const core::InferTensor& output : response.outputs) bytes += output.data.size();
  const core::ModelSignature& signature = *pinned->signatures()[signature_];
  tfs::LoggedCall call{.api = api_,
                       .model = model_,
                       .version = pinned->version(),
                       .signature = signature.name,
                       .bytes = bytes,
                       .make_messages = nullptr};
  if (api_ == tfs::Api::kPredict) {
    call.make_messages = [inputs = std::move(inputs_), response = std::move(response), pinned = std::move(pinned),
                          &signature] { return PredictMessages(inputs, response, signature); };
  } else {
    call.make_messages = [api = api_, body = std::move(body_), rules = rules_, response = std::move(response),
                          pinned = std::move(pinned),
                          &signature] { return ResultMessages(api, body.view(), rules, response, signature); };
  }
  return call;
}

}  // namespace inferd::tfs_http
