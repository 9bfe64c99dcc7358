#pragma once

#include <string>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

// KServe 0.10: serving.kserve.io/v1alpha1 TrainedModel, beside the document.
struct TrainedModel {
  manifest::Value document;
  ObjectMeta metadata;
  std::string inference_service;  // that serves it
  std::string storage_uri;
  std::string framework;
  std::string memory;  // a quantity
  std::string fault;   // why it cannot be used, as its reader says; empty: it can
};

// What has a wrong type or is missing is a problem, and left out of the result.
TrainedModel ReadTrainedModel(manifest::Value document, manifest::Problems& problems);

}  // namespace inferd::model
