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

// A request on its way through: it waits for a replica, goes there, and its answer comes back as it arrives. A replica
// that cannot be reached is left for another one. A request that may change something is sent again only where the
// replica closed a connection that was used before, and had not read the request whole. Loop-bound.
//
//   waiting --a replica has a place--> sent --head--> answering --end--> done
//   any --peer gone, too late, replica failed--> done
class ProxiedCall final : public RoutedCall, public net::upstream::Receiver {
 public:
  // `route` has `destination`.
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
  // It may be sent again.
  bool only_reads() const {
    return request_.head.method == net::Method::kGet || request_.head.method == net::Method::kHead;
  }
  bool whole_in_one() const { return length_.has_value() && *length_ <= kWholeBytesMax; }

  // Receiver.
  void OnHead(const net::upstream::ResponseHead& head) override;
  void OnBody(base::BufferSlice piece) override;
  void OnEnd() override;
  void OnFailure(net::upstream::Failure failure) override;

  // A response of known length up to this goes out at once.
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
  // For what the transport may still run after this has gone.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool done_ = false;
  bool started_ = false;  // some of the response has gone out
  bool fresh_ = false;    // it goes on a new connection
  net::HttpResponse response_;
  std::optional<uint64_t> length_;
};

}  // namespace inferd::gateway
