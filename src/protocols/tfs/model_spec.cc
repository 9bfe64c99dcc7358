#include "protocols/tfs/model_spec.h"

#include <charconv>
#include <cstdint>
#include <utility>

namespace inferd::tfs {

int64_t VersionNumber(std::string_view version) {
  int64_t number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

std::optional<uint32_t> FindSignature(const core::PinnedModel& model, std::string_view name) {
  name = MeantSignature(name);
  const auto signatures = model.signatures();
  for (uint32_t i = 0; i < signatures.size(); ++i) {
    if (SignatureName(*signatures[i]) == name) return i;
  }
  return std::nullopt;
}

base::Status CheckServed(const core::PinnedModel& model, std::string_view name) {
  name = MeantSignature(name);
  for (const core::ModelSignature* const shown : model.shown_signatures()) {
    if (shown->not_served.empty() || SignatureName(*shown) != name) continue;
    return base::Unimplemented("signature '" + std::string(name) + "' is not served: " + shown->not_served);
  }
  return {};
}

std::vector<const core::ModelSignature*> SignaturesToShow(const core::PinnedModel& model) {
  const auto asked = model.signatures();
  const auto shown = model.shown_signatures();
  std::vector<const core::ModelSignature*> all(asked.begin(), asked.end());
  all.insert(all.end(), shown.begin(), shown.end());
  return all;
}

base::Status CheckModelSpec(const ModelSpec& spec) {
  if (spec.version.empty()) return {};
  int64_t number = 0;
  const char* const end = spec.version.data() + spec.version.size();
  if (std::from_chars(spec.version.data(), end, number).ec == std::errc()) return {};
  return base::InvalidArgument("Failed to convert version: " + spec.version + " to numeric.");
}

base::Status ResolveLabel(core::Dispatcher& dispatcher, ModelSpec& spec) {
  if (spec.label.empty()) return {};
  INFERD_ASSIGN_OR_RETURN(spec.version, dispatcher.LabelledVersion(spec.model, spec.label));
  spec.label.clear();
  return {};
}

base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher, ModelSpec& spec,
                                                                 Unready unready) {
  INFERD_RETURN_IF_ERROR(CheckModelSpec(spec));
  INFERD_RETURN_IF_ERROR(ResolveLabel(dispatcher, spec));
  auto pinned = dispatcher.Find(spec.model, spec.version);
  if (pinned.has_value()) return pinned;
  const bool unknown = pinned.error().code() == base::StatusCode::kNotFound;
  const bool hidden = unready == Unready::kNotFound && pinned.error().code() == base::StatusCode::kUnavailable;
  if (!unknown && !hidden) return pinned;
  return std::unexpected(base::NotFound(
      "Servable not found for request: " +
      (spec.version.empty() ? "Latest(" + spec.model + ")" : "Specific(" + spec.model + ", " + spec.version + ")")));
}

}  // namespace inferd::tfs
