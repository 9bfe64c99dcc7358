#include <set>
#include <tuple>

#include "base/text/printable.h"
#include "config/checks/checks.h"

// inferd { depends_on explainer }: names that cannot be a model, or cannot be another model.

namespace inferd::config {
namespace {

constexpr size_t kNameBytesMax = 255;  // of a folder's name

bool IsModelName(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '.' &&
         name.find_first_of("/\\") == std::string_view::npos && base::IsPrintable(name);
}

using Written = inference::InferdOptions::Dependency;

// `field` is the field with the name.
void CheckDependency(CheckContext& c, const Place& place, const std::string& field, const Written& other) {
  if (other.model().empty()) {
    c.problems.push_back(place.Here(field + " must specify 'model' for " + c.model));
  } else if (!IsModelName(other.model())) {
    c.problems.push_back(place.At("model", base::QuotedName(other.model()) + " is no name of a model for " + c.model));
  } else if (other.model() == c.config.name()) {
    c.problems.push_back(place.At("model", "a model cannot depend on itself for " + c.model));
  }
  if (other.version() < 0) {
    c.problems.push_back(
        place.At("version", "a version must be 0 or more, got " + std::to_string(other.version()) + " for " + c.model));
  }
}

}  // namespace

void CheckDependencies(CheckContext& c, const Place& inferd) {
  const auto& dependencies = c.config.inferd().depends_on();
  if (static_cast<size_t>(dependencies.size()) > kDependenciesMax) {
    c.problems.push_back(inferd.At("depends_on", "at most " + std::to_string(kDependenciesMax) +
                                                     " dependencies are allowed for " + c.model + ", got " +
                                                     std::to_string(dependencies.size())));
    return;
  }
  std::set<std::tuple<std::string_view, bool, int64_t>> seen;
  for (int i = 0; i < dependencies.size(); ++i) {
    const Written& other = dependencies[i];
    const Place place = inferd.In("depends_on", i);
    CheckDependency(c, place, "depends_on", other);
    const bool good = IsModelName(other.model()) && other.model() != c.config.name();
    if (good && !seen.emplace(other.model(), other.has_version(), other.version()).second) {
      c.problems.push_back(place.Here("depends_on names '" + other.model() + "' more than once for " + c.model));
    }
  }
  if (c.config.inferd().has_explainer()) {
    CheckDependency(c, inferd.In("explainer"), "explainer", c.config.inferd().explainer());
  }
}

}  // namespace inferd::config
