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

// predict, or explain: predict, and then the explainer.
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

  // The body without the event around it, if there is one.
  base::Result<std::string_view> PlainBody(std::string_view body);
  base::Result<v1::DecodedPredict> ReadTensors(std::string_view body);
  // `unread` says why the body is not read into tensors.
  base::Result<std::unique_ptr<core::InferRequest>> DecodeBodyInstead(std::string_view body, base::Status unread);
  base::Status WriteAnswer(json::Writer& json, const core::InferResponse& response) const;

  const std::shared_ptr<const Environment> environment_;
  // Whose body it is: of the model, or, where that is asked to explain and leaves it to one that takes bodies, that
  // one.
  base::Status FindBodyTaker(const net::RequestHead& head);
  base::Result<net::HttpResponse> EncodeBody(const core::InferResponse& response) const;

  std::string model_;
  std::string version_;  // empty: the server chooses
  const bool explains_;
  bool takes_body_ = false;            // the model reads the body, and writes the answer's
  std::string headers_;                // of the request, for such a model
  std::unique_ptr<CloudEvent> event_;  // that the request is; null: it is none
  std::shared_ptr<Explanation> explanation_;
  uint32_t signature_ = 0;  // by its place in the model's
  bool row_ = true;         // how the tensors were written, and will be
};

}  // namespace inferd::kserve_v1
