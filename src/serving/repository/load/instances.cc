#include "serving/repository/load/instances.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "config/model/instances.h"

namespace inferd::repository {

namespace {

using Created = base::Result<std::unique_ptr<core::EngineInstance>>;

// The number of threads that create instances of one version, the caller's included.
constexpr size_t kThreadsMax = 16;

std::vector<core::InstanceSpec> SpecsOf(const config::ModelConfig& config) {
  std::vector<core::InstanceSpec> specs;
  for (const config::Instance& each : config::ExpandInstances(config)) {
    specs.push_back({.group = each.group,
                     .ordinal = static_cast<int>(specs.size()),
                     .kind = each.kind,
                     .device = each.device,
                     .name = config::InstanceName(config, each)});
  }
  return specs;
}

// An exception that leaves a thread would end the process.
Created CreateOne(core::EngineModel& model, const core::InstanceSpec& spec) try {
  return model.CreateInstance(spec);
} catch (const std::exception& error) {
  return std::unexpected(base::ResourceExhausted("no instance '" + spec.name + "': " + error.what()));
}

// If an instance fails, those after it may be missing.
std::vector<std::optional<Created>> CreateAll(core::EngineModel& model, const std::vector<core::InstanceSpec>& specs) {
  std::vector<std::optional<Created>> created(specs.size());
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    for (size_t i = next.fetch_add(1); i < specs.size() && !failed; i = next.fetch_add(1)) {
      created[i] = CreateOne(model, specs[i]);
      if (!created[i]->has_value()) failed = true;
    }
  };
  std::vector<std::thread> threads;
  const size_t count = model.parallel_instances() ? std::min(specs.size(), kThreadsMax) : 1;
  threads.reserve(count);
  try {
    while (threads.size() + 1 < count) threads.emplace_back(work);
  } catch (const std::system_error&) {
    // The threads that were started create all instances.
  }
  work();
  for (std::thread& thread : threads) thread.join();
  return created;
}

}  // namespace

base::Result<std::vector<std::unique_ptr<core::EngineInstance>>> CreateInstances(core::EngineModel& model,
                                                                                 const config::ModelConfig& config) {
  std::vector<std::optional<Created>> created = CreateAll(model, SpecsOf(config));
  std::vector<std::unique_ptr<core::EngineInstance>> instances;
  for (std::optional<Created>& each : created) {
    // Not created: an instance before or after it has failed.
    if (!each.has_value()) continue;
    if (!each->has_value()) return std::unexpected(std::move(*each).error());
    instances.push_back(**std::move(each));
  }
  return instances;
}

}  // namespace inferd::repository
