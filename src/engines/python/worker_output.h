#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "engines/python/worker_log.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// Logs the standard output and standard error of one worker process and of the processes that its model starts. Each
// line becomes a line of the server's log with the model's name, so that no model can write lines in the server's own
// name. Limits are WorkerLog's. A thread reads until the object is destroyed; all output up to then is logged.
class WorkerOutput final {
 public:
  // `title` names the worker. RESOURCE_EXHAUSTED if the system has no pipe or no thread.
  static base::Result<std::unique_ptr<WorkerOutput>> Create(const inferd_host& host, std::string title);
  ~WorkerOutput();
  WorkerOutput(const WorkerOutput&) = delete;
  WorkerOutput& operator=(const WorkerOutput&) = delete;

  // The descriptor for the worker.
  int descriptor() const { return writing_.get(); }
  // Call once the worker has the descriptor.
  void Started() { writing_.Close(); }

 private:
  WorkerOutput(const inferd_host& host, std::string title, base::FileDescriptor reading, base::FileDescriptor writing,
               base::FileDescriptor ending);
  void Run();
  // Returns false if there is nothing more to read.
  bool ReadSome();
  void Take(std::string_view bytes);
  void EndLine();

  WorkerLog log_;  // used by the thread, like line_
  const std::string title_;
  const base::FileDescriptor reading_;
  base::FileDescriptor writing_;
  const base::FileDescriptor ending_;  // readable once the object is being destroyed
  std::string line_;
  std::thread thread_;
};

}  // namespace inferd::python
