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

// A call of gRPC on its way through, unary or of streams: its messages go on as they come, both ways, and its status
// comes back in the trailers. What the gateway answers itself is a status of gRPC's. A call is sent once: clients try
// again by themselves. Loop-bound.
//
//   waiting --a replica has a place--> sent --head--> answering --trailers--> done
//   any --peer gone, too late, replica failed--> done
class GrpcCall final : public RoutedCall, public net::upstream::Http2Receiver {
 public:
  // What hands the body on knows the call by this, as long as it is not over.
  struct Link {
    GrpcCall* call = nullptr;
  };

  // `request` has no body; `route` has `destination`.
  GrpcCall(CallOwner& owner, std::shared_ptr<const Route> route, const Destination& destination,
           net::HttpRequest request, net::Reply reply, std::shared_ptr<Link> link);
  ~GrpcCall() override;

  void Start() override;

  // Of the request's body, as it comes.
  void TakeBody(base::BufferSlice piece);
  void EndBody();

  // What the gateway answers in place of a replica: one of gRPC's statuses.
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
  bool started_ = false;  // some of the response has gone out
  bool held_ = false;     // the client is asked to wait with more
  // Of the request's body, until it is sent.
  std::deque<base::BufferSlice> body_;
  size_t body_bytes_ = 0;
  bool body_ended_ = false;
};

}  // namespace inferd::gateway
