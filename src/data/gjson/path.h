#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/gjson/components.h"

namespace inferd::gjson {

// A path into JSON in the syntax of Go's gjson, in which KServe states the conditions of an InferenceGraph. This subset
// is supported:
//
//   instances.0.name   members, and elements by their index; \ escapes the next character of a name
//   inst*.na?e         the first member whose name matches
//   instances.#        the number of a list's elements;  instances.#.name: the list of their names
//   instances.#(age>47).name     the first element that satisfies the query;  #(...)#: the list of all of them
//   a|b                the same as a point; after # and #(...)#, it continues with the list itself
//   @this, [@this]     the document; a list that contains it
//
// A query has a path within the element (possibly empty), and optionally a comparison with a text (quotes may be left
// out), a number, true or false: == (or =), !=, <, <=, >, >=, and % and !% with a pattern. Queries may be nested.
// Modifiers other than @this, multipaths, literals, JSON lines and ~ are not supported: Parse() refuses such a path.
//
// Immutable and thread-safe. Copies are cheap.
class Path final {
 public:
  // INVALID_ARGUMENT, with the position, if the text is not a path, is not supported here, or has more than 4096 bytes,
  // 64 parts or 8 nested queries.
  static base::Result<Path> Parse(std::string_view text);

  // Returns true if the document has the path (gjson: Get(...).Exists()). INVALID_ARGUMENT if the text is no JSON, or
  // deeper than json::ReaderOptions allow.
  base::Result<bool> ExistsIn(std::string_view document) const;

 private:
  explicit Path(std::vector<Component> components) : components_(std::move(components)) {}

  std::vector<Component> components_;
};

}  // namespace inferd::gjson
