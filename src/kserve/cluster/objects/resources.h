#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::cluster {

// The kinds of objects that the controller reads and writes. The functions of this file are thread-safe.

const kubernetes::Resource& InferenceServices();
const kubernetes::Resource& ServingRuntimes();
const kubernetes::Resource& ClusterServingRuntimes();
const kubernetes::Resource& TrainedModels();
const kubernetes::Resource& InferenceGraphs();
const kubernetes::Resource& ConfigMaps();
const kubernetes::Resource& Pods();
const kubernetes::Resource& Deployments();
const kubernetes::Resource& PlainServices();  // core/v1 Services
const kubernetes::Resource& KnativeServices();
const kubernetes::Resource& VirtualServices();
const kubernetes::Resource& HttpRoutes();

// A kind of object that the controller writes. `optional` if a cluster may lack its API.
struct WrittenResource {
  kubernetes::Resource resource;
  bool optional = false;
};

// The kinds of objects that are made for InferenceServices and InferenceGraphs.
inline constexpr size_t kWrittenResources = 8;
const std::array<WrittenResource, kWrittenResources>& WrittenResources();

// True if a cluster may lack the API of that kind.
bool IsOptional(const kubernetes::Resource& resource);

// Returns the entry of WrittenResources for the object's kind. Null if there is none.
const kubernetes::Resource* WrittenResourceOf(const manifest::Value& object);

}  // namespace inferd::cluster
