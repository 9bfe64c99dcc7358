// Fuzzes gRPC calls through the real handler and the echo service, over a fake transport. Calls have any headers of a
// small grammar, and any bytes, in any pieces. The pool, the loop, the clock and the client's window advance in
// between. Every call must end, each echo must equal what was sent, and every charged byte must be released.
//
// Input: bytes that select the options, then one call after the other, each as headers and steps.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "net/compression/compression.h"
#include "net/grpc/fake_call.h"
#include "tests/support/grpc_echo_service.h"

namespace inferd::fuzz {
namespace {

using net::ContentCoding;
using net::grpc::FakeCall;
using net::grpc::FakeServer;

class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  size_t Byte() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(bytes_[0]);
    bytes_.remove_prefix(1);
    return byte;
  }
  std::string_view Bytes(size_t count) {
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  template <size_t N>
  std::string Choose(const std::array<std::string_view, N>& from) {
    return std::string(from[Byte() % N]);
  }

 private:
  std::string_view bytes_;
};

constexpr std::array<std::string_view, 6> kPaths = {"/inferd.test.Echo/Unary",        "/inferd.test.Echo/ServerStream",
                                                    "/inferd.test.Echo/ClientStream", "/inferd.test.Echo/Bidi",
                                                    "/inferd.test.Echo/Other",        "//"};
constexpr std::array<std::string_view, 6> kTypes = {
    "application/grpc", "application/grpc+proto", "application/grpc;x", "application/grpc-web", "application/json", ""};
constexpr std::array<std::string_view, 8> kNames = {
    "grpc-timeout", "grpc-encoding", "grpc-accept-encoding", "echo-a", "echo-b-bin", "fail-with", "delay-ms", "x-bin"};
constexpr std::array<std::string_view, 10> kValues = {"1S",   "20m",  "0n", "gzip", "deflate",
                                                      "YQ==", "YQ,Y", "5",  "10",   "identity,deflate,gzip"};

// Returns the value of the last grpc-encoding header.
ContentCoding CodingOf(const FakeCall::Fields& fields) {
  ContentCoding coding = ContentCoding::kIdentity;
  for (const auto& [name, value] : fields) {
    if (name == "grpc-encoding") coding = net::ParseContentCoding(value).value_or(ContentCoding::kIdentity);
  }
  return coding;
}

std::string Coded(ContentCoding coding, std::string_view text) {
  const base::BufferSlice piece(base::Buffer::CopyOf(text));
  return std::string(net::Compress(coding, {&piece, 1}).value().view());
}

// Returns the decoded response messages, without the trailers of gRPC-Web.
std::vector<std::string> Answers(const FakeCall& call, ContentCoding coding) {
  std::vector<std::string> answers;
  for (const std::string& message : call.Messages()) {
    if (message.starts_with("128:")) continue;
    if (message.starts_with("0:")) {
      answers.push_back(message.substr(2));
      continue;
    }
    Require(message.starts_with("1:"), "a message with strange flags");
    const auto text =
        net::Decompress(coding, base::BufferSlice(base::Buffer::CopyOf(message.substr(2))), {.ratio_max = UINT32_MAX});
    Require(text.has_value(), "an answer cannot be decoded");
    answers.emplace_back(text->view());
  }
  return answers;
}

class Caller {
 public:
  Caller(FakeServer& server, Input& input) : server_(server), input_(input) {}

  void Call() {
    path_ = input_.Choose(kPaths);
    const std::string type = input_.Choose(kTypes);
    for (size_t fields = input_.Byte() % 4; fields > 0; --fields) {
      std::string name = input_.Choose(kNames);
      fields_.emplace_back(std::move(name),
                           input_.Byte() % 8 == 0 ? std::string(input_.Bytes(3)) : input_.Choose(kValues));
    }
    const bool http2 = input_.Byte() % 8 != 0;
    FakeCall call(server_, path_, fields_, type, net::Method::kPost, http2);
    if (call.foreign) return;
    for (size_t steps = input_.Byte() % 64; steps > 0 && !gone_; --steps) Step(call);
    if (!gone_) Settle(call);
    Check(call);
  }

 private:
  // Returns bytes to send, and records the messages in them.
  std::string Chunk(size_t kind) {
    const std::string bytes(input_.Bytes(input_.Byte()));
    if (kind == 0) {
      clean_ = false;
      return bytes;
    }
    const size_t repeat = kind == 1 ? 1 : 1 + input_.Byte();
    std::string message;
    for (size_t i = 0; i < repeat; ++i) message += bytes;
    sent_.push_back(message);
    const ContentCoding coding = CodingOf(fields_);
    if (kind == 3 && coding != ContentCoding::kIdentity) return net::grpc::Framed(Coded(coding, message), 1);
    return net::grpc::Framed(message);
  }

  void Step(FakeCall& call) {
    const size_t kind = input_.Byte() % 12;
    switch (kind) {
      case 0:
      case 1:
      case 2:
      case 3: pending_ += Chunk(kind); break;
      case 4: Send(call, input_.Byte()); break;
      case 5: Send(call, SIZE_MAX); break;
      case 6: server_.pool.Run(); break;
      case 7: server_.loop.RunPosted(); break;
      case 8: server_.loop.Advance(std::chrono::milliseconds(input_.Byte())); break;
      case 9:
        call.window_open = !call.window_open;
        if (call.window_open && call.writable) server_.loop.Post(std::exchange(call.writable, {}));
        break;
      case 10: step_ = 1 + input_.Byte(); break;
      default:
        if (input_.Byte() % 4 != 0) break;
        call.Vanish();
        gone_ = true;
    }
  }
  void Send(FakeCall& call, size_t count) {
    count = std::min(count, pending_.size());
    call.Bytes(std::string_view(pending_).substr(0, count), false, step_);
    pending_.erase(0, count);
  }

  // The client sends the rest and reads everything. After that, the call must end.
  void Settle(FakeCall& call) {
    Send(call, SIZE_MAX);
    call.End();
    call.window_open = true;
    for (int i = 0; i < 100'000 && !call.answered(); ++i) {
      server_.pool.Run();
      if (call.writable) server_.loop.Post(std::exchange(call.writable, {}));
      server_.loop.RunPosted();
      if (i % 16 == 15) server_.loop.Advance(std::chrono::milliseconds(100));
    }
    Require(call.answered(), "a call does not end");
    Require(!call.abandoned, "a call was abandoned");
  }

  void Check(const FakeCall& call) {
    if (gone_ || call.http_status != 200) return;
    const ContentCoding coding = net::ParseContentCoding(call.Header("grpc-encoding")).value();
    const std::vector<std::string> answers = Answers(call, coding);
    const bool web = call.Header("content-type").starts_with("application/grpc-web");
    const std::string status = web && call.status().empty() ? WebStatus(call) : call.status();
    Require(!status.empty(), "a call without a status");
    if (!clean_ || status != "0") return;
    if (path_.ends_with("Unary")) Require(answers == sent_, "a unary call's echo differs");
    if (path_.ends_with("Bidi")) Require(answers == sent_, "a stream's echo differs");
    if (path_.ends_with("ClientStream")) {
      std::string joined;
      for (const std::string& message : sent_) joined += message;
      Require(answers == std::vector{joined}, "the joined echo differs");
    }
    if (path_.ends_with("ServerStream")) {
      Require(std::ranges::all_of(answers, [&](const std::string& a) { return a == sent_.at(0); }), "a copy differs");
    }
  }
  static std::string WebStatus(const FakeCall& call) {
    const std::vector<std::string> messages = call.Messages();
    constexpr std::string_view kBegin = "128:grpc-status: ";
    if (messages.empty() || !messages.back().starts_with(kBegin)) return "";
    return messages.back().substr(kBegin.size(), messages.back().find('\r') - kBegin.size());
  }

  FakeServer& server_;
  Input& input_;
  std::string path_;
  FakeCall::Fields fields_;
  std::vector<std::string> sent_;
  std::string pending_;
  size_t step_ = SIZE_MAX;
  bool clean_ = true;  // true if all sent bytes are well-formed messages
  bool gone_ = false;
};

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  constexpr uint32_t kCopies = 100;
  fuzz::Input input({reinterpret_cast<const char*>(data), size});
  const size_t switches = input.Byte();
  net::grpc::FakeServer server((switches & 64) != 0 ? 5000 : uint64_t{1} << 40);
  server.options.message_bytes_max = (switches & 1) != 0 ? 1000 : 1 << 20;
  server.options.response_compression_level = (switches & 2) != 0 ? 1 : 0;
  server.options.compress_bytes_min = (switches & 4) != 0 ? 0 : 200;
  server.options.offload_compressed_bytes = (switches & 8) != 0 ? 50 : 1 << 20;
  if ((switches & 16) != 0) server.options.web_allow_origin = "*";
  std::vector<net::grpc::Method> methods = support::EchoMethods(kCopies);
  for (net::grpc::Method& method : methods) {
    if ((switches & 32) != 0)
      method.align_at = [](std::span<const std::byte> beginning) { return beginning.size() / 2; };
  }
  server.Serve(std::move(methods));
  for (int calls = 0; calls < 4 && !input.empty(); ++calls) fuzz::Caller(server, input).Call();
  server.pool.Run();
  server.loop.Advance(std::chrono::seconds(2));  // sends delayed answers
  fuzz::Require(server.loop.timers() == 0, "a timer is left");
  fuzz::Require(server.budget->used() == 0, "bytes are still charged");
  return 0;
}
