#pragma once

#include <memory>
#include <string>

#include "protocols/oip_http/call.h"
#include "protocols/oip_http/codec/infer_headers.h"
#include "protocols/oip_http/codec/infer_request_reader.h"
#include "protocols/oip_http/codec/infer_response_writer.h"
#include "protocols/oip_http/load_metrics.h"
#include "protocols/oip_http/router.h"
#include "protocols/rest/infer_call.h"
#include "protocols/v2/region_tensors.h"

namespace inferd::oip_http {

// An inference of V2: JSON, JSON and binary tensors, or bytes only. It answers once or, if the client accepts that,
// with an event for each response of the model, whose data is V2's JSON without binary tensors.
class InferCall final : public rest::InferCall {
 public:
  InferCall(Call call, const Route& route);

 private:
  base::Status BeginWith(const net::RequestHead& head) override;
  core::VersionName Meant() const override { return {.model = model_, .version = version_}; }
  bool DecodingIsBig(size_t body_bytes) const override;
  base::Result<std::unique_ptr<core::InferRequest>> Decode(const base::BufferSlice& body) override;
  base::Status Advised(base::Status failure) const override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::HttpResponse> Encode(core::InferResponse&& response) override;
  base::Status NotOneResponse() const override;
  void OnEnd(base::StatusCode code, net::HttpResponse& answer) override;

  const Options& options_;
  const core::Catalog& catalog_;
  std::string model_;
  std::string version_;
  LoadMetrics load_metrics_;
  InferHeaders headers_;
  v2::OutputForms forms_;
  bool takes_body_ = false;      // the model itself reads the body and writes the response's
  std::string request_headers_;  // for such a model
  clientshm::Registry* const registry_;
  std::unique_ptr<v2::RegionTensors> regions_;  // null if the request names none
};

}  // namespace inferd::oip_http
