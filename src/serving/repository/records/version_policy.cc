#include "serving/repository/records/version_policy.h"

#include <algorithm>

namespace inferd::repository {

std::vector<int64_t> SelectVersions(const config::VersionPolicy& policy, const std::vector<int64_t>& available) {
  std::vector<int64_t> selected = available;
  switch (policy.kind) {
    case config::VersionPolicyKind::kAll: break;
    case config::VersionPolicyKind::kLatest:
      if (selected.size() > policy.latest) selected.erase(selected.begin(), selected.end() - policy.latest);
      break;
    case config::VersionPolicyKind::kSpecific:
      std::erase_if(selected, [&policy](int64_t version) {
        return std::ranges::find(policy.specific, version) == policy.specific.end();
      });
      break;
  }
  return selected;
}

}  // namespace inferd::repository
