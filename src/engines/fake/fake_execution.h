#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "engines/fake/fake_model.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// One call of a model: first the delays, holds and failures that its options and the request's parameters ask for, then
// the computation. Request parameters: `execute_delay_ms` (like the option), `hold` (a file's name, see
// FakeOptions::hold_dir), `fail_code` and `fail_message` (fail with that status).
class FakeExecution final {
 public:
  FakeExecution(const inferd_host* host, inferd_instance* instance, const inferd_batch* batch)
      : host_(host), instance_(instance), model_(instance->model), batch_(batch) {}

  // Answers the batch, or returns the status for all its requests.
  base::Status Run();
  // True if Run() found a request whose client was gone.
  bool cancelled() const { return cancelled_; }

 private:
  base::Status Delay();
  base::Status Hold();
  base::Status Prepare(int64_t number);
  base::Status FailAsAsked(int64_t number);
  bool IsToFail(int64_t number) const;
  base::Status Compute();
  base::Result<int64_t> NumberParameter(std::string_view name, int64_t max) const;
  std::string TextParameter(std::string_view name) const;

  // Both return false if nobody waits for any request (or for this request) any more.
  bool PauseAll(int64_t ms);
  bool PauseRequest(size_t request, int64_t ns);
  bool AllCancelled() const;

  const inferd_host* host_;
  inferd_instance* instance_;
  inferd_model* model_;
  const inferd_batch* batch_;
  bool cancelled_ = false;
};

// Waits for `ns`, a minute at most, or until `wanted` is false.
void PauseWhile(const std::atomic<bool>& wanted, int64_t ns);

}  // namespace inferd::fake
