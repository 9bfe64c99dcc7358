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

// What one worker process, and what its model starts, writes on standard output and standard error. Each line becomes
// a line of the server's log that names the model, so that no model can write one in the server's own name. Limits are
// WorkerLog's. A thread reads, until the object is destroyed: what has been written by then is logged.
class WorkerOutput final {
 public:
  // `title`: whose output it is. RESOURCE_EXHAUSTED: the system gives no pipe or no thread.
  static base::Result<std::unique_ptr<WorkerOutput>> Create(const inferd_host& host, std::string title);
  ~WorkerOutput();
  WorkerOutput(const WorkerOutput&) = delete;
  WorkerOutput& operator=(const WorkerOutput&) = delete;

  // What the worker gets.
  int descriptor() const { return writing_.get(); }
  // Call once the worker has it.
  void Started() { writing_.Close(); }

 private:
  WorkerOutput(const inferd_host& host, std::string title, base::FileDescriptor reading, base::FileDescriptor writing,
               base::FileDescriptor ending);
  void Run();
  // False: there is nothing more.
  bool ReadSome();
  void Take(std::string_view bytes);
  void EndLine();

  WorkerLog log_;  // the thread's, as the line is
  const std::string title_;
  const base::FileDescriptor reading_;
  base::FileDescriptor writing_;
  const base::FileDescriptor ending_;  // has something to be read once this is destroyed
  std::string line_;
  std::thread thread_;
};

}  // namespace inferd::python
