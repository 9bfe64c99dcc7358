#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace inferd::gjson {

struct Query;

// A step of a path into a document.
struct Component {
  enum class Kind : uint8_t {
    kKey,      // a member, or an element by its index
    kPattern,  // the first member whose name matches: * any characters, ? one
    kCount,    // #: the number of elements; with a point after it, the rest of the path for each element
    kFirst,    // #(...): the first element that satisfies the query
    kAll,      // #(...)#: a list of all elements that satisfy the query
    kThis,     // @this
    kWrapped,  // [@this]: a list that contains it
  };
  Kind kind = Kind::kKey;
  std::string text;                    // of a key or a pattern; \ escapes the next character
  std::shared_ptr<const Query> query;  // set for kFirst and kAll
  bool piped = false;                  // true if | precedes it in place of a point
};

// A condition on an element.
struct Query {
  enum class Op : uint8_t { kExists, kEqual, kNotEqual, kLess, kLessEqual, kMore, kMoreEqual, kLike, kNotLike };
  std::vector<Component> path;  // empty for the element itself
  Op op = Op::kExists;
  std::string value;  // the text to compare with
  double number = 0;  // its value as a number, or 0 if it is not one
};

}  // namespace inferd::gjson
