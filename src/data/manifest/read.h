#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/manifest/value.h"

namespace inferd::manifest {

// The limits of one file.
struct Limits {
  size_t file_bytes_max = 4 << 20;
  size_t depth_max = 64;          // nested maps and lists
  size_t members_max = 4096;      // of one map
  size_t nodes_max = 1'000'000;   // values of all documents; an anchor's copy and each alias count again
  size_t bytes_max = 16'000'000;  // of keys and texts, counted likewise
};

// Read the documents of a file, in order, without empty ones. The functions are thread-safe.
//
// The first error refuses the whole file: INVALID_ARGUMENT, "FILE:LINE:COLUMN: PATH: what is wrong". Errors are text
// that is not YAML or JSON, or not UTF-8, repeated keys, and exceeded limits.

// Reads YAML 1.1 as Kubernetes does: plain `yes`, `on`, `y` and similar words are booleans, 0777 is octal, "<<" merges
// maps. Refuses tags other than those of JSON's types, and numbers that JSON does not have (.inf, .nan).
base::Result<std::vector<Value>> ReadYaml(std::string_view text, std::string_view file, const Limits& limits = {});

// Reads consecutive JSON texts.
base::Result<std::vector<Value>> ReadJson(std::string_view text, std::string_view file, const Limits& limits = {});

// Reads JSON if the text begins with '{', else YAML, as kubectl does.
base::Result<std::vector<Value>> Read(std::string_view text, std::string_view file, const Limits& limits = {});

// Reads the documents of a file on disk. Errors are Read()'s, and NOT_FOUND if there is no such file.
base::Result<std::vector<Value>> ReadFile(const std::string& path, const Limits& limits = {});

}  // namespace inferd::manifest
