#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "protocols/rest/infer_call.h"
#include "protocols/trtis/infer_request.h"
#include "protocols/trtis_http/handler.h"
#include "protocols/trtis_http/router.h"

namespace inferd::trtis_http {

// One inference: NV-InferRequest describes the body's bytes.
class InferCall final : public rest::InferCall {
 public:
  InferCall(std::shared_ptr<const Environment> environment, rest::Call&& call, const Route& route, int64_t received_ns);

 private:
  base::Status BeginWith(const net::RequestHead& head) override;
  core::VersionName Meant() const override { return {.model = model_, .version = version_}; }
  bool DecodingIsBig(size_t) const override { return false; }  // nothing is decoded
  base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) override;
  void OnInfer(const core::InferRequest&) override { dispatched_ = true; }
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::HttpResponse> Encode(core::InferResponse&& response) override;
  rest::AnswerDeadline::MakeAnswer late_answer() const override;
  void OnEnd(base::StatusCode code, net::HttpResponse& answer) override;

  const std::shared_ptr<const Environment> environment_;
  const std::string model_;
  std::string version_;
  const bool binary_;
  const int64_t received_ns_;
  uint32_t batch_size_ = 0;
  bool dispatched_ = false;  // counted in the model's statistics
  uint64_t id_ = 0;          // 0 until it is known
  std::unique_ptr<core::InferRequest> request_;
  trtis::AnswerPlan plan_;
};

}  // namespace inferd::trtis_http
