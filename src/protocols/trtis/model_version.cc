#include "protocols/trtis/model_version.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text/digits.h"

namespace inferd::trtis {

namespace {

base::Status NoVersion(std::string_view text) {
  constexpr size_t kQuotedMax = 64;
  return base::InvalidArgument("unexpected model version '" + std::string(text.substr(0, kQuotedMax)) +
                               "', expecting a number of at most 32 bits");
}

}  // namespace

base::Result<std::string> ReadVersion(std::string_view text) {
  if (text.empty()) return std::string();
  const bool negative = text[0] == '-';
  std::string_view digits = negative ? text.substr(1) : text;
  if (!base::IsDigits(digits)) {
    return std::unexpected(NoVersion(text));
  }
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (negative && digits != "0") return std::string();
  uint32_t number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc()) {
    return std::unexpected(NoVersion(text));
  }
  return std::string(digits);
}

base::Result<std::string> ReadVersion(int64_t number) {
  if (number < 0) return std::string();
  if (number > std::numeric_limits<uint32_t>::max()) return std::unexpected(NoVersion(std::to_string(number)));
  return std::to_string(number);
}

base::Status UnknownModel(std::string_view model) {
  return base::NotFound("no status available for unknown model '" + std::string(model) + "'");
}

base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher,
                                                                 const core::Catalog& catalog, std::string_view model,
                                                                 std::string_view version) {
  auto found = dispatcher.Find(model, version);
  if (found.has_value()) return found;
  if (!catalog.Versions(model).has_value() && catalog.Departed(model).empty()) {
    return std::unexpected(UnknownModel(model));
  }
  std::string text = "Servable not found for request: ";
  text += version.empty() ? "Latest(" : "Specific(";
  text += model;
  if (!version.empty()) text.append(", ").append(version);
  text += ')';
  if (found.error().code() != base::StatusCode::kNotFound) text.append(": ").append(found.error().message());
  return std::unexpected(base::NotFound(std::move(text)));
}

base::Result<uint32_t> VersionNumber(std::string_view version) {
  uint32_t number = 0;
  const char* const end = version.data() + version.size();
  const auto [behind, error] = std::from_chars(version.data(), end, number);
  if (error == std::errc() && behind == end) return number;
  return std::unexpected(base::Unimplemented("version " + std::string(version) +
                                             " of the model is beyond the 32 bits that this protocol has"));
}

}  // namespace inferd::trtis
