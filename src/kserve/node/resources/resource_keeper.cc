#include "kserve/node/resources/resource_keeper.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/system/usable_cpus.h"

namespace inferd::node {

namespace {

using manifest::Value;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookEvery{100};
constexpr int64_t kMilliPerWholeCpu = 1000;
constexpr const char* kLimits = "spec.containers[0].resources.limits";

bool RunsInferd(const Value& container) {
  const Value* const command = container.Find("command");
  return command != nullptr && !command->items().empty() &&
         std::filesystem::path(command->items().front().text()).filename() == "inferd";
}

// Returns "limits.memory 1Gi".
std::string Named(const Value& container, const char* resource) {
  const Value* value = &container;
  for (const char* const key : {"resources", "limits", resource}) {
    if (value != nullptr) value = value->Find(key);
  }
  return "limits." + std::string(resource) + (value == nullptr ? "" : " " + value->text());
}

// Returns the number of threads for the CPU limit, at most the number of usable CPUs.
std::optional<int64_t> ThreadsOf(const ContainerResources& resources) {
  if (!resources.cpu_limit_milli.has_value()) return std::nullopt;
  const int64_t milli = *resources.cpu_limit_milli;
  return std::min<int64_t>(milli / kMilliPerWholeCpu + (milli % kMilliPerWholeCpu > 0 ? 1 : 0), base::UsableCpus());
}

}  // namespace

std::optional<std::chrono::milliseconds> ProcessLimits::look_every() const {
  return memory_ == nullptr ? std::nullopt : std::optional(kLookEvery);
}

bool ProcessLimits::Passed(pid_t process) {
  if (memory_ == nullptr || Clock::now() - looked_ < kLookEvery) return false;
  looked_ = Clock::now();
  passed_ |= memory_->BytesOf(process) > limit_bytes_;
  return passed_;
}

ResourceKeeper::ResourceKeeper(const base::ControlGroups& groups, RemoveGroup remove) {
  auto tree = ControlGroupTree::Open(groups, std::move(remove));
  if (tree.has_value()) {
    tree_ = *std::move(tree);
  } else {
    why_no_groups_ = tree.error().message();
  }
}

LimitsReport ResourceKeeper::Report(const Value& container) const {
  const ContainerResources resources = ReadResources(container);
  LimitsReport report;
  if (resources.memory_limit_bytes.has_value()) {
    report.held.push_back(
        Named(container, "memory") +
        (controllers().memory ? ": by a control group" : ": a replica that is seen with more is ended (OOMKilled)"));
  }
  if (resources.cpu_limit_milli.has_value() && controllers().cpu) {
    report.held.push_back(Named(container, "cpu") + ": by a control group");
  } else if (resources.cpu_limit_milli.has_value() && RunsInferd(container)) {
    report.held.push_back(Named(container, "cpu") + ": as the number of inferd's threads, " +
                          std::to_string(*ThreadsOf(resources)));
  } else if (resources.cpu_limit_milli.has_value()) {
    report.not_held.push_back(std::string(kLimits) + ".cpu");
  }
  for (const std::string& other : resources.other_limits) {
    report.not_held.push_back(std::string(kLimits) + "[" + other + "]");
  }
  return report;
}

std::vector<std::string> ResourceKeeper::ThreadVariables(const ContainerResources& resources) const {
  const auto threads = ThreadsOf(resources);
  if (controllers().cpu || !threads.has_value() || *threads == base::UsableCpus()) return {};
  return {"INFERD_CPU_THREADS=" + std::to_string(*threads), "INFERD_LOOP_THREADS=" + std::to_string(*threads)};
}

base::Result<ProcessLimits> ResourceKeeper::Hold(const std::string& name, const ContainerResources& resources) {
  const bool cpu = resources.cpu_limit_milli.has_value() || resources.cpu_request_milli.has_value();
  const bool memory = resources.memory_limit_bytes.has_value();
  std::optional<ControlGroup> group;
  if ((cpu && controllers().cpu) || (memory && controllers().memory)) {
    INFERD_ASSIGN_OR_RETURN(ControlGroup made, tree_->Make(name, resources));
    group.emplace(std::move(made));
  }
  const bool looked_at = memory && !controllers().memory;
  return ProcessLimits(std::move(group), looked_at ? &memory_ : nullptr, resources.memory_limit_bytes.value_or(0));
}

}  // namespace inferd::node
