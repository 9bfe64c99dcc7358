#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "engines/forest/evaluate/contributions.h"
#include "engines/forest/evaluate/evaluator.h"
#include "engines/forest/model/forest.h"
#include "engines/forest/plugin/feature_table.h"
#include "engines/forest/plugin/forest_signature.h"
#include "engines/forest/plugin/row_threads.h"
#include "inferd/engine_abi.h"

namespace inferd::forest {

// A loaded forest that all instances share. Immutable; thread-safe.
class ForestModel final {
 public:
  // NOT_FOUND if there is no model file. INVALID_ARGUMENT if it cannot be read exactly, or its configuration does not
  // fit.
  static base::Result<std::unique_ptr<ForestModel>> Load(const inferd_host& host, const inferd_load& load);

  const inferd_signature* signature() const { return signature_.abi(); }
  const inferd_host& host() const { return host_; }
  const Forest& forest() const { return *forest_; }  // its trees may have no nodes
  const ForestSignature& tensors() const { return signature_; }
  const FeatureNames& features() const { return features_; }
  const RowThreads& threads() const { return threads_; }
  const Evaluator& evaluator() const { return *evaluator_; }  // for rows of evaluated() numbers
  Precision evaluated() const { return evaluated_; }
  const Contributions* contributions() const { return contributions_.get(); }  // null if no output has any

 private:
  // Frees the parts of `forest` that are not needed any more.
  ForestModel(const inferd_host& host, const std::shared_ptr<Forest>& forest, ForestSignature signature,
              std::unique_ptr<const Contributions> contributions, const inferd_load& load, int threads);

  const inferd_host& host_;
  const std::shared_ptr<const Forest> forest_;
  const ForestSignature signature_;
  const FeatureNames features_;
  const Precision evaluated_;
  const std::unique_ptr<const Evaluator> evaluator_;
  const std::unique_ptr<const Contributions> contributions_;
  const RowThreads threads_;
};

}  // namespace inferd::forest
