#pragma once

#include <string_view>

namespace inferd::config {

// Whether a path of models is a URI of somewhere else ("s3://bucket/models"): one with a scheme that is not "file".
constexpr bool IsRemoteUri(std::string_view path) {
  const size_t colon = path.find("://");
  return colon != std::string_view::npos && colon > 0 && path.substr(0, colon) != "file" &&
         path.substr(0, colon).find('/') == std::string_view::npos;
}

}  // namespace inferd::config
