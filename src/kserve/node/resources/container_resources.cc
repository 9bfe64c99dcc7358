#include "kserve/node/resources/container_resources.h"

#include <string_view>

#include "data/manifest/quantity.h"

namespace inferd::node {

namespace {

using manifest::Value;

std::optional<manifest::Quantity> QuantityIn(const Value* list, std::string_view resource) {
  const Value* const given = list == nullptr ? nullptr : list->Find(resource);
  const auto quantity = manifest::ParseQuantity(given == nullptr ? std::string() : given->text());
  return quantity.has_value() && quantity->milli > 0 ? std::optional(*quantity) : std::nullopt;
}

}  // namespace

ContainerResources ReadResources(const Value& container) {
  ContainerResources read;
  const Value* const resources = container.Find("resources");
  if (resources == nullptr) return read;
  const Value* const limits = resources->Find("limits");
  if (const auto memory = QuantityIn(limits, "memory")) read.memory_limit_bytes = memory->value();
  if (const auto cpu = QuantityIn(limits, "cpu")) read.cpu_limit_milli = cpu->milli;
  if (const auto cpu = QuantityIn(resources->Find("requests"), "cpu")) read.cpu_request_milli = cpu->milli;
  if (!read.cpu_request_milli.has_value()) read.cpu_request_milli = read.cpu_limit_milli;
  if (limits == nullptr) return read;
  for (const manifest::Member& limit : limits->members()) {
    if (limit.key != "cpu" && limit.key != "memory") read.other_limits.push_back(limit.key);
  }
  return read;
}

}  // namespace inferd::node
