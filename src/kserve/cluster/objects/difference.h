#pragma once

#include <string>
#include <vector>

#include "data/manifest/value.h"

namespace inferd::cluster {

// A field that is not as it is wanted.
struct Difference {
  std::string path;    // "spec.template.spec.containers[0].image"
  std::string live;    // as JSON; empty: there is none
  std::string wanted;  // likewise

  bool operator==(const Difference&) const = default;
};

// What a live object lacks of a wanted one. What it has beyond that is no difference: fields that the server completes,
// or that others set. Neither is another way to write the same: quantities ("1000m", "1"), numbers as texts, and what
// is empty, zero or false and therefore left out. Items of a list that have names are found by them, in any order;
// other lists have the wanted items and no more. Thread-safe.
std::vector<Difference> FindDifferences(const manifest::Value& live, const manifest::Value& wanted);

}  // namespace inferd::cluster
