#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// Fills variable dimensions of inputs up to the next bucket, so that requests of different sizes share a batch
// (inferd { padding }). Immutable, thread-safe; copies share the rules.
class ShapePadding final {
 public:
  static constexpr size_t kRulesMax = 256;
  static constexpr size_t kBucketsMax = 256;

  ShapePadding() = default;  // no rules
  // INVALID_ARGUMENT, with the rule and its field ("inferd.padding[1].dim: ..."): a rule names what the signature does
  // not have, a dimension that is not variable or is another rule's, an input that is ragged; its buckets do not
  // ascend, or its value is none of the input's datatype (for BYTES only 0: an empty element) or not that of the
  // input's other rules.
  static base::Result<ShapePadding> Make(const std::vector<config::PaddedDimension>& rules,
                                         const core::ModelSignature& signature);

  bool empty() const { return rules_ == nullptr; }

  // Replaces the inputs that are to be padded (a copy each), and wraps the completion so that the outputs named by the
  // rules are cut back to the request's own size where they have the bucket's: as a view where what is left is one run
  // of bytes, or else as a copy. Before the request's BatchKey is made, and after a split.
  //
  // The request stays as it is, whole, if it is beyond the largest bucket of any rule or would grow beyond
  // PaddedBytesMax.
  void Pad(core::QueuedRequest& queued) const;

 private:
  struct Output {
    std::string name;
    size_t axis = 0;
  };
  struct Rule {
    int input = 0;    // its index in the signature
    size_t axis = 0;  // the batch dimension counted
    std::vector<int64_t> buckets;
    uint64_t element = 0;  // what it is filled with: the bits of one element
    std::vector<Output> outputs;
  };
  class Maker;
  class Cutter;

  explicit ShapePadding(std::vector<Rule> rules)
      : rules_(std::make_shared<const std::vector<Rule>>(std::move(rules))) {}

  std::shared_ptr<const std::vector<Rule>> rules_;  // null: none
};

}  // namespace inferd::scheduling
