#pragma once

#include <cstddef>
#include <cstdint>

#include "config/model_config.h"

namespace inferd::scheduling {

// Whether a version may run on the thread that received the request, which saves a hop to another thread: only while
// all that is known says that it is over in less time than the hop is worth. Not thread-safe.
//
//   measuring --kSamplesMin runs off the loop, mean below the limit--> open
//   open --one run over the limit--> watching --another--> closed
//   closed --pause runs off the loop, mean below the limit--> watching --kQuietRuns fast runs--> open
//
// On a busy machine most runs over the limit are a thread's that lost its core, which is no fault of the model. So the
// first only makes it watch: from then on the caller measures what the model itself has used (ThreadUsage), which costs
// a little. The pause begins at kSamplesMin and doubles, up to kPauseMax, with every slow run while it watches: a model
// that is slow at times is soon let in hardly ever. A request larger than every one that was measured to be fast runs
// off the loop too.
class InlineGate final {
 public:
  static constexpr int kSamplesMin = 16;
  static constexpr int kPauseMax = 16384;
  static constexpr int kQuietRuns = 1024;

  // `service_ns_max` 0: never open, but for kAlways, which a model's configuration may ask for at its own risk.
  explicit InlineGate(int64_t service_ns_max, config::InlineExecution mode = config::InlineExecution::kAuto)
      : mode_(mode), service_ns_max_(service_ns_max) {}

  bool Allows(size_t request_bytes) const;

  // Whether the next run on the loop is to be recorded without the time in which its thread had no core.
  bool watching() const { return watching_ && mode_ == config::InlineExecution::kAuto; }

  // An execution kept its instance's thread for `service_ns`.
  void Record(int64_t service_ns, size_t request_bytes, bool inline_run);

  int64_t service_ns_max() const { return service_ns_max_; }
  // Exponentially weighted mean, 0 before the first.
  int64_t mean_ns() const { return mean_ns_; }

 private:
  config::InlineExecution mode_;
  int64_t service_ns_max_;
  int64_t mean_ns_ = 0;
  size_t fast_bytes_max_ = 0;  // the largest request measured below the limit
  int samples_left_ = kSamplesMin;
  int pause_ = kSamplesMin;
  int fast_runs_ = 0;  // on the loop, since it watches
  bool watching_ = false;
};

}  // namespace inferd::scheduling
