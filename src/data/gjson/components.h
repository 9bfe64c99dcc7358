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
    kKey,      // a member, or an element by its number
    kPattern,  // the first member whose name matches: * any characters, ? one
    kCount,    // #: how many elements; with a point behind it, what follows of each of them
    kFirst,    // #(...): the first element for which the query holds
    kAll,      // #(...)#: a list of all of them
    kThis,     // @this
    kWrapped,  // [@this]: a list of it
  };
  Kind kind = Kind::kKey;
  std::string text;                    // of a key or a pattern, in which \ makes a character itself
  std::shared_ptr<const Query> query;  // of kFirst and kAll
  bool piped = false;                  // | stands before it, in place of a point
};

// What is asked of an element.
struct Query {
  enum class Op : uint8_t { kExists, kEqual, kNotEqual, kLess, kLessEqual, kMore, kMoreEqual, kLike, kNotLike };
  std::vector<Component> path;  // empty: the element itself
  Op op = Op::kExists;
  std::string value;  // to compare with: as text
  double number = 0;  // what it is as a number; 0: none
};

}  // namespace inferd::gjson
