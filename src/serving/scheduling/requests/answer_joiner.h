#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "serving/core/request/request_trace.h"
#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// Joins the responses to the parts of a split request into one. The parts' completions share it, and the last one ends
// it. Thread-safe: parts may arrive on different threads.
//
//   waiting --Arrive(): an error--> answered with that error, the other parts are cancelled
//           --Arrive(): the last part, none failed--> answered with the joined outputs, and the parameters of all
//                                                     parts; for the same name, those of the earliest rows win
class AnswerJoiner final : public std::enable_shared_from_this<AnswerJoiner> {
 public:
  // `whole` has no inputs. Part i has the rows from i * rows_max on.
  AnswerJoiner(core::QueuedRequest whole, int64_t rows_max);

  size_t part_count() const { return responses_.size(); }
  int64_t RowsOf(size_t part) const;
  // True if the request has been answered with an error, so that the remaining parts need not run.
  bool failed() const { return failed_.load(std::memory_order_relaxed); }

  // Returns part `part` without its inputs. Its completion calls Arrive().
  core::QueuedRequest MakePart(size_t part);

 private:
  void TracePart(core::RequestTrace& whole, core::QueuedRequest& part) const;
  void Arrive(size_t part, core::InferResponse response);
  void Fail(core::InferResponse response);
  base::Result<core::InferResponse> Join();
  base::Result<core::InferTensor> JoinOutput(size_t output);
  base::Status CheckCount(const core::InferResponse& response) const;
  base::Status CheckPiece(size_t part, size_t output) const;

  core::QueuedRequest whole_;
  const int64_t rows_max_;
  const std::shared_ptr<core::CancelFlag> cancel_;  // of the parts
  core::PartTally tally_;
  std::vector<core::InferResponse> responses_;  // each written by its part alone
  std::atomic<size_t> left_;
  std::atomic<bool> failed_{false};
};

}  // namespace inferd::scheduling
