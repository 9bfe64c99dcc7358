#pragma once

#include <memory>
#include <optional>

#include "core/dispatcher.h"
#include "frontends/tfs_http/call.h"
#include "frontends/tfs_http/router.h"
#include "net/compression/content_coding.h"
#include "v2/single_response.h"

namespace inferd::tfs_http {

// One inference on its way, owned by whoever is to take the next step:
//
//   Start (loop) -> Decode (loop, or pool if big or compressed) -> Dispatch (loop) -> OnResponse (any thread)
//     -> Encode (loop, or pool if big) -> Send (loop)
//
// A step that fails answers and ends it. Never shared between threads.
class InferCall {
 public:
  // Takes the request to its answer. Loop-bound.
  static void Start(Call call, const Route& route, net::ContentCoding coding, net::HttpRequest&& request);

 private:
  using Owned = std::unique_ptr<InferCall>;

  InferCall(Call call, const Route& route, net::ContentCoding coding, int64_t received_ns);

  void Decode(const net::HttpRequest& http);
  base::Status DecodeBody(const net::HttpRequest& http);
  base::Status ReadTensors(std::string_view body);
  static void Dispatch(Owned self);
  static void OnResponse(Owned& self, core::InferResponse&& response);
  void Encode();
  base::Result<net::HttpResponse> WriteAnswer() const;
  void Send();
  // `http_status` 0: the table's.
  void Fail(const base::Status& status, int http_status = 0, int64_t retry_after_ms = 0);

  Call call_;
  const Endpoint endpoint_;
  tfs::ModelSpec spec_;
  const net::ContentCoding coding_;  // the body's
  base::Result<std::shared_ptr<const core::PinnedModel>> pinned_;
  std::unique_ptr<core::InferRequest> request_;
  bool row_ = false;  // how the tensors of a prediction were written, and will be
  v2::SingleResponse response_;
  std::optional<net::HttpResponse> answer_;
  base::StatusCode code_ = base::StatusCode::kOk;
  int64_t received_ns_;
  int64_t dispatched_ns_ = 0;  // 0: it was not
  int64_t runtime_ns_ = 0;     // from there to the response
  int64_t rows_ = 0;           // of its first input
};

}  // namespace inferd::tfs_http
