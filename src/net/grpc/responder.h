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

// Answers one call: any number of messages, then its status. Move-only. Loop-bound; from elsewhere, loop().Post().
// Using it after the peer has gone, or the deadline has passed, does nothing. Destroyed unfinished, it answers
// INTERNAL.
class Responder final {
 public:
  class State;  // the call's outgoing side; of net/grpc alone

  Responder();
  explicit Responder(std::shared_ptr<State> state);
  ~Responder();
  Responder(Responder&&) noexcept;
  Responder& operator=(Responder&&) noexcept;

  explicit operator bool() const { return state_ != nullptr; }
  Loop& loop() const;

  // ASCII, or bytes under a name that ends in "-bin" (base64 is put on here). Initial metadata before the first
  // message.
  void AddInitialMetadata(std::string_view name, std::string_view value);
  void AddTrailingMetadata(std::string_view name, std::string_view value);

  // One message of a streamed response. False: the peer is gone, or so much waits for its window that the next message
  // should wait for OnWritable. Compressed as the client and the options allow.
  bool Write(Message&& message);
  void OnWritable(base::Task task);

  // The whole answer of a call with one response: the message, and OK.
  void Answer(Message&& message);
  // The call's end. With an error of a call that has written nothing, "Trailers-Only". The message is percent-encoded
  // as the wire has it. `details`: the bytes of a google.rpc.Status for grpc-status-details-bin; empty: none.
  void Finish(const base::Status& status, std::string_view details = {});

  // `task` runs, on the loop, if the client cancels, goes away or its deadline passes before the call is finished.
  void OnCancelled(base::Task task);

  // Stop, or go on, taking messages (streaming calls): while stopped, the client's window stays shut.
  void PauseReading();
  void ResumeReading();

 private:
  void Drop();

  std::shared_ptr<State> state_;
};

}  // namespace inferd::net::grpc
