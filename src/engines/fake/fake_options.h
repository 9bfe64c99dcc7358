#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

enum class Behavior {
  kIdentity,
  kAddSub,
  kRepeat,
  kSquare,
  kSequence,
  kDynaSequence,
  kImplicitState,
  kIterativeSequence
};
inline bool KeepsSequences(Behavior behavior) {
  return behavior == Behavior::kSequence || behavior == Behavior::kDynaSequence ||
         behavior == Behavior::kIterativeSequence;
}
enum class Respond { kAll, kEach, kReverse };  // whole batches at once; request by request; the last one first
enum class OutputMemory { kHost, kEngine, kTransient, kDevice, kHostDevice };
enum class InputMemory { kHost, kDevice, kEngineDevice };  // the last: in memory that this engine gives
enum class Misbehavior { kNone, kNoResponse, kDoubleResponse, kMissingOutput, kWrongSize, kWrongShape, kThrow, kDeaf };

// What a model of this engine does, from its configuration's `parameters`. docs/fake-engine.md lists them for users.
struct FakeOptions {
  Behavior behavior = Behavior::kIdentity;

  int64_t execute_delay_ms = 0;
  int64_t instance_wise_delay_multiplier = 0;  // delay of instance i is times i * this
  int64_t creation_delay_sec = 0;

  std::filesystem::path hold_load_file;  // while it exists, loading waits
  std::string fail_load;                 // not empty: loading fails with this message
  std::string fail_execute;              // not empty: executions fail with this message: all, or
  int64_t fail_execute_nth = 0;          // just this one (from 1), or
  int64_t fail_execute_every = 0;        // each whose number is a multiple, or
  int64_t fail_execute_value = -1;       // those that have this number in an input, or
  int64_t fail_execute_requests = 0;     // those with so many requests or more

  std::filesystem::path hold_file;   // while it exists, executions wait
  std::filesystem::path ready_file;  // not empty: while it does not exist, the model says that it is not ready
  std::filesystem::path hold_dir;    // request parameter `hold` waits until this folder has a file of that name

  bool writes = false;                              // the operator lets models write what follows
  std::filesystem::path record_batches_file;        // see BatchRecorder
  std::vector<std::string> significant_parameters;  // beside those that this engine has anyway
  std::vector<std::string> response_parameters;     // request parameters that responses repeat
  Respond respond = Respond::kAll;

  // Square's, under the names CUSTOM_INFER_DELAY_NS and so on.
  bool floods = false;                 // streams do not hold when they are told to
  int64_t square_infer_delay_ns = 0;   // before each response
  int64_t square_output_delay_ns = 0;  // before each that is sent
  int64_t square_cancel_delay_ns = 0;  // before the last one of a request that was cancelled
  int64_t square_fail_count = 0;       // so many of the last responses fail
  int64_t square_empty_count = 0;      // so many behind them are not sent

  bool state_grows = false;               // kImplicitState: by each input
  std::string trace_activity;             // what executions note in their requests' traces; empty: nothing
  bool complete_on_thread = false;        // answer from another thread, after execute() returned
  int64_t unfinished_executions_max = 0;  // of an instance that does so; above 1: executions compute with no thread
  OutputMemory output_memory = OutputMemory::kHost;
  InputMemory input_memory = InputMemory::kHost;  // of instances on a GPU
  int32_t sequences = 0;                          // 1: responses say what sequence their request belongs to
  Misbehavior misbehavior = Misbehavior::kNone;

  int32_t bytes_form = INFERD_BYTES_PACKED;
  int32_t one_piece = 0;
  size_t alignment = 1;
};

// What the configuration says. `backend: "identity"`, "repeat", "square", "sequence", "dyna_sequence",
// "implicit_state" and "iterative_sequence" choose the behavior of Triton's small backends of these names. Parameters
// that mean nothing here are added to *unknown. INVALID_ARGUMENT: a value is not what it can be.
base::Result<FakeOptions> ParseOptions(const inferd_load& load, std::vector<std::string>* unknown);

}  // namespace inferd::fake
