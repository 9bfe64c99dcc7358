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

// Stands between a handler and the transport: what the handler answers goes on as it is, and a success is given to the
// log when it is whole. Loop-bound; outlives the handler's Reply or is told of its end.
//
//   (made) --Open()--> the handler has a Reply --Send, End, or the Reply is dropped--> on_done
class LoggedExchange final : public net::Exchange {
 public:
  // `response`: what is known of it beforehand. `on_done` is called once, last, and may destroy this later, not inside.
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

  // Where its owner has it.
  size_t index = 0;

 private:
  // Begins to keep the response, if it is one that is logged.
  void Keep(const net::HttpResponse& response);
  void KeepPiece(const base::BufferSlice& piece);
  void Put(const net::Trailers& trailers);
  void Done();

  net::Reply outer_;
  PayloadLog& log_;
  std::optional<Payload> kept_;  // none: this response is not logged
  size_t kept_bytes_ = 0;
  bool begun_ = false;
  // For the transport, which may tell of the peer after this has gone.
  const std::shared_ptr<base::Task> peer_gone_ = std::make_shared<base::Task>();
  const std::function<void(LoggedExchange&)> on_done_;
};

}  // namespace inferd::payloadlog
