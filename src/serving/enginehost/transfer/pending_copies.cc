#include "serving/enginehost/transfer/pending_copies.h"

#include <utility>

namespace inferd::enginehost {

// Returns null if no queue can do the copy.
base::Result<base::CopyQueue*> PendingCopies::QueueFor(base::MemoryPlace from, base::MemoryPlace to) {
  if (from.readable() && to.readable()) return nullptr;
  const base::MemoryPlace device = to.readable() ? from : to;
  const bool of_two_runtimes = !from.readable() && !to.readable() && from.runtime != to.runtime;
  if (of_two_runtimes || (queue_ != nullptr && device != device_)) return nullptr;
  if (queue_ != nullptr) return queue_.get();
  base::DeviceMemory* const memory = base::FindDeviceMemory(device.runtime);
  if (memory == nullptr) return nullptr;
  auto opened = memory->OpenQueue(device.device);
  if (!opened.has_value() && opened.error().code() == base::StatusCode::kUnimplemented) return nullptr;
  INFERD_RETURN_IF_ERROR(opened.has_value() ? base::OkStatus() : opened.error());
  queue_ = *std::move(opened);
  device_ = device;
  return queue_.get();
}

base::Status PendingCopies::Start(const base::BufferSlice& from, const base::Buffer& to, std::byte* at) {
  if (from.empty()) return base::OkStatus();
  INFERD_ASSIGN_OR_RETURN(base::CopyQueue* const queue, QueueFor(from.place(), to.place()));
  if (queue == nullptr) return base::CopyBytes(from.data(), from.place(), at, to.place(), from.size());
  held_.push_back(from.owner());
  held_.push_back(to);
  return queue->Start(from.data(), from.place(), at, to.place(), from.size());
}

base::Status PendingCopies::Await() {
  if (held_.empty()) return base::OkStatus();
  base::Status status = queue_->Await();
  held_.clear();
  return status;
}

}  // namespace inferd::enginehost
