#pragma once

#include <string>

#include "data/manifest/problem.h"
#include "data/manifest/value.h"
#include "kserve/model/api/object_meta.h"

namespace inferd::model {

// KServe 0.10: serving.kserve.io/v1alpha1 TrainedModel, with its document.
struct TrainedModel {
  manifest::Value document;
  ObjectMeta metadata;
  std::string inference_service;  // the service that serves the model
  std::string storage_uri;
  std::string framework;
  std::string memory;  // a quantity
  std::string fault;   // why it is unusable, set by its reader; empty if usable
};

// Reads a TrainedModel. A field that is missing or has a wrong type is added as a problem, and left out of the result.
TrainedModel ReadTrainedModel(manifest::Value document, manifest::Problems& problems);

}  // namespace inferd::model
