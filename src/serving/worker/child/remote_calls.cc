#include "serving/worker/child/remote_calls.h"

#include <future>
#include <string>
#include <utility>
#include <vector>

namespace inferd::worker {

namespace {

ServerReply Failed(uint64_t number, base::Status status) {
  return {.number = number, .submitted = false, .response = {.status = std::move(status)}};
}

base::Status ServerGone() { return base::Unavailable("the server has gone"); }

}  // namespace

class RemoteCalls::Call final : public core::ModelCall {
 public:
  Call(RemoteCalls& calls, CallOrder order, core::CallAnswer answer)
      : calls_(calls),
        order_(std::move(order)),
        number_(calls.Expect([answer = std::move(answer)](ServerReply&& reply) mutable {
          answer(reply.submitted, std::move(reply.response));
        })) {}

  void Begin() override { calls_.Send({.number = number_, .order = std::move(order_)}); }
  void Cancel() override { calls_.Send({.number = number_, .order = CancelOrder()}); }
  void Taken() override { calls_.Send({.number = number_, .order = TakenOrder()}); }

 private:
  RemoteCalls& calls_;
  CallOrder order_;
  const uint64_t number_;
};

class RemoteCalls::Metric final : public core::CustomMetric {
 public:
  Metric(RemoteCalls& calls, uint64_t number) : calls_(calls), number_(number) {}
  ~Metric() override { calls_.Send({.number = number_, .order = CloseMetricOrder()}); }

  base::Result<double> Do(Change change, double value) override {
    const ServerReply reply =
        calls_.Ask({.order = ChangeMetricOrder{.metric = number_, .change = change, .value = value}});
    if (!reply.response.status.ok()) return std::unexpected(reply.response.status);
    return reply.value;
  }

 private:
  RemoteCalls& calls_;
  const uint64_t number_;
};

uint64_t RemoteCalls::Expect(Answer answer) {
  const base::MutexLock lock(mutex_);
  expected_[++last_] = std::move(answer);
  return last_;
}

void RemoteCalls::Send(const ServerOrder& order) {
  const std::string message = EncodeServerOrder(order);
  base::Status status;
  if (message.size() > ControlSocket::kMessageBytesMax) {
    status = base::ResourceExhausted("a call of " + std::to_string(message.size()) +
                                     " bytes does not fit a message to the server, which has at most " +
                                     std::to_string(ControlSocket::kMessageBytesMax));
  } else {
    const base::MutexLock lock(sending_);
    status = socket_.Send(message);
  }
  if (!status.ok()) Take(Failed(order.number, status));
}

// The answers to one call come in order: this thread alone takes them, or else the call could not be sent at all.
void RemoteCalls::Take(ServerReply&& reply) {
  Answer answer;
  {
    const base::MutexLock lock(mutex_);
    const auto found = expected_.find(reply.number);
    if (found == expected_.end()) return;
    answer = std::move(found->second);
    if (reply.response.final) expected_.erase(found);
  }
  const uint64_t number = reply.number;
  const bool final = reply.response.final;
  answer(std::move(reply));
  if (final) return;
  const base::MutexLock lock(mutex_);
  if (const auto found = expected_.find(number); found != expected_.end()) found->second = std::move(answer);
}

void RemoteCalls::Run() {
  for (;;) {
    const auto message = socket_.Receive();
    auto reply = message.has_value() ? DecodeServerReply(message->text) : std::unexpected(message.error());
    if (!reply.has_value()) break;
    Take(*std::move(reply));
  }
  std::vector<uint64_t> left;
  {
    const base::MutexLock lock(mutex_);
    for (const auto& [number, answer] : expected_) left.push_back(number);
  }
  for (const uint64_t number : left) Take(Failed(number, ServerGone()));
}

std::shared_ptr<core::ModelCall> RemoteCalls::MakeCall(core::CallOrigin origin,
                                                       std::unique_ptr<core::InferRequest> request, bool many,
                                                       core::CallAnswer answer) {
  return std::make_shared<Call>(
      *this, CallOrder{.origin = std::move(origin), .request = std::move(request), .many = many}, std::move(answer));
}

void RemoteCalls::Control(ServerOrder order, core::ControlCallback done) {
  order.number = Expect([done = std::move(done)](ServerReply&& reply) mutable { done(reply.response.status); });
  Send(order);
}

void RemoteCalls::ModelReady(std::string model, std::string version, core::ControlCallback done) {
  Control({.order = ReadyOrder{.model = std::move(model), .version = std::move(version)}}, std::move(done));
}

void RemoteCalls::Load(core::LoadCall call, core::ControlCallback done) {
  Control({.order = std::move(call)}, std::move(done));
}

void RemoteCalls::Unload(core::UnloadCall call, core::ControlCallback done) {
  Control({.order = std::move(call)}, std::move(done));
}

ServerReply RemoteCalls::Ask(ServerOrder order) {
  const auto answered = std::make_shared<std::promise<ServerReply>>();
  order.number = Expect([answered](ServerReply&& reply) { answered->set_value(std::move(reply)); });
  Send(order);
  return answered->get_future().get();
}

base::Result<std::shared_ptr<core::CustomMetric>> RemoteCalls::OpenMetric(const core::CustomMetricSpec& spec) {
  const ServerReply reply = Ask({.order = OpenMetricOrder{spec}});
  if (!reply.response.status.ok()) return std::unexpected(reply.response.status);
  return std::make_shared<Metric>(*this, reply.number);
}

}  // namespace inferd::worker
