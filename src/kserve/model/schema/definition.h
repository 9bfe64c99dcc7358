#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace inferd::model {

enum class FieldType : uint8_t {
  kText,
  kInteger,
  kBoolean,
  kObject,  // with a definition
  kAny,     // not checked further
};

enum class FieldShape : uint8_t { kOne, kList, kMap };  // kMap: arbitrary keys, values of this type

struct Definition;

// A field of an object.
struct Field {
  std::string_view name;
  FieldType type = FieldType::kAny;
  std::string_view text{};  // description for people
  FieldShape shape = FieldShape::kOne;
  const Definition* object = nullptr;  // of kObject: its definition
};

// The fields of a kind of object.
struct Definition {
  std::string_view name;  // the name in KServe or Kubernetes: "PredictorSpec"
  std::string_view text;
  std::vector<Field> fields;

  // Returns the field of that name. Null if there is none.
  const Field* Find(std::string_view field) const;
};

// Returns the definition of `spec` of one of KServe's kinds, as in KServe 0.10 to 0.15 and Kubernetes 1.26. It goes
// down to containers, their variables, ports and mounts. Deeper parts are kAny. Null if the kind is another.
// Definitions live forever. Thread-safe.
const Definition* FindSpecDefinition(std::string_view kind);

}  // namespace inferd::model
