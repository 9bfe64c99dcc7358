#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "engines/fake/fake_model.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// What one answer is computed from: a whole batch, or one request's share of it. Points into the batch, which outlives
// it. Immutable.
class Part final {
 public:
  struct Input {
    uint32_t index = 0;
    int32_t datatype = INFERD_TYPE_INVALID;
    int32_t bytes_form = INFERD_BYTES_PACKED;
    std::vector<int64_t> shape;
    std::vector<inferd_memory> pieces;  // `data`: where this engine finds it (Reach)

    size_t bytes() const;
  };

  static Part WholeBatch(const inferd_batch* batch);
  // By rows where the batch's inputs are in one piece, else piece by piece.
  static Part OneRequest(const inferd_batch* batch, size_t request);

  const inferd_batch* batch() const { return batch_; }
  size_t request() const { return request_; }  // or INFERD_ALL_REQUESTS
  // Null: the requests do not bring it.
  const Input* FindInput(uint32_t index) const;

 private:
  Part(const inferd_batch* batch, size_t request) : batch_(batch), request_(request) {}

  const inferd_batch* batch_;
  size_t request_;
  std::vector<Input> inputs_;
};

// Whether `value` is among the elements of any of the batch's numeric inputs (FP16 and BF16 aside).
bool HoldsValue(const inferd_batch* batch, int64_t value);

}  // namespace inferd::fake
