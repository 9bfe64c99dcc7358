#pragma once

#include <string_view>

namespace inferd::config {

// Returns true if a path of models is a remote URI ("s3://bucket/models"): its scheme is not "file".
constexpr bool IsRemoteUri(std::string_view path) {
  const size_t colon = path.find("://");
  return colon != std::string_view::npos && colon > 0 && path.substr(0, colon) != "file" &&
         path.substr(0, colon).find('/') == std::string_view::npos;
}

}  // namespace inferd::config
