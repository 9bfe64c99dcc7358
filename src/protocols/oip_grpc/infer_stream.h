#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include "net/grpc/service.h"
#include "protocols/call/arrived_responses.h"
#include "protocols/oip_grpc/call.h"
#include "protocols/oip_grpc/inference.h"
#include "protocols/oip_grpc/response_queue.h"
#include "serving/core/dispatcher.h"

namespace inferd::oip_grpc {

class InferStream;

// The streams of one loop. Loop-bound.
struct StreamSet {
  std::unordered_set<InferStream*> streams;
};

// One ModelStreamInfer call: many requests in flight, each with any number of responses. Responses are sent in the
// order of the requests. The exception, as in Triton, are models that give any number of responses (decoupled models).
// Their responses are sent in the order in which they arrive. They wait for no response of another kind of model, nor
// does one wait for them. Loop-bound. The life of a request:
//
//   OnMessage -> prepare (here, or on the pool if big) -> Dispatch -> OnResponse, each -> encode (here, or on the pool
//   if big) -> Send, in its turn
//
// A request whose model must be loaded for it waits for that before it is dispatched, and keeps its place in the order
// meanwhile.
//
// No message is read while one is prepared on the pool, while Options::stream_requests_max are in flight, or while the
// client does not read. A failed response has the error and the request's id. The stream continues, and so does a
// request with further responses. With metadata "triton_grpc_error: true" the first error, in the order of the
// responses, becomes the stream's status. When the stream ends, its requests are cancelled, and their responses are
// dropped. A model that gives many responses must pause while the client does not read them (core::ResponseFlow); if it
// does not, the stream ends with RESOURCE_EXHAUSTED.
class InferStream final : public net::grpc::MessageReader {
 public:
  InferStream(std::shared_ptr<const Environment> environment, std::shared_ptr<StreamSet> set,
              net::grpc::CallContext&& context, net::grpc::Responder responder);
  ~InferStream() override;

  void OnMessage(base::BufferSlice message) override;
  void OnHalfClose() override;
  // Ends the call as soon as nothing is in flight.
  void Drain();

 private:
  // A handle to the stream for other threads. `stream` is used on its loop only, and null once the stream is gone.
  struct Key {
    net::Loop& loop;
    InferStream* stream;
  };
  struct Execution;
  using Prepared = base::Result<PreparedRequest>;
  using Received = call::ArrivedResponse;

  const Options& options() const { return call_.options(); }
  void PrepareElsewhere(uint64_t request, base::BufferSlice message);
  void AwaitModel(uint64_t number, PreparedRequest prepared);
  void Dispatch(uint64_t number, Prepared prepared, std::string_view message);
  void RefuseUnprepared(uint64_t number, const base::Status& status, std::string_view message);
  void Execute(uint64_t number, PreparedRequest prepared, std::shared_ptr<const core::PinnedModel> pinned);
  static void Receive(const std::shared_ptr<Execution>& execution, core::InferResponse response);
  static void Arrive(const std::shared_ptr<Execution>& execution, Received received);
  void OnResponse(const std::shared_ptr<Execution>& execution, Received received);
  void Respond(const std::shared_ptr<Execution>& execution, Received received);
  void EncodeElsewhere(const std::shared_ptr<Execution>& execution, uint64_t place, Received received);
  StreamResponse ErrorResponse(const base::Status& status, std::string_view id,
                               const core::Parameters& parameters = {}) const;
  StreamResponse Encoded(const Execution& execution, base::Result<net::grpc::Message> message, bool final) const;
  void RefuseRequest(uint64_t number, const base::Status& status, std::string_view id);
  void Send();
  bool SendsLater();
  void UpdateReading();
  void End(const base::Status& status);

  Call call_;
  const std::shared_ptr<StreamSet> set_;
  const std::shared_ptr<Key> key_;
  const std::shared_ptr<core::CancelFlag> cancel_;  // shared by all its requests
  const int64_t deadline_ns_;
  const std::string traceparent_;
  const bool errors_end_stream_;
  const rpc::Forwarded forwarded_;
  ResponseQueue queue_;
  bool preparing_ = false;  // a message is being prepared on the pool
  bool writable_ = true;
  bool reading_ = true;
  bool half_closed_ = false;
  bool draining_ = false;
  bool ended_ = false;
  bool pausing_ = false;     // before a response, for tests (config::GrpcDelays)
  bool has_paused_ = false;  // the next response may be sent
};

}  // namespace inferd::oip_grpc
