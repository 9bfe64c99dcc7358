#pragma once

#include <memory>
#include <optional>
#include <string>

#include "protocols/mlflow_http/call.h"
#include "protocols/mlflow_http/codec/content_type.h"
#include "protocols/rest/infer_call.h"
#include "protocols/v2/bodies/whole_body.h"

namespace inferd::mlflow_http {

// One invocation.
class InferCall final : public rest::InferCall {
 public:
  InferCall(Call call, std::string model, BodyForm form, net::ContentCoding coding);

 private:
  base::Status BeginWith(const net::RequestHead& head) override;
  core::VersionName Meant() const override { return {.model = model_, .version = {}}; }
  bool DecodingIsBig(size_t body_bytes) const override;
  base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::HttpResponse> Encode(core::InferResponse&& response) override;
  rest::AnswerDeadline::MakeAnswer late_answer() const override;
  void OnEnd(base::StatusCode code, net::HttpResponse& answer) override;

  // For a model that itself reads the body and writes the response's.
  base::Result<std::unique_ptr<core::InferRequest>> WholeBody(std::string_view body, v2::BodyTensors tensors);

  const std::shared_ptr<const Environment> environment_;
  const std::string model_;
  const BodyForm form_;
  std::optional<v2::BodyTensors> body_tensors_;  // nullopt if the body was read into tensors
};

}  // namespace inferd::mlflow_http
