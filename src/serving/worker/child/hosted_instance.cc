#include "serving/worker/child/hosted_instance.h"

#include <unistd.h>

#include "base/thread_pool.h"

namespace inferd::worker {

namespace {

constexpr int64_t kIdleWaitNs = 3600LL * 1'000'000'000;

}  // namespace

HostedInstance::HostedInstance(std::unique_ptr<core::EngineInstance> instance, std::shared_ptr<ChannelMemory> memory,
                               uint64_t channel, std::shared_ptr<const BodyView> bodies, std::string thread_name)
    : instance_(std::move(instance)), bodies_(std::move(bodies)), thread_name_(std::move(thread_name)) {
  AddChannel(std::move(memory), channel);
}

HostedInstance::~HostedInstance() {
  stopping_.store(true);
  for (const auto& channel : channels_) channel->memory->header().calls.Ring();
  for (const auto& channel : channels_) channel->thread.join();
}

void HostedInstance::AddChannel(std::shared_ptr<ChannelMemory> memory, uint64_t channel) {
  std::unique_ptr<Channel> added(new Channel{.memory = memory, .execution = {memory, channel, bodies_}});
  Channel& there = *added;
  channels_.reserve(channels_.size() + 1);
  there.thread = std::thread([this, &there] { Run(there); });
  channels_.push_back(std::move(added));
}

void HostedInstance::Run(Channel& channel) {
  base::SetThreadName(thread_name_);
  ChannelHeader& header = channel.memory->header();
  header.thread.store(::gettid(), std::memory_order_release);
  Doorbell& calls = header.calls;
  uint32_t seen = 0;
  for (;;) {
    const uint32_t rung = calls.rung.load(std::memory_order_acquire);
    if (stopping_.load()) return;
    if (rung == seen) {
      calls.Wait(seen, kIdleWaitNs);
      continue;
    }
    seen = rung;
    Execute(channel);
    channel.execution.WaitUntilFinished();
  }
}

void HostedInstance::Execute(Channel& channel) {
  const uint64_t call = channel.memory->header().call_number;
  base::Status status = channel.execution.Begin();
  AwaitTurn(call);
  if (status.ok()) {
    instance_->Execute(channel.execution);
  } else {
    channel.execution.Refuse(std::move(status));
  }
  const base::MutexLock lock(mutex_);
  ++calls_;
  called_.NotifyAll();
}

void HostedInstance::AwaitTurn(uint64_t call) {
  const base::MutexLock lock(mutex_);
  while (calls_ != call) called_.Wait(mutex_);
}

}  // namespace inferd::worker
