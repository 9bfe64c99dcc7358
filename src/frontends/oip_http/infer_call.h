#pragma once

#include <memory>
#include <optional>

#include "core/dispatcher.h"
#include "frontends/oip_http/call.h"
#include "frontends/oip_http/infer_headers.h"
#include "frontends/oip_http/infer_request_reader.h"
#include "frontends/oip_http/infer_response_writer.h"
#include "frontends/oip_http/router.h"
#include "v2/single_response.h"

namespace inferd::oip_http {

// One inference on its way, owned by whoever is to take the next step:
//
//   Start (loop) -> Decode (loop, or pool if big or compressed) -> Dispatch (loop) -> OnResponse (any thread)
//     -> Encode (loop, or pool if big) -> Send (loop)
//
// A step that fails answers and ends it. Never shared between threads. Small enough for the allocator's fast path (1
// KiB), so the request it came as goes from step to step beside it.
class InferCall {
 public:
  // Takes the request to its answer. Loop-bound.
  static void Start(Call call, const Route& route, net::HttpRequest&& request);

 private:
  using Owned = std::unique_ptr<InferCall>;
  struct Failure {
    base::Status status;
    int http_status = 0;  // 0: the table's
    int64_t retry_after_ms = 0;
  };

  InferCall(Call call, const Route& route);

  bool Prepare(const net::RequestHead& head);
  bool DecodeIsBig(size_t body_bytes) const;
  void Decode(const net::HttpRequest& http);
  base::Status DecodeBody(const net::HttpRequest& http);
  static void Dispatch(Owned self);
  static void OnResponse(Owned& self, core::InferResponse&& response);
  bool EncodeIsBig() const;
  void Encode();
  base::Status EncodeResponse();
  void Send();
  void Fail(base::Status status, int http_status = 0, int64_t retry_after_ms = 0);

  Call call_;
  std::string model_;
  std::string version_;
  InferHeaders headers_;
  std::shared_ptr<const core::PinnedModel> pinned_;
  std::unique_ptr<core::InferRequest> request_;
  v2::OutputForms forms_;
  v2::SingleResponse response_;
  net::HttpResponse answer_;
  std::optional<Failure> failure_;
};

}  // namespace inferd::oip_http
