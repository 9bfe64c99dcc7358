#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "data/manifest/value.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::cluster {

// The kinds of objects that the controller reads and writes. Thread-safe, all of them.

const kubernetes::Resource& InferenceServices();
const kubernetes::Resource& ServingRuntimes();
const kubernetes::Resource& ClusterServingRuntimes();
const kubernetes::Resource& TrainedModels();
const kubernetes::Resource& InferenceGraphs();
const kubernetes::Resource& ConfigMaps();
const kubernetes::Resource& Pods();
const kubernetes::Resource& Deployments();
const kubernetes::Resource& PlainServices();  // of v1
const kubernetes::Resource& KnativeServices();
const kubernetes::Resource& VirtualServices();
const kubernetes::Resource& HttpRoutes();

// Where a kind is of an API that a cluster need not have.
struct WrittenResource {
  kubernetes::Resource resource;
  bool optional = false;
};

// Those that are made for InferenceServices and InferenceGraphs.
inline constexpr size_t kWrittenResources = 8;
const std::array<WrittenResource, kWrittenResources>& WrittenResources();

// True if a cluster need not have the API of that kind.
bool IsOptional(const kubernetes::Resource& resource);

// The one of an object that is made; null: it is of no such kind.
const kubernetes::Resource* WrittenResourceOf(const manifest::Value& object);

}  // namespace inferd::cluster
