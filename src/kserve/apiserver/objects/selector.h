#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/apiserver/objects/api_error.h"
#include "kserve/apiserver/objects/resource_type.h"

namespace inferd::apiserver {

// Selects the objects of a list or a watch by their labels and fields. A value.
class Selector {
 public:
  // Parses a selector. `labels`: "a=b,c!=d,e in (f,g),h notin (i),j,!k" (Kubernetes: labels.Parse). `fields`:
  // "metadata.name=a,...". It supports metadata.name, metadata.namespace, and some more for events and pods. Both may
  // be empty.
  static ApiResult<Selector> Parse(const ResourceType& type, std::string_view labels, std::string_view fields);

  bool Matches(const manifest::Value& object) const;
  // True if all objects match.
  bool empty() const { return labels_.empty() && fields_.empty(); }

 private:
  struct Label {
    enum class Operator : uint8_t { kIn, kNotIn, kExists, kNotExists };
    std::string key;
    Operator op = Operator::kIn;
    std::vector<std::string> values;
  };
  struct Field {
    std::vector<std::string> path;
    std::string value;
    bool equal = true;
  };

  std::vector<Label> labels_;
  std::vector<Field> fields_;
};

}  // namespace inferd::apiserver
