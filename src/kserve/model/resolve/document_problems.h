#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"

namespace inferd::model {

// Problems of an object's fields. Each has the field's position in the document. The position of a missing field is
// that of its parent.
class DocumentProblems {
 public:
  explicit DocumentProblems(const manifest::Value& document) : document_(document) {}

  // Adds a problem. `field` is the path of keys to the field.
  void Add(std::initializer_list<std::string_view> field, std::string message) {
    const manifest::Value* value = &document_;
    manifest::Problem problem{.position = value->position(), .path = {}, .message = std::move(message)};
    for (const std::string_view key : field) {
      problem.path = manifest::PathOf(problem.path, key);
      value = value == nullptr ? nullptr : value->Find(key);
      if (value != nullptr && value->position().line > 0) problem.position = value->position();
    }
    problems_.push_back(std::move(problem));
  }

  void Add(manifest::Problem problem) { problems_.push_back(std::move(problem)); }

  manifest::Problems Take() { return std::move(problems_); }

 private:
  const manifest::Value& document_;
  manifest::Problems problems_;
};

}  // namespace inferd::model
