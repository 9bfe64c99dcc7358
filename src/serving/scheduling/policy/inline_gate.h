#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/model/model_config.h"

namespace inferd::scheduling {

// Whether an execution may run on the thread that received its requests, which saves a hop to another thread: only
// while all that is known says that it is over in less time than the hop is worth. Not thread-safe.
//
//   measuring --kSamplesMin runs off the loop, mean below the limit--> open
//   open --one run over the limit--> watching --another, which was not paid for--> closed
//   closed --after a pause of so many runs, mean below the limit--> watching --kQuietRuns fast runs--> open
//
// Larger executions are judged by classes of sizes (2, 3-4, 5-8, ... rows), each by its own runs on the loop. One that
// has none yet is taken to cost twice what the class below does, which may go by the one below it in turn: clients may
// never send the sizes between. They come close to the limit by their nature, so that only a mean over it, or runs far
// over it, close a class for a pause. Then it is tried again; the smaller ones stay as they are.
//
// On a busy machine most runs over the limit are a thread's that lost its core, which is no fault of the model. So the
// first only makes it watch: from then on the caller measures what the model itself has used (ThreadUsage), which costs
// a little. What the loop spends on reading a request and writing its answer counts for the model: the limit grows with
// the request's bytes, so that one megabyte copied by an engine is not copied from one core's cache to another's, too.
//
// Fast runs on the loop pay for what slow ones take beyond the limit: kFastPerSlow of them for as long as the limit,
// twice as many for twice as long, and at most kQuietRuns in advance. So runs that take 130 us where the limit is 100
// us, one in a hundred, as interrupts and other machines on the same cores make them, do not close the gate: a hop for
// each of the other 99 would cost far more than those 30 us keep others waiting. One of 10 ms does.
//
// A pause begins at kSamplesMin and doubles, up to kPauseMax, with every slow run that was not paid for: a model that
// is slow at times is soon let in hardly ever. One that then has used kFarOver times the limit is let in no more. A
// request larger than every one that was measured to be fast runs off the loop too.
class InlineGate final {
 public:
  static constexpr int kSamplesMin = 16;
  static constexpr int kPauseMax = 16384;
  static constexpr int kFastPerSlow = 32;
  static constexpr int kQuietRuns = 1024;
  static constexpr int64_t kFarOver = 1000;
  // A run of several rows is slow from so many times the limit on. More than that is cut off in means.
  static constexpr int64_t kOutlier = 4;

  // About how long a loop takes to read so many bytes of a request and to write them again: less than an engine on
  // another core takes to fetch and copy them.
  static constexpr int64_t MovingNs(size_t request_bytes) {
    return static_cast<int64_t>(request_bytes / 4096) * 2000;  // two microseconds per page
  }

  // `service_ns_max` 0: never open, but for kAlways, which a model's configuration may ask for at its own risk.
  explicit InlineGate(int64_t service_ns_max, config::InlineExecution mode = config::InlineExecution::kAuto)
      : mode_(mode), service_ns_max_(service_ns_max) {}

  // Off the loop from now on, for good and in every mode: the model has held one for far longer than its runs were
  // measured to take. That is up to a request's values perhaps, which no size tells.
  void Ban() { banned_ = true; }

  // `request_bytes`: of its largest request.
  bool Allows(int64_t rows, size_t request_bytes) const;
  // As Allows(), for an execution that is only begun on the loop: however long it takes, up to a size that is quickly
  // passed on.
  bool AllowsBeginning(size_t request_bytes) const;

  // How many of so many waiting rows one execution on the loop may have; all of them if none may run there. It grows by
  // one class at a time: what nobody sent as one request is not guessed at further than that.
  int64_t RowsToTake(int64_t rows) const;

  // Whether the next run of this size on the loop is to be recorded without the time in which its thread had no core.
  bool watching(int64_t rows) const {
    return sizes_[IndexOf(rows)].watching && mode_ == config::InlineExecution::kAuto;
  }

  // An execution kept its instance's thread for `service_ns`. `request_bytes`: of its largest request.
  void Record(int64_t rows, int64_t service_ns, size_t request_bytes, bool inline_run);

  int64_t service_ns_max() const { return service_ns_max_; }

 private:
  // Executions of 2^(k-1) < rows <= 2^k.
  struct Size {
    int64_t mean_ns = 0;        // exponentially weighted, 0: not known
    uint64_t closed_until = 0;  // runs_
    int pause = kSamplesMin;
    int fast_runs = 0;  // on the loop, less those that paid for slow ones; kQuietRuns at most
    bool watching = false;
  };
  static constexpr size_t kSizes = 12;  // the last one has all that is larger

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
  int samples_left_ = kSamplesMin;  // off the loop and fast, until single rows may run there
  size_t fast_bytes_max_ = 0;       // the largest request measured below the limit
  std::array<Size, kSizes> sizes_{};
};

}  // namespace inferd::scheduling
