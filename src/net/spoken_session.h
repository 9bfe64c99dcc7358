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

// The session that speaks on a connection: HTTP/1.1, or HTTP/2 where the handshake chose it, or once a session of
// HTTP/1.1 has handed over to it. Owned by its connection. Loop-bound.
class SpokenSession final : public http1::Successor {
 public:
  // `output`: the connection's.
  SpokenSession(Connection& connection, PendingOutput& output) : connection_(connection), output_(output) {}

  // The transport is up, and settled on HTTP/2 or did not. Everything below is for afterwards, but for the drain.
  void Begin(bool http2);
  bool begun() const { return session_ != nullptr; }
  Session* operator->() const { return session_.get(); }
  // In this turn there was a hand-over: the session is yet to get what the one before it has read, and reads nothing.
  bool handing_over() const { return retired_ != nullptr; }
  // Session's, for the one whose bytes they were.
  void OnWritten(size_t bytes);

  // Session's; the sessions to come are told too, as soon as there is one.
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
