#include "net/grpc/responder.h"

#include <utility>

#include "net/grpc/call_sink.h"
#include "net/grpc/responder_state.h"

namespace inferd::net::grpc {

Responder::Responder() = default;
Responder::Responder(std::shared_ptr<State> state) : state_(std::move(state)) {}
Responder::~Responder() { Drop(); }
Responder::Responder(Responder&&) noexcept = default;

Responder& Responder::operator=(Responder&& other) noexcept {
  Drop();
  state_ = std::move(other.state_);
  return *this;
}

void Responder::Drop() {
  if (state_ == nullptr) return;
  Loop& loop = state_->loop();
  auto finish = [state = std::move(state_)] {
    state->Finish(base::Internal("the call was dropped without an answer"), {});
  };
  if (loop.InLoopThread()) {
    finish();
  } else {
    loop.Post(std::move(finish));
  }
}

Loop& Responder::loop() const { return state_->loop(); }

void Responder::AddInitialMetadata(std::string_view name, std::string_view value) {
  if (state_ != nullptr) state_->AddInitialMetadata(name, value);
}

void Responder::AddTrailingMetadata(std::string_view name, std::string_view value) {
  if (state_ != nullptr) state_->AddTrailingMetadata(name, value);
}

bool Responder::Write(Message&& message) { return state_ != nullptr && state_->Write(std::move(message)); }

void Responder::OnWritable(base::Task task) {
  if (state_ != nullptr) state_->OnWritable(std::move(task));
}

void Responder::Answer(Message&& message) {
  const std::shared_ptr<State> state = std::move(state_);
  if (state != nullptr) state->Answer(std::move(message));
}

void Responder::Finish(const base::Status& status, std::string_view details) {
  const std::shared_ptr<State> state = std::move(state_);
  if (state != nullptr) state->Finish(status, details);
}

void Responder::OnCancelled(base::Task task) {
  if (state_ == nullptr) return;
  if (state_->finished()) return state_->loop().Post(std::move(task));  // it was cancelled before this call
  state_->reply().OnPeerGone(std::move(task));
}

void Responder::PauseReading() {
  if (state_ != nullptr && state_->sink() != nullptr) state_->sink()->PauseReading();
}

void Responder::ResumeReading() {
  if (state_ != nullptr && state_->sink() != nullptr) state_->sink()->ResumeReading();
}

}  // namespace inferd::net::grpc
