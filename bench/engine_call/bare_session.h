#pragma once

#include <onnxruntime_c_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/engine_call/cases.h"

namespace inferd::bench {

// A model, called through ONNX Runtime's C API alone, as a C program would call it. Input tensors use existing memory,
// and the library allocates the outputs. Any failure ends the program. Thread-safe, with one Caller for each thread.
class BareSession final {
 public:
  BareSession(const OrtApi& ort, OrtEnv* env, const std::string& file, const Case& what, int threads);
  ~BareSession();
  BareSession(const BareSession&) = delete;
  BareSession& operator=(const BareSession&) = delete;

  // The inputs of one caller, initially zeros. Used by one thread at a time.
  class Caller final {
   public:
    Caller(const BareSession& session, int64_t rows_max);
    // Runs the model with the first `rows` rows of each input.
    void Call(int64_t rows);

    size_t row_bytes() const { return row_bytes_; }
    std::span<std::byte> input(size_t i) { return data_[i]; }

   private:
    const BareSession& session_;
    size_t row_bytes_ = 0;  // of each input
    std::vector<int64_t> dims_;
    std::vector<std::vector<std::byte>> data_;
    std::vector<const char*> input_names_, output_names_;
    std::vector<OrtValue*> inputs_, outputs_;
  };

 private:
  void Check(OrtStatus* status) const;

  const OrtApi& ort_;
  const Case& case_;
  OrtSessionOptions* options_ = nullptr;
  OrtSession* session_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
};

}  // namespace inferd::bench
