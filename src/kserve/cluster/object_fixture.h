#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "data/manifest/read.h"

namespace inferd::cluster {

// Parses a YAML text that has one document.
inline manifest::Value Yaml(std::string_view text) {
  auto documents = manifest::ReadYaml(text, "test");
  EXPECT_TRUE(documents.has_value()) << (documents.has_value() ? "" : documents.error().message());
  return documents.has_value() && documents->size() == 1 ? documents->front() : manifest::Value();
}

}  // namespace inferd::cluster
