#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/system/file_descriptor.h"
#include "net/connection_count.h"
#include "net/connection_host.h"
#include "net/event_loop.h"
#include "net/pending_output.h"
#include "net/spoken_session.h"
#include "net/transport.h"

namespace inferd::net {

// Carries bytes between a socket, through its transport, and the session of the connection. Loop-bound. Owned by its
// shard, which destroys it at the end of the turn in which it closes.
//
//   kHandshake --TLS is up--> kOpen --session is done, output written--> kLingering --peer closes, or 2 s--> kClosed
//   any --reset, error, limit--> kClosed
//
// Lingering reads and drops further bytes. Closing with unread bytes would reset the connection, and could take the
// response from the peer.
class Connection final : public EventLoop::Watcher, public ConnectionHost {
 public:
  Connection(Shard& shard, HttpHandler& handler, base::FileDescriptor fd, std::unique_ptr<Transport> transport,
             ConnectionEnds ends, bool tls);
  ~Connection() override;

  // Returns false if the connection could not be started and must be destroyed.
  bool Open();
  void OnTick(int64_t now_ns);
  // Forwards to the session. During a handshake or a change of protocol, the future session is told.
  void AnnounceDrain() { session_.AnnounceDrain(); }
  void BeginDrain();
  // Closes at once: calls the session's OnClosed(); the shard destroys the connection at the end of the turn.
  void Close();
  size_t requests_in_flight() const { return session_.begun() ? session_->in_flight() : 0; }

  // True if the session reads and writes.
  bool open() const { return state_ == State::kOpen; }
  // True if the peer has finished sending.
  bool eof() const { return eof_; }
  EventLoop& event_loop();

  // SessionHost.
  void WantWrite() override;
  void PauseReading() override;
  void ResumeReading() override;
  void CloseAfterWrite() override;
  void Abort() override { Close(); }

  // Used by the shard: the connection's position in its list, and the kind that it is counted as.
  size_t index = 0;
  ConnectionKind kind = ConnectionKind::kServing;

 private:
  enum class State { kHandshake, kOpen, kLingering, kClosed };

  // Handles events. Closes the connection if memory runs out.
  void OnReady(uint32_t epoll_events) override;
  void Handle(uint32_t epoll_events);
  void Handshake();
  void Read();
  void OnEof();
  // For a paused connection: tells the session if the peer has finished sending after its unread bytes.
  void LookForEnd();
  // True if the end matters: a request is being executed, and its peer may leave.
  bool WatchesForEnd();
  void Discard();
  void Flush();
  bool WritePending();
  void Linger();
  void UpdateInterest();
  // Returns the events that epoll reports for a paused or ended connection.
  uint32_t PausedInterest();

  base::FileDescriptor fd_;
  std::unique_ptr<Transport> transport_;
  State state_ = State::kHandshake;
  PendingOutput output_;
  SpokenSession session_{*this, output_};

  uint32_t interest_ = 0;
  bool paused_ = false;
  bool eof_ = false;
  bool unread_ = false;  // with eof_: the end was seen behind bytes that are not read
  bool closing_ = false;
  bool flush_wanted_ = false;  // Flush is scheduled: at the end of OnReady if inside it, else of the turn
  bool in_ready_ = false;
  bool write_blocked_ = false;
  int64_t deadline_ns_ = 0;  // for the handshake and for lingering
};

}  // namespace inferd::net
