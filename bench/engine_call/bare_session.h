#pragma once

#include <onnxruntime_c_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/engine_call/cases.h"

namespace inferd::bench {

// A model through ONNX Runtime's C API alone, as a C program would: tensors over existing memory, the library allocates
// the outputs. Any failure ends the program. Any number of callers at a time.
class BareSession final {
 public:
  BareSession(const OrtApi& ort, OrtEnv* env, const std::string& file, const Case& what, int threads);
  ~BareSession();
  BareSession(const BareSession&) = delete;
  BareSession& operator=(const BareSession&) = delete;

  // One caller's inputs, zeros at first. Used by one thread at a time.
  class Caller final {
   public:
    Caller(const BareSession& session, int64_t rows_max);
    // With the first so many rows of each input.
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
