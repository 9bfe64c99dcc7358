#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/model/model_config.h"

namespace inferd::scheduling {

// Decides whether an execution may run on the thread that received its requests, which saves a hop to another thread.
// Allows it only while all measurements say that the execution takes less time than the hop is worth. Not thread-safe.
//
//   measuring --kSamplesMin runs off the loop, mean below the limit--> open
//   open --one run over the limit--> watching --another, which was not paid for--> closed
//   closed --after a pause of so many runs, mean below the limit--> watching --kQuietRuns fast runs--> open
//
// Larger executions are judged by size class (2, 3-4, 5-8, ... rows), each by its own runs on the loop. A class without
// runs is assumed to cost twice as much as the class below it, which may itself be such an estimate: clients may never
// send the sizes between. Large executions are close to the limit by nature. So only a mean over the limit, or runs far
// over it, close their class, for a pause. Then the class is tried again. Smaller classes are not affected.
//
// On a busy machine, most runs over the limit are those of a thread that lost its core, which is not the model's fault.
// So the first slow run only starts watching: from then on, the caller measures the CPU time that the model itself used
// (ThreadUsage), which costs a little. The time that the loop spends on reading the request and writing its response
// counts in the model's favour. So the limit grows with the request's bytes: an engine that copies one megabyte here
// does not fetch it from another core's cache.
//
// Fast runs on the loop pay for the time that slow ones take beyond the limit: kFastPerSlow of them pay for one limit
// of excess, twice as many for two, and at most kQuietRuns are saved up. Take a limit of 100 us and one run in a
// hundred that takes 130 us, because of interrupts or other machines on the same cores. Such runs do not close the
// gate: a hop for each of the other 99 would cost far more than the 30 us for which others wait. One run of 10 ms does
// close it.
//
// A pause begins at kSamplesMin and doubles, up to kPauseMax, with every slow run that was not paid for. So a model
// that is slow now and then is soon hardly ever let in. A watched run that uses kFarOver times the limit bans the model
// for good. A request that is larger than every one measured as fast also runs off the loop.
class InlineGate final {
 public:
  static constexpr int kSamplesMin = 16;
  static constexpr int kPauseMax = 16384;
  static constexpr int kFastPerSlow = 32;
  static constexpr int kQuietRuns = 1024;
  static constexpr int64_t kFarOver = 1000;
  // A run of several rows counts as slow from this many times the limit on. Means clip larger values.
  static constexpr int64_t kOutlier = 4;

  // Returns roughly how long a loop takes to read this many bytes of a request and write them again. An engine on
  // another core takes longer to fetch and copy them.
  static constexpr int64_t MovingNs(size_t request_bytes) {
    return static_cast<int64_t>(request_bytes / 4096) * 2000;  // two microseconds per page
  }

  // With `service_ns_max` 0 the gate is never open, except with kAlways, which a model's configuration may set at its
  // own risk.
  explicit InlineGate(int64_t service_ns_max, config::InlineExecution mode = config::InlineExecution::kAuto)
      : mode_(mode), service_ns_max_(service_ns_max) {}

  // Keeps the model off the loop from now on, for good and in every mode: an execution has held a loop far longer than
  // the measured runs took. The cause may be a request's values, which no size shows.
  void Ban() { banned_ = true; }

  // Returns true if the execution may run on the loop. `request_bytes` is the size of its largest request.
  bool Allows(int64_t rows, size_t request_bytes) const;
  // As Allows(), for an execution that is only begun on the loop. Its duration does not matter; its requests must be
  // small enough to be passed on quickly.
  bool AllowsBeginning(size_t request_bytes) const;

  // Returns how many of `rows` waiting rows one execution on the loop may have. Returns `rows` if none may run there.
  // The result is at most one class above the measured ones: beyond that, nothing is known.
  int64_t RowsToTake(int64_t rows) const;

  // Returns true if the next run of this size on the loop must be recorded without the time in which its thread had no
  // core.
  bool watching(int64_t rows) const {
    return sizes_[IndexOf(rows)].watching && mode_ == config::InlineExecution::kAuto;
  }

  // Records that an execution kept its instance's thread for `service_ns`. `request_bytes` is the size of its largest
  // request.
  void Record(int64_t rows, int64_t service_ns, size_t request_bytes, bool inline_run);

  int64_t service_ns_max() const { return service_ns_max_; }

 private:
  // The executions with 2^(k-1) < rows <= 2^k.
  struct Size {
    int64_t mean_ns = 0;        // exponentially weighted; 0 if unknown
    uint64_t closed_until = 0;  // runs_
    int pause = kSamplesMin;
    int fast_runs = 0;  // on the loop, less those that paid for slow ones; at most kQuietRuns
    bool watching = false;
  };
  static constexpr size_t kSizes = 12;  // the last one includes all larger sizes

  static size_t IndexOf(int64_t rows);
  bool Open(size_t index) const;
  int64_t ExpectedNs(size_t index) const;
  bool NextToMeasured(size_t index) const;
  void RecordFast(size_t index, size_t request_bytes, bool inline_run);
  bool Pay(Size& size, int64_t service_ns) const;
  void Close(size_t index);

  config::InlineExecution mode_;
  int64_t service_ns_max_;
  bool banned_ = false;
  uint64_t runs_ = 0;               // of any size
  int samples_left_ = kSamplesMin;  // fast runs off the loop that are still needed before single rows may run there
  size_t fast_bytes_max_ = 0;       // the largest request measured below the limit
  std::array<Size, kSizes> sizes_{};
};

}  // namespace inferd::scheduling
