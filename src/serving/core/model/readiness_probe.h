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

// Whether a loaded model's own code says that it is ready: OK, or why not. Blocks for some seconds at most. One call at
// a time.
using ReadinessCheck = std::function<base::Status()>;

// Has a model say whether it is ready, on a thread of its own, which is there once a client has asked. There is one
// check at a time, and all clients that ask meanwhile share it, so that however often a model is probed, that costs it
// little. Thread-safe.
class ReadinessProbe final {
 public:
  // `title`: "<model>/<version>", for the log. `logger` may be null: silence.
  ReadinessProbe(ReadinessCheck check, std::string title, base::Logger* logger);
  // Clients that wait are told that the model is being unloaded. Waits for a check that is under way.
  ~ReadinessProbe();
  ReadinessProbe(const ReadinessProbe&) = delete;
  ReadinessProbe& operator=(const ReadinessProbe&) = delete;

  // OK, or UNAVAILABLE with why not. On the probe's thread, or on this one, if there can be none.
  void Ask(ControlCallback done);

 private:
  void Run();
  void Note(const base::Status& answer);

  const ReadinessCheck check_;
  const std::string title_;
  base::Logger* const logger_;
  base::Status last_;  // of the probe's thread
  base::Mutex mutex_;
  base::CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<ControlCallback> waiting_ GUARDED_BY(mutex_);
  std::thread thread_ GUARDED_BY(mutex_);
};

}  // namespace inferd::core
