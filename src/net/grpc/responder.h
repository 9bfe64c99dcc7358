#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/executor.h"
#include "base/memory/buffer_slices.h"
#include "base/status.h"
#include "net/loop/loop.h"

namespace inferd::net::grpc {

// The bytes of one message.
using Message = base::BufferSlices;

// Answers one call: any number of messages, then its status. Move-only. Loop-bound; from other threads, use
// loop().Post(). Calls do nothing after the peer has gone or the deadline has passed. If it is destroyed unfinished, it
// answers INTERNAL.
class Responder final {
 public:
  class State;  // the call's outgoing side; private to net/grpc

  Responder();
  explicit Responder(std::shared_ptr<State> state);
  ~Responder();
  Responder(Responder&&) noexcept;
  Responder& operator=(Responder&&) noexcept;

  explicit operator bool() const { return state_ != nullptr; }
  Loop& loop() const;

  // Adds ASCII metadata, or bytes under a name that ends in "-bin" (encoded to base64 here). Add initial metadata
  // before the first message.
  void AddInitialMetadata(std::string_view name, std::string_view value);
  void AddTrailingMetadata(std::string_view name, std::string_view value);

  // Writes one message of a streamed response, compressed as the client and the options allow. Returns false if the
  // peer is gone, or if so many bytes wait for its window that the next message should wait for OnWritable().
  bool Write(Message&& message);
  void OnWritable(base::Task task);

  // Sends the complete response of a call with one message, with status OK.
  void Answer(Message&& message);
  // Ends the call. An error before any message is sent as "Trailers-Only". The status message is percent-encoded here.
  // `details` are the bytes of a google.rpc.Status for grpc-status-details-bin, or empty.
  void Finish(const base::Status& status, std::string_view details = {});

  // Runs `task` on the loop if, before the call is finished, the client cancels or goes away, or the deadline passes.
  void OnCancelled(base::Task task);

  // Pauses or resumes taking messages of a streaming call. While paused, the client's window stays closed.
  void PauseReading();
  void ResumeReading();

 private:
  void Drop();

  std::shared_ptr<State> state_;
};

}  // namespace inferd::net::grpc
