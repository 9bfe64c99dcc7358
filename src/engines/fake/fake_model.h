#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/thread_pool.h"
#include "engines/fake/batch_recorder.h"
#include "engines/fake/fake_options.h"
#include "engines/fake/fake_sequences.h"
#include "engines/fake/fake_states.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// The limit of unfinished executions of an instance whose model answers aside.
inline constexpr int32_t kStreamsMax = 16;

}  // namespace inferd::fake

// A model of the fake engine: its options, and its configuration's signature. Immutable except the count of executions;
// thread-safe.
struct inferd_model {
  // INVALID_ARGUMENT if the declared inputs and outputs do not fit the behavior, or a file cannot be written.
  static inferd::base::Result<std::unique_ptr<inferd_model>> Load(const inferd_load& load,
                                                                  std::vector<std::string>* unknown_parameters);

  const inferd_tensor_spec& input(size_t i) const { return *input_list[i]; }
  const inferd_tensor_spec& output(size_t i) const { return *output_list[i]; }
  int FindInput(std::string_view name) const;  // -1 if there is none

  inferd::fake::FakeOptions options;
  std::atomic<int64_t> executions{0};
  std::unique_ptr<const inferd::fake::BatchRecorder> recorder;  // null if nothing is recorded

  bool batches = false;  // shapes begin with the rows of a batch
  // Another thread sends the responses, while input WAIT keeps the instance. `hold_file` holds both on one thread.
  bool answers_aside = false;
  inferd_signature signature = {};
  std::vector<inferd_tensor_spec> specs;
  std::vector<std::string> names;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<const inferd_tensor_spec*> input_list;
  std::vector<const inferd_tensor_spec*> output_list;
  std::vector<inferd_text> significant_parameters;

 private:
  explicit inferd_model(inferd::fake::FakeOptions parsed) : options(std::move(parsed)) {}
  void CopySignature(const inferd_signature& declared);
  inferd::base::Status Check() const;
};

struct inferd_instance {
  inferd_model* model = nullptr;
  std::unique_ptr<inferd::fake::Accumulators> accumulators;  // for behaviors with sequences
  inferd::fake::Countdowns countdowns;
  int32_t ordinal = 0;
  std::string name;
  std::string place;    // "CPU", "GPU 1", "MODEL"
  int32_t device = -1;  // -1 on the CPU
  // The thread that answers executions; null to answer on the calling thread
  std::unique_ptr<inferd::base::ThreadPool> completer;
  // The threads that send the responses of executions with input WAIT; null before the first of them
  std::unique_ptr<inferd::base::ThreadPool> streams;
};
