// Fuzzes JSON model lists. An accepted list must be an object for a strict DOM (Boost.JSON), with the same number of
// models. The configuration of each model must be readable.

#include <algorithm>
#include <boost/json/src.hpp>
#include <cstdint>
#include <string_view>

#include "config/model/model_config_parser.h"
#include "config/ovms/model_list.h"
#include "fuzz/dom.h"
#include "fuzz/require.h"

namespace inferd::fuzz {
namespace {

namespace dom = boost::json;

void Check(std::string_view text) {
  const auto read = config::ParseOvmsModelList(text, "/models/config.json");
  if (!read.has_value()) return;
  boost::system::error_code error;
  const dom::value parsed = ParseDom(text, 128, error);
  // The DOM limits exponents, but RFC 8259 does not.
  if (error == dom::error::exponent_overflow) return;
  Require(!error && parsed.is_object(), "accepted, and no JSON");
  const dom::value* const list = parsed.as_object().if_contains("model_config_list");
  Require((list == nullptr) == !read->models.has_value(), "a list that is not there, or none");
  if (list == nullptr) return;
  size_t written = 0;
  for (const dom::value& entry : list->as_array()) written += entry.as_object().size();
  Require(written == read->models->size(), "another number of models");
  for (const config::ServedModel& model : *read->models) {
    Require(model.base_path.starts_with('/'), "a path that is not absolute");
    Require(config::ModelConfigFromJson(model.config_json).has_value(), "a configuration that cannot be read");
  }
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  inferd::fuzz::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
