#pragma once

#include <memory>
#include <string>

#include "protocols/kserve_v1/call.h"
#include "protocols/kserve_v1/codec/cloud_event.h"
#include "protocols/kserve_v1/explanation.h"
#include "protocols/kserve_v1/router.h"
#include "protocols/rest/infer_call.h"
#include "protocols/v1/predict_reader.h"

namespace inferd::kserve_v1 {

// A call of predict, or of explain: predict, and then the explainer.
class InferCall final : public rest::InferCall {
 public:
  InferCall(Call call, const Route& route, net::ContentCoding coding);

 private:
  base::Status BeginWith(const net::RequestHead& head) override;
  core::VersionName Meant() const override { return {.model = model_, .version = version_}; }
  bool DecodingIsBig(size_t body_bytes) const override;
  base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) override;
  void Execute(std::unique_ptr<core::InferRequest> request, core::Completion completion) override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::HttpResponse> Encode(core::InferResponse&& response) override;

  // Returns the body, without the surrounding event if there is one.
  base::Result<std::string_view> PlainBody(std::string_view body);
  base::Result<v1::DecodedPredict> ReadTensors(std::string_view body);
  // `unread` is the reason for which the body is not read into tensors.
  base::Result<std::unique_ptr<core::InferRequest>> DecodeBodyInstead(std::string_view body, base::Status unread);
  base::Status WriteAnswer(json::Writer& json, const core::InferResponse& response) const;

  const std::shared_ptr<const Environment> environment_;
  // Finds the receiver of the body: the model or, if the explain call leaves it to an explainer that takes bodies, the
  // explainer.
  base::Status FindBodyTaker(const net::RequestHead& head);
  base::Result<net::HttpResponse> EncodeBody(const core::InferResponse& response) const;

  std::string model_;
  std::string version_;  // empty if the server chooses
  const bool explains_;
  bool takes_body_ = false;            // the model itself reads the body and writes the response's
  v2::BodyTensors tensors_;            // by these
  std::string headers_;                // headers of the request, for such a model
  std::unique_ptr<CloudEvent> event_;  // null if the request is not an event
  std::shared_ptr<Explanation> explanation_;
  uint32_t signature_ = 0;  // index in the model's signatures
  bool row_ = true;         // format of the request's tensors, also used for the response
};

}  // namespace inferd::kserve_v1
