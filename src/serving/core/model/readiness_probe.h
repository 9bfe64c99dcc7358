#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "base/status.h"
#include "serving/core/model/catalog.h"

namespace inferd::core {

// Asks the code of a loaded model if it is ready. Returns OK, or why it is not. Blocks for some seconds at most. Never
// called concurrently.
using ReadinessCheck = std::function<base::Status()>;

// Runs a model's readiness check on its own thread, which starts when a client first asks. Only one check runs at a
// time, and all clients that ask meanwhile share its result. So frequent probes cost the model little. Thread-safe.
class ReadinessProbe final {
 public:
  // `title` is "<model>/<version>", for the log. If `logger` is null, nothing is logged.
  ReadinessProbe(ReadinessCheck check, std::string title, base::Logger* logger);
  // Waiting clients get an error: the model is being unloaded. Waits for a running check.
  ~ReadinessProbe();
  ReadinessProbe(const ReadinessProbe&) = delete;
  ReadinessProbe& operator=(const ReadinessProbe&) = delete;

  // Calls back with OK, or with UNAVAILABLE and the reason. The callback runs on the probe's thread, or on this one if
  // the thread cannot be started.
  void Ask(ControlCallback done);

 private:
  void Run();
  void Note(const base::Status& answer);

  const ReadinessCheck check_;
  const std::string title_;
  base::Logger* const logger_;
  base::Status last_;  // used by the probe's thread alone
  base::Mutex mutex_;
  base::CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<ControlCallback> waiting_ GUARDED_BY(mutex_);
  std::thread thread_ GUARDED_BY(mutex_);
};

}  // namespace inferd::core
