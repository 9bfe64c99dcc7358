#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/grpc/fake_call.h"

namespace inferd::net::grpc {

// A handler with a unary and a streaming method that log their calls in `log_` and leave the answer to the test.
class CallFixture : public ::testing::Test {
 protected:
  // "/t.T/Unary" keeps its arguments; "/t.T/Stream" has a reader that logs.
  void Serve(std::unique_ptr<HttpHandler> fallback = nullptr) {
    std::vector<Method> methods;
    methods.push_back({.path = "/t.T/Unary",
                       .unary =
                           [this](CallContext context, base::BufferSlice message, Responder responder) {
                             log_ += "call " + std::string(message.view()) + ";";
                             context_ = std::move(context);
                             responder_ = std::move(responder);
                             if (echo_) responder_.Answer(MessageOf(message.view()));
                           },
                       .admit = [this](const RequestHead&) { return admitted_; }});
    methods.push_back({.path = "/t.T/Stream",
                       .streaming = [this](CallContext context, Responder responder) -> std::unique_ptr<MessageReader> {
                         context_ = std::move(context);
                         responder_ = std::move(responder);
                         return std::make_unique<Reader>(*this);
                       },
                       .message_bytes_max = 100,
                       .on_drain = [this] { log_ += "drain;"; }});
    server_.Serve(std::move(methods), std::move(fallback));
  }

  class Reader final : public MessageReader {
   public:
    explicit Reader(CallFixture& test) : test_(test) {}
    ~Reader() override { test_.log_ += "gone;"; }
    void OnMessage(base::BufferSlice message) override {
      test_.log_ += std::string(message.view()) + ";";
      if (message.view() == "pause") test_.responder_.PauseReading();
      if (message.view() == "finish") test_.responder_.Finish(base::Status());
    }
    void OnHalfClose() override { test_.log_ += "half;"; }

   private:
    CallFixture& test_;
  };

  std::string log_;  // readers write into it when they are destroyed, with the loop at the latest
  FakeServer server_;
  base::Status admitted_;
  bool echo_ = false;
  CallContext context_;
  Responder responder_;
};

}  // namespace inferd::net::grpc
