#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/gjson/components.h"

namespace inferd::gjson {

// A path into JSON in the syntax of Go's gjson, in which KServe has the conditions of an InferenceGraph. Of it are
// known here:
//
//   instances.0.name   members, and elements by their number; \ makes the next character one of the name
//   inst*.na?e         the first member whose name matches
//   instances.#        how many elements a list has;  instances.#.name: the name of each, as a list
//   instances.#(age>47).name     the first element for which that holds;  #(...)#: all of them, as a list
//   a|b                the same as a point, but behind # and #(...)#, where it goes on with the list itself
//   @this, [@this]     the document; a list of it alone
//
// In a query stand a path of the element, or none, and perhaps a comparison with a text (quotes may be left out), a
// number, true or false: == (or =), !=, <, <=, >, >=, and % and !% with a pattern. Queries may have queries in them.
// Other modifiers than @this, multipaths, literals, JSON lines and ~ are not known: such a path is not read.
//
// Immutable, and thread-safe; copied cheaply.
class Path final {
 public:
  // INVALID_ARGUMENT, with the place: it is no path, or one that is not known here; above 4096 bytes, 64 parts or 8
  // queries in each other.
  static base::Result<Path> Parse(std::string_view text);

  // Whether the document has it (gjson: Get(...).Exists()). INVALID_ARGUMENT: the text is no JSON, or deeper than
  // json::ReaderOptions allow.
  base::Result<bool> ExistsIn(std::string_view document) const;

 private:
  explicit Path(std::vector<Component> components) : components_(std::move(components)) {}

  std::vector<Component> components_;
};

}  // namespace inferd::gjson
