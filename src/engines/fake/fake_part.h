#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "engines/fake/fake_model.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// The inputs of one response: a whole batch, or one request's part of it. Points into the batch, which must outlive it.
// Immutable.
class Part final {
 public:
  struct Input {
    uint32_t index = 0;
    int32_t datatype = INFERD_TYPE_INVALID;
    int32_t bytes_form = INFERD_BYTES_PACKED;
    std::vector<int64_t> shape;
    std::vector<inferd_memory> pieces;  // `data` is where this engine can read it (Reach)

    size_t bytes() const;
  };

  static Part WholeBatch(const inferd_batch* batch);
  // Splits by rows if each of the batch's inputs is in one piece, else piece by piece.
  static Part OneRequest(const inferd_batch* batch, size_t request);

  const inferd_batch* batch() const { return batch_; }
  size_t request() const { return request_; }  // or INFERD_ALL_REQUESTS
  // Null if the requests do not have it.
  const Input* FindInput(uint32_t index) const;

 private:
  Part(const inferd_batch* batch, size_t request) : batch_(batch), request_(request) {}

  const inferd_batch* batch_;
  size_t request_;
  std::vector<Input> inputs_;
};

// Returns true if `value` is an element of any of the batch's numeric inputs (except FP16 and BF16).
bool HoldsValue(const inferd_batch* batch, int64_t value);

}  // namespace inferd::fake
