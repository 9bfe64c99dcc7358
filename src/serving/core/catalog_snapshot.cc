#include "serving/core/catalog_snapshot.h"

#include <algorithm>
#include <charconv>

#include "base/text/printable.h"
#include "serving/core/model_version.h"

namespace inferd::core {

namespace {

// The maximum bytes of a client's version or label that error messages quote.
constexpr size_t kVersionBytesMax = 256;

// Triton's texts: clients look for "is not found", "has no available versions" and "is not at ready state".
base::Status UnknownModel(std::string_view model) {
  return base::NotFound("Request for unknown model: " + base::QuotedName(model) + " is not found");
}

base::Status UnknownVersion(std::string_view model, std::string_view version) {
  if (ParseVersion(version) < 0) return NoVersion(version);
  return base::NotFound("Request for unknown model: " + base::QuotedName(model) + " version " +
                        base::Printable(version, kVersionBytesMax) + " is not found");
}

std::string WithReason(std::string text, std::string_view reason) {
  if (!reason.empty()) text.append(": ").append(reason);
  return text;
}

}  // namespace

base::Status NoVersion(std::string_view text) {
  return base::NotFound("failed to get model version from specified version string '" +
                        base::Printable(text, kVersionBytesMax) + "': expected a whole number without leading zeros");
}

std::string_view ModelStateName(ModelState state) {
  switch (state) {
    case ModelState::kUnknown: return "UNKNOWN";
    case ModelState::kReady: return "READY";
    case ModelState::kUnavailable: return "UNAVAILABLE";
    case ModelState::kLoading: return "LOADING";
    case ModelState::kUnloading: return "UNLOADING";
  }
  return "UNKNOWN";
}

int64_t ParseVersion(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return -1;
  if (text.front() < '0' || text.front() > '9') return -1;
  int64_t version = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  return error == std::errc() && end == text.data() + text.size() ? version : -1;
}

bool CatalogSnapshot::Version::operator==(const Version& other) const {
  const bool same_load = !serving.owner_before(other.serving) && !other.serving.owner_before(serving);
  return same_load && version == other.version && state == other.state && reason == other.reason &&
         failed_code == other.failed_code && on_demand == other.on_demand && precedes_ready == other.precedes_ready;
}

const CatalogSnapshot::Version* CatalogSnapshot::Model::Default() const {
  for (auto it = versions.rbegin(); it != versions.rend(); ++it) {
    if (it->state == ModelState::kReady) return &*it;
    if (it->precedes_ready) return nullptr;
  }
  return nullptr;
}

const CatalogSnapshot::Version* CatalogSnapshot::Model::Find(int64_t version) const {
  const auto it = std::ranges::lower_bound(versions, version, {}, &Version::version);
  return it != versions.end() && it->version == version ? &*it : nullptr;
}

const CatalogSnapshot::Model* CatalogSnapshot::FindModel(std::string_view model) const { return models_.Find(model); }

base::Result<std::shared_ptr<const ModelVersion>> CatalogSnapshot::Find(std::string_view model,
                                                                        std::string_view version) const {
  const Model* entry = FindModel(model);
  if (entry == nullptr) return std::unexpected(UnknownModel(model));
  if (version.empty()) {
    const Version* chosen = entry->Default();
    if (chosen != nullptr) {
      if (auto serving = chosen->serving.lock()) return serving;
    }
    const std::string text = "Request for unknown model: '" + std::string(model) + "' has no available versions";
    return std::unexpected(base::Unavailable(WithReason(text, entry->reason)));
  }
  const int64_t number = ParseVersion(version);
  const Version* chosen = number < 0 ? nullptr : entry->Find(number);
  if (chosen == nullptr) return std::unexpected(UnknownVersion(model, version));
  if (chosen->state == ModelState::kReady) {
    if (auto serving = chosen->serving.lock()) return serving;
  }
  const std::string text = "Request for unknown model: '" + std::string(model) + "' version " + std::string(version) +
                           " is not at ready state";
  return std::unexpected(base::Unavailable(WithReason(text, chosen->reason)));
}

bool CatalogSnapshot::LoadsOnDemand(std::string_view model, std::string_view version) const {
  const Model* entry = FindModel(model);
  if (entry == nullptr) return false;
  if (version.empty()) return std::ranges::any_of(entry->versions, &Version::on_demand);
  const Version* chosen = entry->Find(ParseVersion(version));
  return chosen != nullptr && chosen->on_demand;
}

base::Result<int64_t> CatalogSnapshot::FindLabel(std::string_view model, std::string_view label) const {
  const Model* entry = FindModel(model);
  if (entry != nullptr) {
    const auto it = entry->labels.find(label);
    if (it != entry->labels.end()) return it->second;
  }
  // TensorFlow Serving's text.
  return std::unexpected(
      base::InvalidArgument("Unrecognized servable version label: " + base::Printable(label, kVersionBytesMax)));
}

}  // namespace inferd::core
