#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// Records a loaded model's executions, for tests of scheduling: two lines of JSON for each execution, appended to a
// file that several loads and servers may share.
//
//   {"begin":1,"load":7,"instance":0,"name":"m_0_0","place":"CPU","rows":[1,2],"ids":["a","b"],
//    "inputs":{"IN":{"shape":[3,4],"pieces":[16,32]}}}
//   {"end":1,"load":7,"code":0,"cancelled":[false,true]}
//
// `begin` and `end` number the executions of one load, which `load` identifies. An execution's end is recorded just
// before it is answered: a client that has a response finds both lines. The lines are in the order of the events.
// Thread-safe.
class BatchRecorder final {
 public:
  // INVALID_ARGUMENT if the file cannot be written.
  static base::Result<std::unique_ptr<BatchRecorder>> Open(const std::filesystem::path& file);
  ~BatchRecorder();
  BatchRecorder(const BatchRecorder&) = delete;
  BatchRecorder& operator=(const BatchRecorder&) = delete;

  void Begin(const inferd_host* host, const inferd_batch* batch, const inferd_instance& instance, int64_t number) const;
  // `code` is the status of the whole execution.
  void End(const inferd_host* host, const inferd_batch* batch, int64_t number, int32_t code) const;

 private:
  BatchRecorder(int descriptor, int64_t load) : descriptor_(descriptor), load_(load) {}
  void Write(const std::string& line) const;

  const int descriptor_;
  const int64_t load_;
};

}  // namespace inferd::fake
