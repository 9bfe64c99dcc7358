#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "net/http/session.h"
#include "net/http1/session.h"
#include "net/pending_output.h"

namespace inferd::net {

class Connection;

// The current session of a connection: HTTP/1.1, or HTTP/2 if the handshake chose it or an HTTP/1.1 session has handed
// over. Owned by its connection. Loop-bound.
class SpokenSession final : public http1::Successor {
 public:
  // `output` is the connection's.
  SpokenSession(Connection& connection, PendingOutput& output) : connection_(connection), output_(output) {}

  // Begins the session: the transport is up, and has or has not chosen HTTP/2. Call before all methods below except the
  // drain.
  void Begin(bool http2);
  bool begun() const { return session_ != nullptr; }
  Session* operator->() const { return session_.get(); }
  // True if a hand-over happened in this turn: the new session still has to get bytes that its predecessor read, and
  // does not read.
  bool handing_over() const { return retired_ != nullptr; }
  // Reports written bytes to the session that produced them.
  void OnWritten(size_t bytes);

  // As Session's. Future sessions are told too, as soon as they exist.
  void AnnounceDrain();
  void BeginDrain();
  void TellOfDrain();

 private:
  void OnHttp2Preface(std::span<const std::byte> bytes) override;
  bool OnHttp2Upgrade(std::string_view settings, HttpRequest& request, std::span<const std::byte> bytes) override;
  void HandOver(std::unique_ptr<Session> session, std::span<const std::byte> bytes);
  void FinishHandOver();

  Connection& connection_;
  PendingOutput& output_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Session> retired_;    // has handed over to session_ in this turn
  std::vector<std::byte> handed_over_;  // from retired_, for session_
  size_t retired_output_bytes_ = 0;     // of output_, at its beginning
  bool announced_ = false;
  bool draining_ = false;
};

}  // namespace inferd::net
