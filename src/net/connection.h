#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/file_descriptor.h"
#include "net/connection_count.h"
#include "net/event_loop.h"
#include "net/http/session.h"
#include "net/http1/session.h"
#include "net/transport.h"

namespace inferd::net {

class Shard;

// A socket, its transport and the session that speaks on it. Loop-bound; owned by its shard, which destroys it at the
// end of the turn in which it closes.
//
//   kHandshake --TLS is up--> kOpen --session is done, output written--> kLingering --peer closes, or 2 s--> kClosed
//   any --reset, error, limit--> kClosed
//
// Lingering reads and drops what still arrives, as closing on unread bytes would reset the connection and could take
// the response from the peer.
class Connection final : public EventLoop::Watcher, public SessionHost, public http1::Successor {
 public:
  Connection(Shard& shard, HttpHandler& handler, base::FileDescriptor fd, std::unique_ptr<Transport> transport,
             std::string peer, bool tls);
  ~Connection() override;

  // False: it could not be started, and is to be destroyed.
  bool Open();
  void OnTick(int64_t now_ns);
  // Session's; a connection that shakes hands, or changes to another protocol, has them told to the session to come.
  void AnnounceDrain();
  void BeginDrain();
  // At once: OnClosed for the session, and the shard destroys this at the end of the turn.
  void Close();
  size_t requests_in_flight() const { return session_ == nullptr ? 0 : session_->in_flight(); }

  // SessionHost.
  Loop& loop() override;
  HttpHandler& handler() override { return handler_; }
  const Limits& limits() const override;
  BodyPool& bodies() override;
  std::span<std::byte> read_space() override;
  SliceWriter& writer() override;
  Reply::Target& replies() override;
  NetMetrics& metrics() override;
  std::string_view peer() const override { return peer_; }
  bool tls() const override { return tls_; }
  void WantWrite() override;
  void PauseReading() override;
  void ResumeReading() override;
  void CloseAfterWrite() override;
  void Abort() override { Close(); }

  // The shard's: where this stands in its list, and what it is counted as.
  size_t index = 0;
  ConnectionKind kind = ConnectionKind::kServing;

 private:
  enum class State { kHandshake, kOpen, kLingering, kClosed };

  // Runs out of memory by closing the connection.
  void OnReady(uint32_t epoll_events) override;
  void Handle(uint32_t epoll_events);
  void OnHttp2Preface(std::span<const std::byte> bytes) override;
  bool OnHttp2Upgrade(std::string_view settings, HttpRequest& request, std::span<const std::byte> bytes) override;

  void Handshake();
  void Read();
  void OnEof();
  void Discard();
  void Flush();
  bool WritePending();
  void Linger();
  void HandOver(std::unique_ptr<Session> session, std::span<const std::byte> bytes);
  void FinishHandOver();
  void TellOfDrain();
  void UpdateInterest();
  EventLoop& event_loop();

  Shard& shard_;
  HttpHandler& handler_;
  base::FileDescriptor fd_;
  std::unique_ptr<Transport> transport_;
  const std::string peer_;
  const bool tls_;
  State state_ = State::kHandshake;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Session> retired_;    // has handed over to session_ in this turn
  std::vector<std::byte> handed_over_;  // from retired_, for session_
  size_t retired_output_bytes_ = 0;     // of pending_, at its beginning

  std::vector<base::BufferSlice> pending_;  // taken from the session, from pending_begin_ on
  size_t pending_begin_ = 0;
  size_t pending_offset_ = 0;  // written of the first

  uint32_t interest_ = 0;
  bool paused_ = false;
  bool eof_ = false;
  bool closing_ = false;
  bool announced_ = false;
  bool draining_ = false;
  bool flush_wanted_ = false;  // Flush comes: at the end of OnReady if inside it, else of the turn
  bool in_ready_ = false;
  bool write_blocked_ = false;
  int64_t deadline_ns_ = 0;  // for the handshake and for lingering
};

}  // namespace inferd::net
