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
enum class Respond { kAll, kEach, kReverse };  // the whole batch at once; request by request; last request first
enum class OutputMemory { kHost, kEngine, kTransient, kDevice, kHostDevice };
enum class InputMemory { kHost, kDevice, kEngineDevice };  // the last: in memory that this engine provides
enum class Misbehavior { kNone, kNoResponse, kDoubleResponse, kMissingOutput, kWrongSize, kWrongShape, kThrow, kDeaf };

// The options of a model of this engine, from its configuration's `parameters`. For their list see docs/fake-engine.md.
struct FakeOptions {
  Behavior behavior = Behavior::kIdentity;

  int64_t execute_delay_ms = 0;
  int64_t instance_wise_delay_multiplier = 0;  // the delay of instance i is multiplied by i * this
  int64_t creation_delay_sec = 0;

  std::filesystem::path hold_load_file;  // loading waits while it exists
  std::string fail_load;                 // if not empty, loading fails with this message
  std::string fail_execute;              // if not empty, executions fail with this message: all, or
  int64_t fail_execute_nth = 0;          // only this one (from 1), or
  int64_t fail_execute_every = 0;        // each whose number is a multiple, or
  int64_t fail_execute_value = -1;       // those with this number in an input, or
  int64_t fail_execute_requests = 0;     // those with this many requests or more

  std::filesystem::path hold_file;   // executions wait while it exists
  std::filesystem::path ready_file;  // if not empty, the model is not ready while it does not exist
  std::filesystem::path hold_dir;    // request parameter `hold` waits until this folder has a file of that name

  bool writes = false;                              // the operator allows models to write the files below
  std::filesystem::path record_batches_file;        // see BatchRecorder
  std::vector<std::string> significant_parameters;  // in addition to those of this engine
  std::vector<std::string> response_parameters;     // request parameters that responses repeat
  Respond respond = Respond::kAll;

  // As Triton's repeat and square: the model is decoupled only if its configuration says so. Otherwise it sends its
  // first response alone.
  bool streams_if_declared = false;

  // Square's options, called CUSTOM_INFER_DELAY_NS and so on.
  bool floods = false;                 // streams do not pause when they are told to
  int64_t square_infer_delay_ns = 0;   // before each response
  int64_t square_output_delay_ns = 0;  // before each response that is sent
  int64_t square_cancel_delay_ns = 0;  // before the last response of a cancelled request
  int64_t square_fail_count = 0;       // this many of the last responses fail
  int64_t square_empty_count = 0;      // this many responses after them are not sent

  bool state_grows = false;               // kImplicitState: grows with each input
  std::string trace_activity;             // recorded in the requests' traces; empty for none
  bool complete_on_thread = false;        // answer from another thread, after execute() returned
  int64_t unfinished_executions_max = 0;  // for an instance that does so; above 1, executions compute without a thread
  OutputMemory output_memory = OutputMemory::kHost;
  InputMemory input_memory = InputMemory::kHost;  // for instances on a GPU
  int32_t sequences = 0;                          // 1: responses describe their request's sequence
  Misbehavior misbehavior = Misbehavior::kNone;

  int32_t bytes_form = INFERD_BYTES_PACKED;
  int32_t one_piece = 0;
  size_t alignment = 1;
};

// Reads the options from the configuration. `backend: "identity"`, "repeat", "square", "sequence", "dyna_sequence",
// "implicit_state" and "iterative_sequence" select the behavior of Triton's small backends of these names. Parameters
// without a meaning here are added to *unknown. INVALID_ARGUMENT if a value is invalid.
base::Result<FakeOptions> ParseOptions(const inferd_load& load, std::vector<std::string>* unknown);

}  // namespace inferd::fake
