// Fuzzes bodies that register clients' shared memory. An accepted body must be JSON with the same values for a strict
// DOM (Boost.JSON), and its region's status must read as the same region. Impossible regions must be refused.

#include <boost/json/src.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/dom.h"
#include "fuzz/fuzz_region.h"
#include "fuzz/require.h"
#include "protocols/oip_http/codec/region_json.h"

namespace inferd::fuzz {
namespace {

namespace dom = boost::json;

void CheckAgainstDom(const clientshm::RegionSpec& region, std::string_view text) {
  boost::system::error_code error;
  const dom::value parsed = ParseDom(text, 128, error);
  // RFC 8259 sets no limit for exponents, so a skipped number may have any.
  Require(!error || error == dom::error::exponent_overflow, "accepted, and no JSON");
  if (error) return;
  const dom::object& object = parsed.as_object();
  const dom::string& key = object.at("key").as_string();
  Require(std::string_view(key.data(), key.size()) == region.key, "the key differs");
  Require(object.at("byte_size").to_number<uint64_t>() == region.byte_size, "the size differs");
  const dom::value* const offset = object.if_contains("offset");
  Require((offset == nullptr ? 0 : offset->to_number<uint64_t>()) == region.offset, "the offset differs");
}

void Run(std::string_view text) {
  const auto region = oip_http::ReadRegion(text, "name");
  if (!region.has_value()) return RequireRefused(region.error());
  CheckAgainstDom(*region, text);
  std::string status = oip_http::RegionsJson({&*region, 1});
  status = status.substr(1, status.size() - 2);
  const auto again = oip_http::ReadRegion(status, "name");
  Require(again.has_value() && *again == *region, "a status reads as another region");
  static FuzzRegion regions;
  const base::Status registered = regions.registry().Register(*region);
  Require(!registered.ok() && !registered.message().empty(), "registered, and not there");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  inferd::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
