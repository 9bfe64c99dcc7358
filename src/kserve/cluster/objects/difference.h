#pragma once

#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::cluster {

// A field whose live value is not the wanted one.
struct Difference {
  std::string path;    // "spec.template.spec.containers[0].image"
  std::string live;    // as JSON; empty if the field is absent
  std::string wanted;  // likewise

  bool operator==(const Difference&) const = default;
};

// Finds the wanted fields that a live object lacks or has with another value. Additional live fields are no difference:
// the server completes them, or others set them. Equivalent spellings are no difference: quantities ("1000m", "1"),
// numbers as texts, and empty, zero or false values that are left out. List items with names are matched by name, in
// any order; other lists must have exactly the wanted items. Thread-safe.
std::vector<Difference> FindDifferences(const manifest::Value& live, const manifest::Value& wanted);

}  // namespace inferd::cluster
