#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/grpc/service.h"

// A gRPC service for tests of net/grpc and of real clients. Its messages are any bytes.
//
//   /inferd.test.Echo/Unary         the message
//   /inferd.test.Echo/ServerStream  the message as often as its first four bytes say (little-endian, at most 100000)
//   /inferd.test.Echo/ClientStream  all messages, joined
//   /inferd.test.Echo/Bidi          each message
//
// Metadata "echo-*" comes back as initial and as trailing metadata. "fail-with: <code>" ends the call with that status,
// the message kFailMessage and FailDetails; "delay-ms: <n>" puts the end of the call off.

namespace inferd::support {

inline constexpr std::string_view kFailMessage = "\xc3\xa9%\n";
// A google.rpc.Status as clients expect it there, with a detail of an unknown type.
inline std::string FailDetails(int code) {
  return {'\x08', static_cast<char>(code),
          '\x12', '\x04',
          '\xc3', '\xa9',
          '%',    '\n',
          '\x1a', '\x05',
          '\x12', '\x03',
          '\x00', '\x01',
          '\xff'};
}
inline constexpr uint32_t kCopiesMax = 100'000;

// How a call ends, by its metadata.
class EchoEnd {
 public:
  EchoEnd(const net::grpc::CallContext& context, net::grpc::Responder& responder)
      : code_(Number(context, "fail-with")), delay_ms_(Number(context, "delay-ms")) {
    for (const auto& [name, value] : context.head.headers) {
      if (!name.starts_with("echo-")) continue;
      const auto bytes = name.ends_with("-bin") ? context.FindBinary(name).value().value() : std::string(value);
      responder.AddInitialMetadata(name, bytes);
      responder.AddTrailingMetadata(name, bytes);
    }
  }

  // Answers, or fails. `message` nullptr: the messages have been written.
  void Finish(net::grpc::Responder responder, const net::grpc::Message* message) const {
    if (delay_ms_ == 0)
      return FinishNow(responder, code_, message == nullptr ? net::grpc::Message() : *message, message != nullptr);
    net::Loop& loop = responder.loop();
    loop.RunAfter(std::chrono::milliseconds(delay_ms_),
                  [responder = std::move(responder), code = code_, whole = message != nullptr,
                   copy = message == nullptr ? net::grpc::Message() : *message]() mutable {
                    FinishNow(responder, code, std::move(copy), whole);
                  });
  }

 private:
  static int Number(const net::grpc::CallContext& context, std::string_view name) {
    int number = 0;
    const std::string_view text = context.head.Find(name).value_or("");
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
  static void FinishNow(net::grpc::Responder& responder, int code, net::grpc::Message message, bool whole) {
    if (code != 0) {
      constexpr int kCodeMax = 16;
      if (code < 0 || code > kCodeMax) code = static_cast<int>(base::StatusCode::kUnknown);
      return responder.Finish({static_cast<base::StatusCode>(code), std::string(kFailMessage)}, FailDetails(code));
    }
    if (whole) return responder.Answer(std::move(message));
    responder.Finish(base::OkStatus());
  }

  int code_;
  int delay_ms_;
};

// Writes copies for as long as the client takes them.
class EchoCopies final : public std::enable_shared_from_this<EchoCopies> {
 public:
  EchoCopies(EchoEnd end, base::BufferSlice message, uint32_t copies_max, net::grpc::Responder responder)
      : end_(end), message_(std::move(message)), responder_(std::move(responder)) {
    for (size_t i = 0; i < std::min<size_t>(4, message_.size()); ++i) {
      left_ |= std::to_integer<uint32_t>(message_.data()[i]) << (8 * i);
    }
    left_ = std::min(left_, copies_max);
  }
  void Run() {
    while (left_ > 0) {
      --left_;
      net::grpc::Message copy;
      copy.push_back(message_);
      if (responder_.Write(std::move(copy))) continue;
      return responder_.OnWritable([self = shared_from_this()] { self->Run(); });
    }
    end_.Finish(std::move(responder_), nullptr);
  }

 private:
  EchoEnd end_;
  base::BufferSlice message_;
  net::grpc::Responder responder_;
  uint32_t left_ = 0;
};

class EchoJoiner final : public net::grpc::MessageReader {
 public:
  EchoJoiner(EchoEnd end, net::grpc::Responder responder) : end_(end), responder_(std::move(responder)) {}
  void OnMessage(base::BufferSlice message) override { messages_.push_back(std::move(message)); }
  void OnHalfClose() override { end_.Finish(std::move(responder_), &messages_); }

 private:
  EchoEnd end_;
  net::grpc::Responder responder_;
  net::grpc::Message messages_;
};

class EchoBidi final : public net::grpc::MessageReader {
 public:
  EchoBidi(EchoEnd end, net::grpc::Responder responder)
      : end_(end), responder_(std::make_shared<net::grpc::Responder>(std::move(responder))) {}
  void OnMessage(base::BufferSlice message) override {
    net::grpc::Message copy;
    copy.push_back(std::move(message));
    if (responder_->Write(std::move(copy))) return;
    responder_->PauseReading();
    responder_->OnWritable([responder = responder_] { responder->ResumeReading(); });
  }
  void OnHalfClose() override { end_.Finish(std::move(*responder_), nullptr); }

 private:
  EchoEnd end_;
  std::shared_ptr<net::grpc::Responder> responder_;
};

inline std::vector<net::grpc::Method> EchoMethods(uint32_t copies_max = kCopiesMax) {
  using net::grpc::CallContext;
  using net::grpc::Responder;
  std::vector<net::grpc::Method> methods(4);
  methods[0].path = "/inferd.test.Echo/Unary";
  methods[0].unary = [](CallContext context, base::BufferSlice message, Responder responder) {
    const EchoEnd end(context, responder);
    net::grpc::Message answer;
    answer.push_back(std::move(message));
    end.Finish(std::move(responder), &answer);
  };
  methods[1].path = "/inferd.test.Echo/ServerStream";
  methods[1].unary = [copies_max](CallContext context, base::BufferSlice message, Responder responder) {
    const EchoEnd end(context, responder);
    std::make_shared<EchoCopies>(end, std::move(message), copies_max, std::move(responder))->Run();
  };
  methods[2].path = "/inferd.test.Echo/ClientStream";
  methods[2].streaming = [](CallContext context, Responder responder) {
    const EchoEnd end(context, responder);
    return std::make_unique<EchoJoiner>(end, std::move(responder));
  };
  methods[3].path = "/inferd.test.Echo/Bidi";
  methods[3].streaming = [](CallContext context, Responder responder) {
    const EchoEnd end(context, responder);
    return std::make_unique<EchoBidi>(end, std::move(responder));
  };
  return methods;
}

}  // namespace inferd::support
