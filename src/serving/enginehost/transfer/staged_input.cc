#include "serving/enginehost/transfer/staged_input.h"

#include <algorithm>
#include <cstring>

namespace inferd::enginehost {

namespace {

// Large enough to make the driver's call negligible, small enough that the device does not wait long.
constexpr size_t kPartBytes = size_t{1} << 20;

}  // namespace

base::Status StagedInput::Add(const base::BufferSlice& piece) {
  if (!pinned_ || piece.place().kind != base::MemoryKind::kCpu) {
    INFERD_RETURN_IF_ERROR(Send());
    INFERD_RETURN_IF_ERROR(copies_.Start(piece, to_, at_));
    at_ += piece.size();
    return base::OkStatus();
  }
  for (size_t done = 0; done < piece.size();) {
    const size_t part = std::min(piece.size() - done, kPartBytes - filled_);
    std::memcpy(pinned_.data() + sent_ + filled_, piece.data() + done, part);
    done += part;
    filled_ += part;
    if (filled_ == kPartBytes) INFERD_RETURN_IF_ERROR(Send());
  }
  return base::OkStatus();
}

base::Status StagedInput::Send() {
  if (filled_ == 0) return base::OkStatus();
  INFERD_RETURN_IF_ERROR(copies_.Start({pinned_, pinned_.data() + sent_, filled_}, to_, at_));
  at_ += filled_;
  sent_ += filled_;
  filled_ = 0;
  return base::OkStatus();
}

}  // namespace inferd::enginehost
