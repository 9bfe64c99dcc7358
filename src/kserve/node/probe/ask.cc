#include "kserve/node/probe/ask.h"

#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "data/wire/append.h"
#include "net/client/dial.h"
#include "net/client/http_client.h"
#include "net/client/url.h"
#include "net/event_loop.h"
#include "net/upstream/http2_pool.h"

namespace inferd::node {

namespace {

bool AnswersGet(const std::string& path, const std::string& address, std::chrono::milliseconds timeout) {
  net::HttpClient::Options options = net::HttpClient::Options::At(address);
  options.connect_timeout = options.timeout = timeout;
  const auto client = net::HttpClient::Create(std::move(options));
  if (!client.has_value()) return false;
  const auto response = (*client)->Call({.path = path});
  return response.has_value() && response->status >= 200 && response->status < 400;
}

// Returns a gRPC message: HealthCheckRequest with its field `service`.
std::string HealthRequest(const std::string& service) {
  std::string message;
  if (!service.empty()) wire::AppendBytes(1, service, &message);
  std::string frame(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) frame.push_back(static_cast<char>(message.size() >> shift));
  return frame + message;
}

// A call of grpc.health.v1.Health/Check. Sets `done` once, to whether the response was SERVING. Loop-bound.
class HealthCall final : public net::upstream::Http2Receiver {
 public:
  explicit HealthCall(std::promise<bool>& done) : done_(done) {}

  void Begin(net::upstream::Http2Pool& pool, const net::upstream::Address& address, const std::string& service) {
    const net::upstream::FieldView fields[] = {{"content-type", "application/grpc"}, {"te", "trailers"}};
    const std::string_view authority = address.family() == AF_UNIX ? "localhost" : std::string_view(address.text());
    const auto begun = pool.Begin(
        address, {.method = "POST", .path = "/grpc.health.v1.Health/Check", .authority = authority, .fields = fields},
        *this);
    if (!begun.ok()) return done_.set_value(false);
    Write(base::BufferSlice(base::Buffer::CopyOf(HealthRequest(service))));
    EndBody();
  }

 private:
  // HealthCheckResponse with its field `status`: SERVING.
  static constexpr std::string_view kServing{"\0\0\0\0\x02\x08\x01", 7};

  void OnHead(int, std::span<const net::upstream::FieldView>, bool) override {}
  void OnBody(base::BufferSlice piece) override {
    if (body_.size() <= kServing.size()) body_ += piece.view().substr(0, kServing.size() + 1);
  }
  void OnEnd(std::span<const net::upstream::FieldView>) override { done_.set_value(body_ == kServing); }
  void OnFailure(net::upstream::Failure) override { done_.set_value(false); }
  void OnDrained() override {}

  std::promise<bool>& done_;
  std::string body_;
};

bool AnswersHealthCheck(const std::string& service, const std::string& where, std::chrono::milliseconds timeout) {
  const auto address = net::upstream::Address::Parse(where);
  if (!address.has_value()) return false;
  std::promise<bool> done;
  std::future<bool> serving = done.get_future();
  std::unique_ptr<net::upstream::Http2Pool> pool;
  std::unique_ptr<HealthCall> call;
  net::EventLoop loop(0, "probe", false);
  loop.Post([&] {
    pool = std::make_unique<net::upstream::Http2Pool>(loop);
    call = std::make_unique<HealthCall>(done);
    call->Begin(*pool, *address, service);
  });
  const bool answered = serving.wait_for(timeout) == std::future_status::ready;
  std::promise<void> ended;
  loop.Post([&] {
    call.reset();
    pool.reset();
    ended.set_value();
  });
  ended.get_future().wait();
  loop.Stop();
  return answered && serving.get();
}

}  // namespace

std::string AddressAt(uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

bool TakesConnections(const std::string& address) {
  const net::HttpClient::Options options = net::HttpClient::Options::At(address);
  const auto url = net::ParseUrl(options.url);
  if (!url.has_value()) return false;
  const auto socket = net::Dial(*url, options.unix_socket);
  if (!socket.has_value()) return false;
  close(*socket);
  return true;
}

bool AnswersReady(const ReadinessProbe& probe, const std::string& address) {
  switch (probe.way) {
    case ReadinessProbe::Way::kHttp: return AnswersGet(probe.path, address, probe.timeout);
    case ReadinessProbe::Way::kGrpc: return AnswersHealthCheck(probe.service, address, probe.timeout);
    case ReadinessProbe::Way::kConnection:
    case ReadinessProbe::Way::kCommand: break;
  }
  return TakesConnections(address);
}

}  // namespace inferd::node
