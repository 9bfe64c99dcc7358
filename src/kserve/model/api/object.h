#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/api/inference_graph.h"
#include "kserve/model/api/inference_service.h"
#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/api/serving_runtime.h"
#include "kserve/model/api/trained_model.h"

namespace inferd::model {

// An object of a kind that KServe does not define, such as a Secret beside an InferenceService.
struct OtherObject {
  manifest::Value document;
  ObjectMeta metadata;
};

using AnyObject =
    std::variant<OtherObject, InferenceService, ServingRuntime, InferenceGraph, TrainedModel, InferenceServiceConfig>;

// An object, read as the type that its apiVersion and kind name.
struct Object {
  std::string api_version;
  std::string kind;
  manifest::Position position{};
  AnyObject typed;
  manifest::Problems problems;  // found while reading; later checks add theirs

  const ObjectMeta& metadata() const;
  const manifest::Value& document() const;
};

// Reads an object. Problems: apiVersion or kind is missing; the group is KServe's (serving.kserve.io), but the kind or
// the version does not exist in it.
Object ReadObject(manifest::Value document);

// Reads the objects of a file's documents, in order. A list (kind: List, or any other ...List) is replaced by its
// items.
std::vector<Object> ReadObjects(std::vector<manifest::Value> documents);

}  // namespace inferd::model
