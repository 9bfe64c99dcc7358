#include "frontends/tfs_http/model_spec.h"

#include <charconv>
#include <cstdint>
#include <utility>

namespace inferd::tfs_http {

base::Status CheckModelSpec(const ModelSpec& spec) {
  if (!spec.label.empty()) return base::InvalidArgument("Unrecognized servable version label: " + spec.label);
  if (spec.version.empty()) return {};
  int64_t number = 0;
  const char* const end = spec.version.data() + spec.version.size();
  if (std::from_chars(spec.version.data(), end, number).ec == std::errc()) return {};
  return base::InvalidArgument("Failed to convert version: " + spec.version + " to numeric.");
}

base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher, const ModelSpec& spec) {
  INFERD_RETURN_IF_ERROR(CheckModelSpec(spec));
  auto pinned = dispatcher.Find(spec.model, spec.version);
  if (pinned.has_value() || pinned.error().code() != base::StatusCode::kNotFound) return pinned;
  return std::unexpected(base::NotFound(
      "Servable not found for request: " +
      (spec.version.empty() ? "Latest(" + spec.model + ")" : "Specific(" + spec.model + ", " + spec.version + ")")));
}

}  // namespace inferd::tfs_http
