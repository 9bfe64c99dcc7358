#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace inferd::model {

enum class FieldType : uint8_t {
  kText,
  kInteger,
  kBoolean,
  kObject,  // of a definition
  kAny,     // what is not looked into
};

enum class FieldShape : uint8_t { kOne, kList, kMap };  // kMap: by names that are not the definition's

struct Definition;

// A field that an object may have.
struct Field {
  std::string_view name;
  FieldType type = FieldType::kAny;
  std::string_view text{};  // what it is, for people
  FieldShape shape = FieldShape::kOne;
  const Definition* object = nullptr;  // of kObject
};

// What objects of a name look like.
struct Definition {
  std::string_view name;  // as KServe and Kubernetes call it: "PredictorSpec"
  std::string_view text;
  std::vector<Field> fields;

  // Null: it has none of that name.
  const Field* Find(std::string_view field) const;
};

// The `spec` of KServe's kinds, as KServe 0.10 to 0.15 and Kubernetes 1.26 have it, down to containers, their
// variables, ports and mounts; what is deeper is kAny. Null: it is another kind. The definitions live for ever.
// Thread-safe.
const Definition* FindSpecDefinition(std::string_view kind);

}  // namespace inferd::model
