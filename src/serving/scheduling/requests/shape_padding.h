#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// Pads variable dimensions of inputs to the next bucket, so that requests of different sizes share a batch (inferd {
// padding }). Immutable, thread-safe; copies share the rules.
class ShapePadding final {
 public:
  static constexpr size_t kRulesMax = 256;
  static constexpr size_t kBucketsMax = 256;

  ShapePadding() = default;  // no rules
  // Makes the rules. INVALID_ARGUMENT, with the rule and its field ("inferd.padding[1].dim: ..."), in these cases: the
  // signature has no such tensor or dimension; the dimension is not variable or has another rule; the input is ragged;
  // the buckets do not ascend; the value does not fit the input's datatype (BYTES allows only 0, an empty element) or
  // differs from that in the input's other rules.
  static base::Result<ShapePadding> Make(const std::vector<config::PaddedDimension>& rules,
                                         const core::ModelSignature& signature);

  bool empty() const { return rules_ == nullptr; }

  // Replaces the inputs by padded copies. Wraps the completion so that outputs that the rules name, if they have the
  // bucket's size, are cut to the request's own size: as a view if the rest is one run of bytes, otherwise as a copy.
  // Call after a split, and before the request's BatchKey is made.
  //
  // Leaves the whole request unchanged if it exceeds the largest bucket of any rule, or would exceed PaddedBytesMax.
  void Pad(core::QueuedRequest& queued) const;

 private:
  struct Output {
    std::string name;
    size_t axis = 0;
  };
  struct Rule {
    int input = 0;    // its index in the signature
    size_t axis = 0;  // including the batch dimension
    std::vector<int64_t> buckets;
    uint64_t element = 0;  // the padding value: the bits of one element
    std::vector<Output> outputs;
  };
  class Maker;
  class Cutter;

  explicit ShapePadding(std::vector<Rule> rules)
      : rules_(std::make_shared<const std::vector<Rule>>(std::move(rules))) {}

  std::shared_ptr<const std::vector<Rule>> rules_;  // null if there are none
};

}  // namespace inferd::scheduling
