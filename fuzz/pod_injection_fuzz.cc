// Fuzzes the pods that /mutate-pods receives. Any pod must be refused or injected into, and a second injection must
// change nothing. The second document of an input, if there is one, stands for every Secret and ServiceAccount.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "data/manifest/read.h"
#include "fuzz/require.h"
#include "kserve/model/pods/inject/pod_injection.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  // Small limits, so that no input takes long.
  constexpr manifest::Limits kLimits = {.nodes_max = 5'000, .bytes_max = 200'000};
  if (size == 0) return 0;
  const std::vector<char> copy(data + 1, data + size);
  const auto documents = manifest::ReadJson(std::string_view(copy.data(), copy.size()), "f", kLimits);
  if (!documents.has_value() || documents->empty()) return 0;
  model::InferenceServiceConfig config;
  const bool in_revision = (data[0] & 1) != 0;
  if ((data[0] & 2) != 0) config.metrics = {.aggregation = "true", .scraping = "true"};
  model::PodInjection injection = {.config = config,
                                   .find = [&](std::string_view, std::string_view) -> std::optional<manifest::Value> {
                                     return documents->size() < 2 ? std::nullopt : std::optional((*documents)[1]);
                                   },
                                   .form = in_revision ? model::PodForm::kRevision : model::PodForm::kPod};
  const auto injected = model::InjectPodDocument(documents->front(), "models", injection);
  if (!injected.has_value()) {
    fuzz::Require(!injected.error().message().empty(), "refused without a word");
    return 0;
  }
  const auto again = model::InjectPodDocument(*injected, "models", injection);
  fuzz::Require(again.has_value() && *again == *injected, "injected again, it is another pod");
  return 0;
}
