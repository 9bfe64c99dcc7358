#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "protocols/rest/infer_call.h"
#include "protocols/tfs/measured_inference.h"
#include "protocols/tfs_http/call.h"
#include "protocols/tfs_http/logged_request.h"
#include "protocols/tfs_http/router.h"
#include "protocols/v2/bodies/whole_body.h"

namespace inferd::tfs_http {

// A call of predict, classify or regress.
class InferCall final : public rest::InferCall {
 public:
  InferCall(Call call, const Route& route, net::ContentCoding coding, int64_t received_ns);

 private:
  base::Status BeginWith(const net::RequestHead& head) override;
  core::VersionName Meant() const override { return spec_.Name(); }
  bool DecodingIsBig(size_t body_bytes) const override;
  base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) override;
  void OnInfer(const core::InferRequest& request) override;
  void OnFinal() override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::HttpResponse> Encode(core::InferResponse&& response) override;
  rest::AnswerDeadline::MakeAnswer late_answer() const override;
  void OnEnd(base::StatusCode code, net::HttpResponse& answer) override;

  const core::ModelSignature& signature() const { return *pinned()->signatures()[signature_]; }
  base::Result<std::unique_ptr<core::InferRequest>> DecodeBody(const base::BufferSlice& body);
  base::Result<std::unique_ptr<core::InferRequest>> ReadTensors(std::string_view body);
  // `unread` is the reason for which the body is not read into tensors.
  base::Result<std::unique_ptr<core::InferRequest>> BodyInstead(std::string_view body, base::Status unread);
  base::Result<std::unique_ptr<core::InferRequest>> ReadExampleTensors(std::string_view body);
  base::Status CheckMethod() const;
  base::Result<net::HttpResponse> Write(const core::InferResponse& response) const;

  const std::shared_ptr<const Environment> environment_;
  const Endpoint endpoint_;
  tfs::ModelSpec spec_;
  base::Status unknown_;             // if not OK, the reason for which there is no such model
  uint32_t signature_ = 0;           // index in the model's signatures
  std::optional<int64_t> examples_;  // number of examples in the request; absent if unknown
  bool row_ = false;                 // format of a prediction's tensors, also used for the response
  // Set if the model itself reads the body and writes the response's.
  std::optional<v2::BodyTensors> body_tensors_;
  tfs::MeasuredInference measured_;
  std::unique_ptr<LoggedRequest> logged_;  // null if it is not to be logged
};

}  // namespace inferd::tfs_http
