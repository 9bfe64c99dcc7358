#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "fuzz/require.h"
#include "net/http/http.h"

namespace inferd::fuzz {

// Sends a body back as it arrives, with trailers after its end, and sometimes pauses reading. Checks that its methods
// are called in the order that RequestSink promises.
class EchoSink final : public net::RequestSink {
 public:
  void Begin(net::BodyPool&) override {
    Require(!std::exchange(begun_, true), "a sink begun twice");
    Require(!call_->opened, "a sink opened before it is begun");
  }
  void OnBody(std::span<const std::byte> bytes) override {
    Require(begun_ && !ended_ && !call_->finished, "a body out of order");
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void OnBodyEnd() override { Require(begun_ && !std::exchange(ended_, true), "a body that ends twice"); }
  void Open(net::HttpRequest request, net::Reply reply) override {
    Require(!std::exchange(call_->opened, true), "a sink opened twice");
    Require(request.body.empty(), "a sink's request with a body");
    call_->reply = std::move(reply);
    net::HttpResponse response = net::HttpResponse::Text(200, "application/grpc", "");
    if (text_.starts_with('!')) {
      response.trailers = {{"grpc-status", "3"}};
      call_->finished = true;
      return call_->reply.Send(std::move(response));
    }
    call_->reply.Start(std::move(response));
  }
  void Proceed() override {
    Require(call_->opened && !call_->finished, "a sink goes on out of order");
    if (!text_.empty()) call_->reply.Write(base::BufferSlice(base::Buffer::CopyOf(std::exchange(text_, {}))));
    if (ended_) {
      call_->finished = true;
      return call_->reply.End({{"grpc-status", "0"}});
    }
    if (++proceeded_ % 2 == 0) return;
    call_->reply.PauseBody();
    call_->reply.loop().Post([call = call_] { call->reply.ResumeBody(); });
  }
  bool AwaitsMore() const override { return proceeded_ % 3 == 0; }

 private:
  // Shared with posted tasks, so that it outlives the sink.
  struct Call {
    net::Reply reply;
    bool opened = false;
    bool finished = false;
  };

  std::shared_ptr<Call> call_ = std::make_shared<Call>();
  std::string text_;
  bool begun_ = false;
  bool ended_ = false;
  int proceeded_ = 0;
};

}  // namespace inferd::fuzz
