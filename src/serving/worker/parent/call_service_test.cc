#include "serving/worker/parent/call_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>

namespace inferd::worker {
namespace {

constexpr std::chrono::seconds kGuard{30};

// A call that is answered only when the test says so.
class KeptCall final : public core::ModelCall {
 public:
  explicit KeptCall(core::CallAnswer answer) : answer_(std::move(answer)) {}
  void Begin() override {}
  void Cancel() override {}
  void Taken() override {}
  void Answer() { answer_(true, {}); }

 private:
  core::CallAnswer answer_;
};

// A server in which each model is ready, or whose answers the test gives.
class FakeServer final : public core::ServerCalls {
 public:
  std::shared_ptr<core::ModelCall> MakeCall(core::CallOrigin, std::unique_ptr<core::InferRequest>, bool,
                                            core::CallAnswer answer) override {
    calls.push_back(std::make_shared<KeptCall>(std::move(answer)));
    return calls.back();
  }
  void ModelReady(std::string, std::string, core::ControlCallback done) override {
    ++asked;
    if (answers) return done(base::OkStatus());
    kept.push_back(std::move(done));
  }
  void Load(core::LoadCall, core::ControlCallback done) override {
    ++asked;
    if (answers) return done(base::OkStatus());
    kept.push_back(std::move(done));
  }
  void Unload(core::UnloadCall, core::ControlCallback done) override { done(base::OkStatus()); }
  base::Result<std::shared_ptr<core::CustomMetric>> OpenMetric(const core::CustomMetricSpec&) override {
    return std::unexpected(base::Unimplemented("no metrics"));
  }

  std::atomic<bool> answers{true};
  std::atomic<size_t> asked{0};
  std::vector<core::ControlCallback> kept;       // used by the service's thread until it has ended
  std::vector<std::shared_ptr<KeptCall>> calls;  // likewise
};

std::string Ready(uint64_t number) {
  return EncodeServerOrder({.number = number, .order = ReadyOrder{.model = "m", .version = "1"}});
}

class CallServiceTest : public ::testing::Test {
 protected:
  CallServiceTest() {
    auto pair = *ControlSocket::MakePair();
    worker_ = std::make_unique<ControlSocket>(std::move(pair.first));
    service_ = *CallService::Start(
        server_, std::move(pair.second), [](core::CallOrigin&) { return base::OkStatus(); },
        [this](const base::Status& why) { garbage_.set_value(why); },
        {.call_bytes = 4 << 20, .control_bytes = 4 << 20});
  }

  FakeServer server_;
  std::promise<base::Status> garbage_;
  std::unique_ptr<ControlSocket> worker_;
  std::unique_ptr<CallService> service_;
};

// Replies that a worker does not read take little memory, and still arrive once it reads.
TEST_F(CallServiceTest, AWorkerThatDoesNotReadIsAskedForNoMore) {
  constexpr size_t kOrders = 100'000;
  // An upper limit for the held replies plus those in the socket.
  constexpr size_t kWaitingMax = 50'000;
  std::atomic<bool> sent = false;
  std::thread sender([&] {
    for (size_t i = 0; i < kOrders && worker_->Send(Ready(i)).ok(); ++i) {
    }
    sent = true;
  });
  // Waits until nothing more is taken. A shorter wait would only weaken the test.
  pollfd room{.fd = worker_->descriptor(), .events = POLLOUT, .revents = 0};
  for (int full = 0; !sent && full < 20; full = ::poll(&room, 1, 10) == 0 ? full + 1 : 0) std::this_thread::yield();
  for (size_t i = 0; i < kOrders; ++i) {
    ASSERT_LE(server_.asked, i + kWaitingMax) << "the server reads on";
    const auto reply = worker_->ReceiveWithin(kGuard);
    ASSERT_TRUE(reply.has_value()) << i << ": " << reply.error().ToString();
    const auto read = DecodeServerReply(reply->text);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->number, i);
  }
  sender.join();
}

TEST_F(CallServiceTest, OrdersThatAreNotAnsweredAreLimited) {
  server_.answers = false;
  constexpr size_t kOrders = 2000;
  for (size_t i = 0; i < kOrders; ++i) ASSERT_TRUE(worker_->Send(Ready(i)).ok());
  const auto reply = worker_->ReceiveWithin(kGuard);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(DecodeServerReply(reply->text)->response.status.code(), base::StatusCode::kResourceExhausted);
  service_.reset();
  EXPECT_LT(server_.kept.size(), kOrders);
}

std::string Load(uint64_t number, size_t bytes) {
  core::LoadCall call{.model = "m"};
  call.files.emplace_back("f", std::string(bytes, 'x'));
  return EncodeServerOrder({.number = number, .order = std::move(call)});
}

// The files of a load call are kept until the load has ended.
TEST_F(CallServiceTest, LoadsThatAreUnderWayHaveALimitOfBytes) {
  server_.answers = false;
  constexpr size_t kLoads = 8;
  for (size_t i = 0; i < kLoads; ++i) ASSERT_TRUE(worker_->Send(Load(i, 1 << 20)).ok());
  ASSERT_TRUE(worker_->Send(Ready(kLoads)).ok());
  size_t refused = 0;
  for (;;) {
    // The question is not refused. It is never answered, since the test answers none.
    const auto reply = worker_->ReceiveWithin(refused < 5 ? kGuard : std::chrono::milliseconds(20));
    if (!reply.has_value()) break;
    const auto read = DecodeServerReply(reply->text);
    EXPECT_EQ(read->response.status.code(), base::StatusCode::kResourceExhausted);
    EXPECT_LT(read->number, kLoads);
    ++refused;
  }
  EXPECT_EQ(refused, 5u) << "three loads of 1 MiB and their names fit 4 MiB";
  service_.reset();
}

std::string Call(uint64_t number, size_t bytes) {
  CallOrder order;
  order.request = std::make_unique<core::InferRequest>();
  order.request->model_name = "m";
  core::InferTensor& input = order.request->inputs.emplace_back();
  input.name = "x";
  input.datatype = tensor::DataType::kUint8;
  input.shape = {static_cast<int64_t>(bytes)};
  input.data = base::BufferSlice(base::Buffer::CopyOf(std::string(bytes, 'x')));
  return EncodeServerOrder({.number = number, .order = std::move(order)});
}

TEST_F(CallServiceTest, CallsThatAreUnderWayHaveALimitOfBytes) {
  constexpr size_t kCalls = 4;
  for (size_t i = 0; i < kCalls; ++i) ASSERT_TRUE(worker_->Send(Call(i, 15 << 17)).ok());
  for (size_t i = 2; i < kCalls; ++i) {
    const auto reply = worker_->ReceiveWithin(kGuard);
    ASSERT_TRUE(reply.has_value());
    const auto read = DecodeServerReply(reply->text);
    EXPECT_EQ(read->number, i);
    EXPECT_FALSE(read->submitted);
    EXPECT_EQ(read->response.status.code(), base::StatusCode::kResourceExhausted);
  }
  // A call that has ended releases its bytes.
  ASSERT_EQ(server_.calls.size(), 2u);
  server_.calls[0]->Answer();
  ASSERT_TRUE(worker_->ReceiveWithin(kGuard).has_value());
  ASSERT_TRUE(worker_->Send(Call(kCalls, 15 << 17)).ok());
  ASSERT_TRUE(worker_->Send(Ready(kCalls + 1)).ok());
  const auto reply = worker_->ReceiveWithin(kGuard);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(DecodeServerReply(reply->text)->number, kCalls + 1) << "the call is under way";
}

TEST_F(CallServiceTest, JunkIsTold) {
  const std::string junk(16, '\xff');
  ASSERT_EQ(::send(worker_->descriptor(), junk.data(), junk.size(), MSG_NOSIGNAL), 16);
  auto told = garbage_.get_future();
  ASSERT_EQ(told.wait_for(kGuard), std::future_status::ready);
  EXPECT_FALSE(told.get().ok());
}

TEST_F(CallServiceTest, AMessageThatIsNoOrderIsTold) {
  ASSERT_TRUE(worker_->Send("what").ok());
  auto told = garbage_.get_future();
  ASSERT_EQ(told.wait_for(kGuard), std::future_status::ready);
  EXPECT_FALSE(told.get().ok());
}

TEST_F(CallServiceTest, TheEndOfTheSocketIsNoJunk) {
  worker_.reset();
  service_.reset();
  EXPECT_EQ(garbage_.get_future().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

}  // namespace
}  // namespace inferd::worker
