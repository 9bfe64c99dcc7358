#include "worker/child/hosted_instance.h"

#include <unistd.h>

#include "base/thread_pool.h"

namespace inferd::worker {

namespace {

constexpr int64_t kIdleWaitNs = 3600LL * 1'000'000'000;

}  // namespace

HostedInstance::HostedInstance(std::unique_ptr<core::EngineInstance> instance, std::shared_ptr<ChannelMemory> memory,
                               uint64_t channel, std::shared_ptr<const BodyView> bodies, std::string thread_name)
    : instance_(std::move(instance)),
      memory_(std::move(memory)),
      thread_name_(std::move(thread_name)),
      execution_(memory_, channel, std::move(bodies)),
      thread_([this] { Run(); }) {}

HostedInstance::~HostedInstance() {
  stopping_.store(true);
  memory_->header().calls.Ring();
  thread_.join();
}

void HostedInstance::Run() {
  base::SetThreadName(thread_name_);
  memory_->header().thread.store(::gettid(), std::memory_order_release);
  Doorbell& calls = memory_->header().calls;
  uint32_t seen = 0;
  for (;;) {
    const uint32_t rung = calls.rung.load(std::memory_order_acquire);
    if (stopping_.load()) return;
    if (rung == seen) {
      calls.Wait(seen, kIdleWaitNs);
      continue;
    }
    seen = rung;
    if (base::Status status = execution_.Begin(); status.ok()) {
      instance_->Execute(execution_);
    } else {
      execution_.Refuse(std::move(status));
    }
    execution_.WaitUntilFinished();
  }
}

}  // namespace inferd::worker
