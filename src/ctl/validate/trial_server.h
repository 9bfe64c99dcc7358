#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/system/child_process.h"
#include "ctl/v2_server.h"

namespace inferd::ctl {

// An inferd that this process starts for itself. It listens on a Unix socket in a private folder alone, and its log
// goes to a file there. The destructor ends the server and deletes the folder. The server also ends if this process
// dies.
class TrialServer final {
 public:
  // Starts inferd, which is `program`, with `options`, which name the models, and waits until it has tried to load all
  // of them. Errors: FAILED_PRECONDITION: there is no such program. UNAVAILABLE: it ended early; the text has the end
  // of its log. DEADLINE_EXCEEDED: models are still loading after `limit`. CANCELLED: an InterruptCatcher caught a
  // SIGINT.
  static base::Result<std::unique_ptr<TrialServer>> Start(const std::string& program, std::vector<std::string> options,
                                                          std::chrono::seconds limit);
  ~TrialServer();
  TrialServer(const TrialServer&) = delete;
  TrialServer& operator=(const TrialServer&) = delete;

  V2Server& api() { return *api_; }
  // A row for each version that the server has tried to load.
  const std::vector<IndexRow>& models() const { return models_; }

 private:
  explicit TrialServer(std::string folder) : folder_(std::move(folder)) {}
  base::Status Spawn(const std::string& program, std::vector<std::string> options);
  base::Status WaitForModels(std::chrono::steady_clock::time_point deadline);
  std::string LogEnd() const;

  std::string folder_;
  std::unique_ptr<base::ChildProcess> process_;
  std::unique_ptr<V2Server> api_;
  std::vector<IndexRow> models_;
};

}  // namespace inferd::ctl
