#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/manifest/value.h"

namespace inferd::manifest {

// What one file may have.
struct Limits {
  size_t file_bytes_max = 4 << 20;
  size_t depth_max = 64;          // maps and lists in each other
  size_t members_max = 4096;      // of one map
  size_t nodes_max = 1'000'000;   // values of all documents; what an anchor keeps and an alias repeats counts each time
  size_t bytes_max = 16'000'000;  // of keys and texts, likewise
};

// The documents of a file, in order; empty ones are left out. The functions are thread-safe.
//
// A file is refused as a whole, at its first fault: INVALID_ARGUMENT, "FILE:LINE:COLUMN: PATH: what is wrong". Faults
// are text that is no YAML or JSON, or not UTF-8; keys given twice; what passes the limits.

// YAML 1.1 as Kubernetes reads it: plain `yes`, `on`, `y` and their like are booleans, 0777 is octal, "<<" merges maps.
// Tags other than those of JSON's types are refused, and so are numbers that JSON does not have (.inf, .nan).
base::Result<std::vector<Value>> ReadYaml(std::string_view text, std::string_view file, const Limits& limits = {});

// JSON texts, one after the other.
base::Result<std::vector<Value>> ReadJson(std::string_view text, std::string_view file, const Limits& limits = {});

// JSON if the text begins with '{', else YAML, as kubectl decides.
base::Result<std::vector<Value>> Read(std::string_view text, std::string_view file, const Limits& limits = {});

// The documents of a file on disk. Errors are Read's; NOT_FOUND: there is no such file.
base::Result<std::vector<Value>> ReadFile(const std::string& path, const Limits& limits = {});

}  // namespace inferd::manifest
