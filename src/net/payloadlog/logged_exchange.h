#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/executor.h"
#include "net/http/exchange.h"
#include "net/payloadlog/payload_log.h"

namespace inferd::payloadlog {

// Stands between a handler and the transport. Forwards the handler's response unchanged, and gives a successful one to
// the log when it is complete. Loop-bound. It outlives the handler's Reply, or is told of its end.
//
//   (made) --Open()--> the handler has a Reply --Send, End, or the Reply is dropped--> on_done
class LoggedExchange final : public net::Exchange {
 public:
  // `response` has the facts known beforehand. `on_done` is called once, last. It must not destroy this object inside
  // the call, but may do so later.
  LoggedExchange(net::Reply::Target& target, net::Reply outer, PayloadLog& log, Payload response,
                 std::function<void(LoggedExchange&)> on_done);

  // Exchange.
  void Send(net::HttpResponse&& response) override;
  void Start(net::HttpResponse&& response) override;
  bool Write(base::BufferSlice piece) override;
  void End(net::Trailers trailers) override;
  void OnWritable(base::Task task) override { outer_.OnWritable(std::move(task)); }
  void OnPeerGone(base::Task task) override;
  void PauseBody() override { outer_.PauseBody(); }
  void ResumeBody() override { outer_.ResumeBody(); }
  void TellPeerGone() override;
  void Abandon() override;

  // This object's position in its owner's list.
  size_t index = 0;

 private:
  // Starts to keep the response, if it is to be logged.
  void Keep(const net::HttpResponse& response);
  void KeepPiece(const base::BufferSlice& piece);
  void Put(const net::Trailers& trailers);
  void Done();

  net::Reply outer_;
  PayloadLog& log_;
  std::optional<Payload> kept_;  // empty if this response is not logged
  size_t kept_bytes_ = 0;
  bool begun_ = false;
  // Shared with the transport, which may report the peer's end after this object is gone.
  const std::shared_ptr<base::Task> peer_gone_ = std::make_shared<base::Task>();
  const std::function<void(LoggedExchange&)> on_done_;
};

}  // namespace inferd::payloadlog
