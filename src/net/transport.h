#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/buffer.h"

namespace inferd::net {

// A connection's bytes on the wire: plain or TLS. Never blocks. Loop-bound.
class Transport {
 public:
  enum class State {
    kOk,
    kWantRead,   // nothing happened; try again when the descriptor is readable
    kWantWrite,  // ... writable
    kEof,        // the peer has finished sending
    kFailed,     // reset, or the input is not TLS
  };
  struct Progress {
    State state = State::kOk;
    size_t bytes = 0;  // with kOk
  };

  virtual ~Transport() = default;

  // Call until it returns kOk, before anything else.
  virtual State Handshake() = 0;
  virtual Progress Read(std::span<std::byte> space) = 0;
  // Writes from `pieces`, starting `offset` bytes into the first. It may write only some of them.
  virtual Progress Write(std::span<const base::BufferSlice> pieces, size_t offset) = 0;
  // True if bytes were read from the descriptor that Read() has not returned yet: do not wait for it to become
  // readable.
  virtual bool HasBuffered() const = 0;
  // Tells the peer that nothing more will be written.
  virtual void FinishWriting() = 0;
  // True if the handshake chose HTTP/2 (ALPN).
  virtual bool ChoseHttp2() const = 0;
  // Known once the handshake is over.
  virtual bool is_tls() const = 0;
  // Returns the reason after kFailed, if known: "certificate has expired".
  virtual std::string Failure() const { return {}; }
};

// A transport directly on a socket, which it does not own.
class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int fd) : fd_(fd) {}

  State Handshake() override { return State::kOk; }
  Progress Read(std::span<std::byte> space) override;
  Progress Write(std::span<const base::BufferSlice> pieces, size_t offset) override;
  bool HasBuffered() const override { return false; }
  void FinishWriting() override;
  bool ChoseHttp2() const override { return false; }
  bool is_tls() const override { return false; }

 private:
  const int fd_;
};

// TLS or plain, whichever the peer begins with. The handshake looks at the first byte, and leaves it in the socket.
class EitherTransport final : public Transport {
 public:
  using MakeTls = std::move_only_function<std::unique_ptr<Transport>(int fd)>;

  // `make_tls` is called once at most.
  EitherTransport(int fd, MakeTls make_tls) : fd_(fd), make_tls_(std::move(make_tls)) {}

  State Handshake() override;
  Progress Read(std::span<std::byte> space) override { return chosen_->Read(space); }
  Progress Write(std::span<const base::BufferSlice> pieces, size_t offset) override {
    return chosen_->Write(pieces, offset);
  }
  bool HasBuffered() const override { return chosen_->HasBuffered(); }
  void FinishWriting() override { chosen_->FinishWriting(); }
  bool ChoseHttp2() const override { return chosen_->ChoseHttp2(); }
  bool is_tls() const override { return chosen_->is_tls(); }
  std::string Failure() const override { return chosen_ == nullptr ? std::string() : chosen_->Failure(); }

 private:
  const int fd_;
  MakeTls make_tls_;
  std::unique_ptr<Transport> chosen_;  // null until the first byte has arrived
};

}  // namespace inferd::net
