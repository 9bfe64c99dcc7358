#include "serving/worker/parent/call_service.h"

#include <algorithm>
#include <deque>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "base/thread_pool.h"
#include "data/tensor/raw.h"

namespace inferd::worker {

namespace {

constexpr size_t kCallsMax = 65'536;
constexpr size_t kMetricsMax = 65'536;
constexpr size_t kControlsMax = 1024;
// Controls up to this size are limited by kControlsMax alone: a question must not wait for the load of a large model.
constexpr size_t kSmallControlBytes = 16 << 10;
// While more bytes of replies wait for the worker to read them, nothing more is read from it.
constexpr size_t kReplyBytesHeld = 1 << 20;
// Responses of calls arrive even while nothing is read. A response above this limit is replaced by a short failure.
constexpr size_t kReplyBytesMax = 64 << 20;
// The memory of a reply beyond its text.
constexpr size_t kReplyOverhead = 64;

base::Status NotRead() {
  return base::ResourceExhausted("the model's worker process does not read what its calls bring");
}

base::Status TooLong() {
  return base::ResourceExhausted(
      "what a call brings does not fit a message to the model's worker process, which has at most " +
      std::to_string(ControlSocket::kMessageBytesMax) + " bytes");
}

base::Status CheckInputs(const core::InferRequest& request) {
  for (const core::InferTensor& input : request.inputs) {
    INFERD_RETURN_IF_ERROR(
        tensor::CheckRaw(input.datatype, input.shape, input.data.bytes()).WithContext("input '" + input.name + "'"));
  }
  return base::OkStatus();
}

}  // namespace

// Shared with the answers that are still outstanding.
class CallService::State final : public std::enable_shared_from_this<State> {
 public:
  State(core::ServerCalls& server, ControlSocket socket, OriginFinder find_origin, OnGarbage on_garbage, Limits limits)
      : server_(server),
        socket_(std::move(socket)),
        find_origin_(std::move(find_origin)),
        on_garbage_(std::move(on_garbage)),
        limits_(limits) {}

  void Read() {
    base::SetThreadName("worker calls");
    while (AwaitRoom()) {
      const auto message = socket_.Receive();
      auto order = message.has_value() ? DecodeServerOrder(message->text) : std::unexpected(message.error());
      if (!order.has_value()) {
        if (order.error() != ControlSocket::Gone()) on_garbage_(order.error());
        break;
      }
      order_bytes_ = message->text.size();
      std::visit([&](auto& what) { Do(order->number, what); }, order->order);
    }
    End();
  }

  void Shutdown() { socket_.Shutdown(); }

  void JoinWriter() {
    if (writer_.joinable()) writer_.join();
  }

 private:
  void Do(uint64_t number, CallOrder& order) {
    if (base::Status status = CheckCall(order); !status.ok()) {
      return Reply({.number = number, .submitted = false, .response = {.status = std::move(status)}});
    }
    auto call = server_.MakeCall(
        std::move(order.origin), std::move(order.request), order.many,
        [self = shared_from_this(), number, bytes = order_bytes_](bool submitted, core::InferResponse&& response) {
          if (response.final) self->Forget(number, bytes);
          self->Reply({.number = number, .submitted = submitted, .response = std::move(response)});
        });
    {
      const base::MutexLock lock(mutex_);
      calls_[number] = call;
      call_bytes_ += order_bytes_;
    }
    call->Begin();
  }

  base::Status CheckCall(CallOrder& order) {
    INFERD_RETURN_IF_ERROR(find_origin_(order.origin));
    INFERD_RETURN_IF_ERROR(CheckInputs(*order.request));
    const base::MutexLock lock(mutex_);
    if (calls_.size() >= kCallsMax) return base::ResourceExhausted("too many calls of models are under way");
    if (call_bytes_ > 0 && call_bytes_ + order_bytes_ > limits_.call_bytes) {
      return base::ResourceExhausted("the calls of models that are under way have " + std::to_string(call_bytes_) +
                                     " bytes, and the next one " + std::to_string(order_bytes_) + "; the limit is " +
                                     std::to_string(limits_.call_bytes));
    }
    return base::OkStatus();
  }

  void Do(uint64_t number, CancelOrder&) {
    if (const auto call = FindCall(number)) call->Cancel();
  }
  void Do(uint64_t number, TakenOrder&) {
    if (const auto call = FindCall(number)) call->Taken();
  }
  void Do(uint64_t number, ReadyOrder& order) {
    if (BeginControl(number)) server_.ModelReady(std::move(order.model), std::move(order.version), Done(number));
  }
  void Do(uint64_t number, core::LoadCall& call) {
    if (BeginControl(number)) server_.Load(std::move(call), Done(number));
  }
  void Do(uint64_t number, core::UnloadCall& call) {
    if (BeginControl(number)) server_.Unload(std::move(call), Done(number));
  }

  // Returns false, and tells the worker, if too many controls are in flight.
  bool BeginControl(uint64_t number) {
    {
      const base::MutexLock lock(mutex_);
      const bool fits = order_bytes_ <= kSmallControlBytes || control_bytes_ == 0 ||
                        control_bytes_ + order_bytes_ <= limits_.control_bytes;
      if (controls_ < kControlsMax && fits) {
        ++controls_;
        control_bytes_ += order_bytes_;
        return true;
      }
    }
    Reply({.number = number,
           .response = {.status = base::ResourceExhausted("too many models, or too large ones, are asked for, "
                                                          "loaded or unloaded at a time")}});
    return false;
  }

  void Do(uint64_t number, OpenMetricOrder& order) {
    auto opened = metrics_.size() < kMetricsMax ? server_.OpenMetric(order.spec)
                                                : std::unexpected(base::ResourceExhausted("too many metrics are open"));
    if (opened.has_value()) metrics_[number] = *std::move(opened);
    Reply({.number = number, .response = {.status = opened.has_value() ? base::OkStatus() : opened.error()}});
  }
  void Do(uint64_t number, ChangeMetricOrder& order) {
    const auto metric = metrics_.find(order.metric);
    const auto changed = metric == metrics_.end() ? std::unexpected(base::NotFound("the metric is not open"))
                                                  : metric->second->Do(order.change, order.value);
    Reply({.number = number,
           .value = changed.value_or(0),
           .response = {.status = changed.has_value() ? base::OkStatus() : changed.error()}});
  }
  void Do(uint64_t number, CloseMetricOrder&) { metrics_.erase(number); }

  core::ControlCallback Done(uint64_t number) {
    return [self = shared_from_this(), number, bytes = order_bytes_](base::Status status) {
      {
        const base::MutexLock lock(self->mutex_);
        --self->controls_;
        self->control_bytes_ -= bytes;
      }
      self->Reply({.number = number, .response = {.status = std::move(status)}});
    };
  }

  void Forget(uint64_t number, size_t bytes) {
    const base::MutexLock lock(mutex_);
    calls_.erase(number);
    call_bytes_ -= bytes;
  }

  std::shared_ptr<core::ModelCall> FindCall(uint64_t number) {
    const base::MutexLock lock(mutex_);
    const auto found = calls_.find(number);
    return found == calls_.end() ? nullptr : found->second;
  }

  // Queues a reply. On any thread; does not block.
  void Reply(const ServerReply& reply) {
    std::string message = EncodeServerReply(reply);
    if (message.size() > ControlSocket::kMessageBytesMax) {
      message =
          EncodeServerReply({.number = reply.number, .response = {.status = TooLong(), .final = reply.response.final}});
    }
    const base::MutexLock lock(mutex_);
    if (ended_) return;
    if (message.size() > kReplyOverhead && reply_bytes_ + message.size() > kReplyBytesMax) {
      message =
          EncodeServerReply({.number = reply.number, .response = {.status = NotRead(), .final = reply.response.final}});
    }
    reply_bytes_ += message.size() + kReplyOverhead;
    replies_.push_back(std::move(message));
    if (!writer_.joinable()) StartWriter();
    changed_.NotifyAll();
  }

  // Waits until the worker has read enough of the replies. Returns false if the service has ended.
  bool AwaitRoom() {
    base::MutexLock lock(mutex_);
    while (!ended_ && reply_bytes_ > kReplyBytesHeld) changed_.Wait(mutex_);
    return !ended_;
  }

  // Without the thread, nothing can be answered: the end of the socket tells the models.
  void StartWriter() REQUIRES(mutex_) {
    try {
      writer_ = std::thread([self = this] { self->Write(); });
    } catch (const std::system_error&) {
      socket_.Shutdown();
    }
  }

  void Write() {
    base::SetThreadName("worker answers");
    base::MutexLock lock(mutex_);
    for (;;) {
      while (replies_.empty() && !ended_) changed_.Wait(mutex_);
      if (ended_) return;
      const std::string message = std::move(replies_.front());
      replies_.pop_front();
      lock.unlock();
      static_cast<void>(socket_.Send(message));
      lock.lock();
      reply_bytes_ -= std::min(reply_bytes_, message.size() + kReplyOverhead);
      changed_.NotifyAll();
    }
  }

  void End() {
    // Wakes a writer thread that is blocked because the process reads no more.
    socket_.Shutdown();
    metrics_.clear();
    std::unordered_map<uint64_t, std::shared_ptr<core::ModelCall>> left;
    {
      const base::MutexLock lock(mutex_);
      ended_ = true;
      replies_.clear();
      reply_bytes_ = 0;
      left.swap(calls_);
      changed_.NotifyAll();
    }
    for (const auto& [number, call] : left) call->Cancel();
  }

  core::ServerCalls& server_;
  ControlSocket socket_;
  const OriginFinder find_origin_;
  const OnGarbage on_garbage_;
  const Limits limits_;
  std::unordered_map<uint64_t, std::shared_ptr<core::CustomMetric>> metrics_;  // reader thread only
  size_t order_bytes_ = 0;                                                     // reader thread only: message size
  base::Mutex mutex_;
  base::CondVar changed_;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::unordered_map<uint64_t, std::shared_ptr<core::ModelCall>> calls_ GUARDED_BY(mutex_);
  size_t call_bytes_ GUARDED_BY(mutex_) = 0;     // of the messages of calls_
  size_t controls_ GUARDED_BY(mutex_) = 0;       // in flight
  size_t control_bytes_ GUARDED_BY(mutex_) = 0;  // of their messages
  std::deque<std::string> replies_ GUARDED_BY(mutex_);
  size_t reply_bytes_ GUARDED_BY(mutex_) = 0;  // of replies_, and of the one being sent
  std::thread writer_;                         // begins with the first reply; ended by End()
};

base::Result<std::unique_ptr<CallService>> CallService::Start(core::ServerCalls& server, ControlSocket socket,
                                                              OriginFinder find_origin, OnGarbage on_garbage,
                                                              Limits limits) {
  auto state =
      std::make_shared<State>(server, std::move(socket), std::move(find_origin), std::move(on_garbage), limits);
  try {
    return std::unique_ptr<CallService>(new CallService(std::move(state)));
  } catch (const std::system_error& error) {
    return std::unexpected(base::ResourceExhausted(std::string("no thread for a worker process: ") + error.what()));
  }
}

CallService::CallService(std::shared_ptr<State> state)
    : state_(std::move(state)), reader_([shared = state_] { shared->Read(); }) {}

CallService::~CallService() {
  state_->Shutdown();
  reader_.join();
  state_->JoinWriter();
}

}  // namespace inferd::worker
