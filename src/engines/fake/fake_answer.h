#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engines/fake/fake_model.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// One response: outputs are allocated, filled by the caller, and sent together. The model's options choose the kind of
// memory, and mistakes to make. Not thread-safe; used for one Send().
class Answer final {
 public:
  Answer(const inferd_host* host, const inferd_model* model, const inferd_batch* batch)
      : host_(host), model_(model), batch_(batch) {}
  ~Answer();
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  // Returns true if the batch wants output `index`.
  bool Wants(uint32_t index) const;

  // Returns memory for an output of `size` bytes, or null if there is none. At most 8 outputs.
  void* Add(uint32_t index, std::vector<int64_t> shape, size_t size);
  // Adds a BYTES output as elements, which must stay valid until Send().
  void AddElements(uint32_t index, std::vector<int64_t> shape, const std::vector<inferd_text>& elements);

  // If `reschedule`, the request is to be executed again.
  void Send(size_t request, bool final, bool reschedule = false);
  static void Fail(const inferd_host* host, const inferd_batch* batch, size_t request, int32_t code,
                   std::string_view message, bool final = true);

 private:
  struct Output {
    inferd_output abi = {};
    std::vector<int64_t> shape;
  };
  inferd_output& New(uint32_t index, std::vector<int64_t> shape);

  const inferd_host* host_;
  const inferd_model* model_;
  const inferd_batch* batch_;
  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<void*> transient_;
};

}  // namespace inferd::fake
