#include "serving/enginehost/transfer/staged_outputs.h"

#include <cstring>
#include <utility>

namespace inferd::enginehost {

base::Status StagedOutputs::Add(const base::BufferSlice& from, base::Buffer pinned, base::Buffer to) {
  if (!pinned) return copies_.Start(from, to, to.data());
  INFERD_RETURN_IF_ERROR(copies_.Start(from, pinned, pinned.data()));
  staged_.push_back({.pinned = std::move(pinned), .to = std::move(to), .bytes = from.size()});
  return base::OkStatus();
}

base::Status StagedOutputs::Finish() {
  base::Status status = copies_.Await();
  for (Staged& each : staged_) {
    if (status.ok()) std::memcpy(each.to.data(), each.pinned.data(), each.bytes);
  }
  staged_.clear();
  return status;
}

}  // namespace inferd::enginehost
