#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "kserve/gateway/backend.h"
#include "kserve/gateway/route_table.h"
#include "kserve/gateway/routed_call.h"
#include "net/http/http.h"
#include "net/upstream/http2_exchange.h"

namespace inferd::gateway {

// Proxies a gRPC call, unary or streaming. Messages are forwarded in both directions as they arrive, and the status
// arrives in the trailers. The gateway's own errors are gRPC statuses. A call is never retried, because gRPC clients
// retry by themselves. Loop-bound.
//
//   waiting --a replica has a place--> sent --head--> answering --trailers--> done
//   any --peer gone, too late, replica failed--> done
class GrpcCall final : public RoutedCall, public net::upstream::Http2Receiver {
 public:
  // Refers to the call while it is active. The sender of the request's body uses it.
  struct Link {
    GrpcCall* call = nullptr;
  };

  // `request` has no body; `route` contains `destination`.
  GrpcCall(CallOwner& owner, std::shared_ptr<const Route> route, const Destination& destination,
           net::HttpRequest request, net::Reply reply, std::shared_ptr<Link> link);
  ~GrpcCall() override;

  void Start() override;

  // Takes a piece of the request's body as it arrives.
  void TakeBody(base::BufferSlice piece);
  void EndBody();

  // The gRPC statuses of the gateway's own errors.
  static constexpr int kDeadlineExceeded = 4;
  static constexpr int kPermissionDenied = 7;
  static constexpr int kUnimplemented = 12;
  static constexpr int kUnavailable = 14;
  static net::HttpResponse Refusal(int grpc_status, std::string_view text);

 private:
  void Send(Lease lease);
  void OnTooLate();
  void Refuse(int grpc_status, std::string_view text);
  void Done();
  void ArmTimer(std::chrono::milliseconds delay);
  void HoldClient();

  // Http2Receiver.
  void OnHead(int status, std::span<const net::upstream::FieldView> fields, bool whole) override;
  void OnBody(base::BufferSlice piece) override;
  void OnEnd(std::span<const net::upstream::FieldView> trailers) override;
  void OnFailure(net::upstream::Failure failure) override;
  void OnDrained() override;

  CallOwner& owner_;
  const std::shared_ptr<const Route> route_;
  const Destination& destination_;
  const net::HttpRequest request_;
  net::Reply reply_;
  net::Loop& loop_;
  const std::shared_ptr<Link> link_;
  net::Loop::TimerId timer_ = 0;
  std::unique_ptr<Backend::Wait> wait_;
  Lease lease_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool done_ = false;
  bool sent_ = false;
  bool started_ = false;  // part of the response has been sent
  bool held_ = false;     // the client is being throttled (back-pressure)
  // The parts of the request's body that are not sent yet.
  std::deque<base::BufferSlice> body_;
  size_t body_bytes_ = 0;
  bool body_ended_ = false;
};

}  // namespace inferd::gateway
