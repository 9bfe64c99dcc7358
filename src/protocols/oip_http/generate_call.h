#pragma once

#include <string>

#include "protocols/oip_http/call.h"
#include "protocols/oip_http/load_metrics.h"
#include "protocols/oip_http/router.h"
#include "protocols/rest/infer_call.h"

namespace inferd::oip_http {

// Triton's generate extension: an inference whose inputs and outputs are members of a JSON object. It answers once
// (generate), or with an event for each response of the model (generate_stream).
class GenerateCall final : public rest::InferCall {
 public:
  GenerateCall(Call call, const Route& route);

 private:
  base::Status BeginWith(const net::RequestHead& head) override;
  core::VersionName Meant() const override { return {.model = model_, .version = version_}; }
  bool DecodingIsBig(size_t body_bytes) const override { return body_bytes >= options_.offload_bytes; }
  base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::HttpResponse> Encode(core::InferResponse&& response) override;
  base::Status NotOneResponse() const override;
  void OnEnd(base::StatusCode code, net::HttpResponse& answer) override;

  const Options& options_;
  std::string model_;
  std::string version_;
  LoadMetrics load_metrics_;
  bool streams_;
};

}  // namespace inferd::oip_http
