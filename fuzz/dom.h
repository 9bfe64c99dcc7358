#pragma once

// A strict JSON parser (Boost.JSON), the reference for our JSON readers in fuzz targets. A target that includes this
// header must also include <boost/json/src.hpp>, once.

#include <boost/json.hpp>
#include <cstddef>
#include <string_view>

namespace inferd::fuzz {

// Parses `text`, up to `depth_max` levels. Skips a byte order mark at the beginning like our reader (RFC 8259, section
// 8.1), because Boost.JSON refuses it.
inline boost::json::value ParseDom(std::string_view text, size_t depth_max, boost::system::error_code& error) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  boost::json::parse_options options;
  options.max_depth = depth_max;
  return boost::json::parse(boost::json::string_view(text.data(), text.size()), error, {}, options);
}

// Returns true if a text that our reader accepted, or our writer made, is JSON. Also allows NaN and the infinities,
// which both support.
inline bool IsJson(std::string_view text, size_t depth_max) {
  boost::system::error_code error;
  static_cast<void>(ParseDom(text, depth_max, error));
  // RFC 8259 sets no limit for exponents, so a skipped number may have any.
  return !error || error == boost::json::error::exponent_overflow || text.find("NaN") != std::string_view::npos ||
         text.find("Inf") != std::string_view::npos;
}

}  // namespace inferd::fuzz
