#include "protocols/oip_http/request_advice.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/text/nearest_name.h"
#include "base/text/printable.h"

namespace inferd::oip_http {

namespace {

// The bounds keep the comparison of names below a millisecond.
constexpr size_t kComparedModelsMax = 1024;
constexpr size_t kAdviceNameBytesMax = 64;
constexpr size_t kListedVersionsMax = 5;
constexpr size_t kListedInputsMax = 8;

std::string NearModel(std::string_view model, const std::vector<std::string>& names) {
  if (names.empty()) return "; the server has no models: its log says why";
  base::NearestName nearest(model);
  for (size_t i = 0; model.size() <= kAdviceNameBytesMax && i < std::min(names.size(), kComparedModelsMax); ++i) {
    const std::string& name = names[i];
    if (name != model && name.size() <= kAdviceNameBytesMax && base::IsPrintable(name)) nearest.Offer(name);
  }
  const std::string suggestion = nearest.Suggestion();
  return suggestion.empty() ? "; GET /v2/models lists the models" : suggestion;
}

std::string VersionsText(std::vector<core::IndexEntry> versions) {
  std::erase_if(versions, [](const core::IndexEntry& entry) { return entry.version.empty(); });
  const size_t count = versions.size();
  std::string list;
  for (size_t i = count - std::min(count, kListedVersionsMax); i < count; ++i) {
    list += (list.empty() ? "" : ", ") + base::Printable(versions[i].version, kAdviceNameBytesMax);
  }
  if (list.empty()) return "";
  return (count == 1 ? "; its only version is " : "; its latest versions are ") + list;
}

std::string InputText(const core::TensorSpec& spec) {
  std::string text = "'" + base::Printable(spec.name, kAdviceNameBytesMax) + "' ";
  text += tensor::DataTypeName(spec.datatype);
  if (!spec.unknown_rank) text += " " + spec.shape.ToString();
  return text;
}

}  // namespace

base::Status WithModelAdvice(const base::Status& failure, const core::VersionName& asked,
                             const core::Catalog& catalog) {
  if (failure.code() != base::StatusCode::kNotFound) return failure;
  auto versions = catalog.Versions(asked.model);
  const std::string advice =
      versions.has_value() ? VersionsText(*std::move(versions)) : NearModel(asked.model, catalog.ModelNames());
  return {failure.code(), failure.message() + advice};
}

base::Status WithInputAdvice(const base::Status& failure, std::string_view model, const core::PinnedModel& pinned) {
  if (failure.code() != base::StatusCode::kInvalidArgument) return failure;
  std::string list;
  size_t count = 0;
  for (const core::TensorSpec& spec : pinned.signature().inputs) {
    if (spec.alternative) continue;
    if (++count > kListedInputsMax) {
      list += ", ...";
      break;
    }
    list += (list.empty() ? "" : ", ") + InputText(spec);
  }
  if (list.empty()) return failure;
  return {failure.code(), failure.message() + "; model " + base::QuotedName(model) + " takes " + list};
}

}  // namespace inferd::oip_http
