#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/dispatcher.h"
#include "frontends/oip_grpc/call.h"
#include "frontends/oip_grpc/inference.h"
#include "v2/single_response.h"

namespace inferd::oip_grpc {

// One ModelInfer call on its way, owned by whoever is to take the next step:
//
//   Start (loop) -> Prepare (loop, or pool if big) -> Dispatch (loop) -> OnResponse (any thread)
//     -> Encode (loop, or pool if big) -> Send (loop)
//
// A step that fails answers and ends it. Never shared between threads.
class InferCall {
 public:
  // Takes the request to its answer. Loop-bound.
  static void Start(std::shared_ptr<const Environment> environment, net::grpc::CallContext&& context,
                    base::BufferSlice message, net::grpc::Responder responder);

 private:
  using Owned = std::unique_ptr<InferCall>;

  InferCall(std::shared_ptr<const Environment> environment, net::grpc::CallContext&& context, base::BufferSlice message,
            net::grpc::Responder responder);

  void Prepare();
  static void Dispatch(Owned self);
  static void OnResponse(Owned& self, core::InferResponse&& response);
  void Encode();
  void Send();

  Call call_;
  base::BufferSlice message_;
  const int64_t received_ns_;
  const int64_t deadline_ns_;
  std::string traceparent_;
  Forwarded forwarded_;
  const std::shared_ptr<core::CancelFlag> cancel_;
  PreparedRequest prepared_;
  std::shared_ptr<const core::PinnedModel> pinned_;
  v2::SingleResponse response_;
  net::grpc::Message answer_;
  base::Status failure_;  // not OK: the call's end
  int64_t retry_after_ms_ = 0;
};

}  // namespace inferd::oip_grpc
