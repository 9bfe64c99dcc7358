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

// An object of a kind that is not acted on, such as a Secret beside an InferenceService.
struct OtherObject {
  manifest::Value document;
  ObjectMeta metadata;
};

using AnyObject =
    std::variant<OtherObject, InferenceService, ServingRuntime, InferenceGraph, TrainedModel, InferenceServiceConfig>;

// A document, read as the kind that its apiVersion and kind name.
struct Object {
  std::string api_version;
  std::string kind;
  manifest::Position position{};
  AnyObject typed;
  manifest::Problems problems;  // of reading it; later ones are added where they are found

  const ObjectMeta& metadata() const;
  const manifest::Value& document() const;
};

// Problems: it has no apiVersion or kind; it is of KServe's group (serving.kserve.io), but of a kind or version that it
// does not have.
Object ReadObject(manifest::Value document);

// The objects of a file's documents, in order. A list (kind: List, or any other ...List) stands for its items.
std::vector<Object> ReadObjects(std::vector<manifest::Value> documents);

}  // namespace inferd::model
