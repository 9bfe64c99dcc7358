#include "worker/child/hosted_instance.h"

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
    Execute(channel.execution);
    channel.execution.WaitUntilFinished();
  }
}

void HostedInstance::Execute(HostedExecution& execution) {
  if (base::Status status = execution.Begin(); !status.ok()) return execution.Refuse(std::move(status));
  const base::MutexLock lock(executing_);
  instance_->Execute(execution);
}

}  // namespace inferd::worker
