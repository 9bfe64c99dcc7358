// Fuzzes bodies that change log and trace settings. An accepted body must be a JSON object with the same settings for a
// strict DOM (Boost.JSON), and must be applied whole or not at all.

#include <algorithm>
#include <boost/json/src.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/dom.h"
#include "fuzz/require.h"
#include "protocols/oip_http/codec/control_requests.h"

namespace inferd::fuzz {
namespace {

namespace dom = boost::json;

// Returns the object that both readers accepted. Empty if the DOM refused an exponent, which RFC 8259 does not limit.
dom::object ObjectIn(std::string_view text) {
  boost::system::error_code error;
  const dom::value parsed = ParseDom(text, 128, error);
  Require(!error || error == dom::error::exponent_overflow, "accepted, and no JSON");
  return error ? dom::object() : parsed.as_object();
}

void CheckLog(std::string_view text) {
  const auto settings = oip_http::ReadLogSettings(text);
  if (!settings.has_value()) return RequireRefused(settings.error());
  const dom::object object = text.empty() ? dom::object() : ObjectIn(text);
  if (const dom::value* const info = object.if_contains("log_info")) {
    Require(settings->info == info->as_bool(), "log_info differs");
  }
  static const auto logger = base::Logger::Silent();
  const core::Parameters before = v2::LogSettingsInForce(*logger);
  const base::Status applied = v2::ApplyLogSettings(*settings, *logger);
  Require(applied.ok() || v2::LogSettingsInForce(*logger) == before, "refused, and half applied");
}

void CheckTrace(std::string_view text) {
  const auto changes = oip_http::ReadTraceSettings(text);
  if (!changes.has_value()) return RequireRefused(changes.error());
  const dom::object object = text.empty() ? dom::object() : ObjectIn(text);
  if (object.empty()) return;
  for (const auto& [name, values] : *changes) {
    const dom::value* const written = object.if_contains(name);
    Require(written != nullptr, "a setting that is not there");
    Require(written->is_null() == !values.has_value(), "null and no value");
    if (!values.has_value() || !written->is_array()) continue;
    Require(written->as_array().size() == values->size(), "another number of values");
  }
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  inferd::fuzz::CheckLog(text);
  inferd::fuzz::CheckTrace(text);
  return 0;
}
