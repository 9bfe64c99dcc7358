#include "serving/scheduling/resources/instance_place.h"

#include "config/model/instances.h"

namespace inferd::scheduling {

namespace {

ResourceArbiter::ClaimSpec SpecOf(const config::ModelConfig& config, const config::InstanceGroup& group, int32_t device,
                                  int compute_threads) {
  ResourceArbiter::ClaimSpec spec{.owner = config.name, .priority = group.priority};
  for (const config::Resource& resource : group.resources) {
    spec.needs.push_back(
        {.name = resource.name, .device = resource.global ? ResourceTable::kGlobal : device, .count = resource.count});
  }
  if (group.kind != config::InstanceKind::kGpu) spec.cpu_threads = compute_threads;
  return spec;
}

}  // namespace

base::Result<std::vector<InstancePlace>> PlaceInstances(const config::ModelConfig& config, int compute_threads,
                                                        size_t count, const HostPolicies& policies,
                                                        ResourceArbiter& arbiter) {
  const std::vector<config::Instance> instances = config::ExpandInstances(config);
  const config::InstanceGroup no_group;
  std::vector<InstancePlace> places;
  for (size_t ordinal = 0; ordinal < count; ++ordinal) {
    const bool listed = ordinal < instances.size();
    const config::InstanceGroup& group = listed ? config.instance_groups[instances[ordinal].group] : no_group;
    const int32_t device = listed ? instances[ordinal].device : 0;
    InstancePlace& place = places.emplace_back();
    INFERD_ASSIGN_OR_RETURN(place.cores, policies.CoresFor(group, device));
    INFERD_ASSIGN_OR_RETURN(place.claim, arbiter.Register(SpecOf(config, group, device, compute_threads)));
  }
  return places;
}

}  // namespace inferd::scheduling
