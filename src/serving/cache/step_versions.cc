#include "serving/cache/step_versions.h"

#include <utility>

#include "serving/core/model_version.h"

namespace inferd::cache {

namespace {

// A limit on nested ensembles, which have no cycles and are not so deep.
constexpr int kDepthMax = 64;

bool Append(const core::CatalogSnapshot& snapshot, const std::vector<config::EnsembleStep>& steps, int depth,
            std::string& text) {
  if (depth > kDepthMax) return false;
  for (const config::EnsembleStep& step : steps) {
    for (const config::EnsembleCall& call : step.Calls()) {
      const auto found = snapshot.Find(call.model, call.VersionText());
      if (!found.has_value()) return false;
      const core::ModelVersion& version = **found;
      text += call.model + ':' + version.version() + ':' + std::to_string(version.generation()) + ' ';
      const config::Ensemble* const inner = version.config().ensemble.get();
      if (inner != nullptr && !Append(snapshot, inner->steps, depth + 1, text)) return false;
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const std::string> StepVersions::Get() {
  base::MutexLock lock(mutex_);
  if (steps_.empty()) return text_;
  std::shared_ptr<const core::CatalogSnapshot> snapshot = snapshots_.Current();
  if (snapshot == seen_) return text_;
  std::string text;
  text_ = Append(*snapshot, steps_, 0, text) ? std::make_shared<const std::string>(std::move(text)) : nullptr;
  seen_ = std::move(snapshot);
  return text_;
}

}  // namespace inferd::cache
