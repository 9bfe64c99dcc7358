#pragma once

// The strict parser (Boost.JSON) that fuzz targets judge our JSON readers by. The target that includes this header also
// includes <boost/json/src.hpp>, once.

#include <boost/json.hpp>
#include <cstddef>
#include <string_view>

namespace inferd::fuzz {

// Parses `text`, to `depth_max` levels. A byte order mark in front is skipped, as our reader skips it (RFC 8259,
// section 8.1); Boost.JSON refuses it.
inline boost::json::value ParseDom(std::string_view text, size_t depth_max, boost::system::error_code& error) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  boost::json::parse_options options;
  options.max_depth = depth_max;
  return boost::json::parse(boost::json::string_view(text.data(), text.size()), error, {}, options);
}

// Whether a text that one of our readers took, or one of our writers made, is JSON but for what both know besides: NaN
// and the infinities.
inline bool IsJson(std::string_view text, size_t depth_max) {
  boost::system::error_code error;
  static_cast<void>(ParseDom(text, depth_max, error));
  // RFC 8259 sets exponents no limit; what is skipped may have any.
  return !error || error == boost::json::error::exponent_overflow || text.find("NaN") != std::string_view::npos ||
         text.find("Inf") != std::string_view::npos;
}

}  // namespace inferd::fuzz
