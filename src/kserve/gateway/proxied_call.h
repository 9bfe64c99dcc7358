#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kserve/gateway/backend.h"
#include "kserve/gateway/route_table.h"
#include "kserve/gateway/routed_call.h"
#include "net/http/http.h"
#include "net/upstream/exchange.h"
#include "net/upstream/pool.h"

namespace inferd::gateway {

// Proxies a request: it waits for a replica, sends the request, and forwards the response as it arrives. If a replica
// is unreachable, another one is used. A request that may change state is only sent again if the replica closed a
// reused connection before it had read the whole request. Loop-bound.
//
//   waiting --a replica has a place--> sent --head--> answering --end--> done
//   any --peer gone, too late, replica failed--> done
class ProxiedCall final : public RoutedCall, public net::upstream::Receiver {
 public:
  // `route` contains `destination`.
  ProxiedCall(CallOwner& owner, std::shared_ptr<const Route> route, const Destination& destination,
              net::HttpRequest request, net::Reply reply);
  ~ProxiedCall() override;

  void Start() override;

 private:
  void TakePlace(const Replica* not_on);
  void Send(Lease lease);
  void GoElsewhere(std::string why);
  void OnTooLate();
  void Refuse(int status, std::string_view text);
  void Done();
  void ArmTimer(std::chrono::milliseconds delay);
  // True if the request may be retried.
  bool only_reads() const {
    return request_.head.method == net::Method::kGet || request_.head.method == net::Method::kHead;
  }
  bool whole_in_one() const { return length_.has_value() && *length_ <= kWholeBytesMax; }

  // Receiver.
  void OnHead(const net::upstream::ResponseHead& head) override;
  void OnBody(base::BufferSlice piece) override;
  void OnEnd() override;
  void OnFailure(net::upstream::Failure failure) override;

  // A response of known length up to this limit is sent at once.
  static constexpr uint64_t kWholeBytesMax = 64 << 10;
  static constexpr int kAttemptsMax = 3;

  CallOwner& owner_;
  const std::shared_ptr<const Route> route_;
  const Destination& destination_;
  net::HttpRequest request_;
  net::Reply reply_;
  net::Loop& loop_;
  net::Loop::TimerId timer_ = 0;
  std::unique_ptr<Backend::Wait> wait_;
  Lease lease_;
  int attempts_ = 0;
  // Callbacks that the transport runs later check this.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool done_ = false;
  bool started_ = false;  // part of the response has been sent
  bool fresh_ = false;    // use a new connection
  net::HttpResponse response_;
  std::optional<uint64_t> length_;
};

}  // namespace inferd::gateway
