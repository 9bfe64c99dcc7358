#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "inferd/engine_abi.h"
#include "serving/enginehost/host_table.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::support {

// An engine inside the test program: a table whose calls go to what the test puts here. One at a time, since the table
// has no context.
struct StubEngine {
  StubEngine() {
    current = this;
    opened.table = &table;
    opened.name = "stub";
    signature.struct_size = sizeof(signature);
  }
  ~StubEngine() { current = nullptr; }
  StubEngine(const StubEngine&) = delete;
  StubEngine& operator=(const StubEngine&) = delete;

  // An input or output of `signature`.
  void Add(const inferd_tensor_spec& spec, std::vector<const inferd_tensor_spec*>* list) {
    specs.push_back(std::make_unique<inferd_tensor_spec>(spec));
    specs.back()->struct_size = sizeof(inferd_tensor_spec);
    list->push_back(specs.back().get());
    signature.inputs = inputs.data();
    signature.input_count = inputs.size();
    signature.outputs = outputs.data();
    signature.output_count = outputs.size();
  }

  auto Take() {
    return enginehost::LoadedModel::Take(&opened, reinterpret_cast<inferd_model*>(this), core::LoadSpec(), 4);
  }

  inline static StubEngine* current = nullptr;
  enginehost::HostTable host{nullptr, 1};
  enginehost::OpenedEngine opened;
  inferd_signature signature = {};
  std::vector<std::unique_ptr<inferd_tensor_spec>> specs;
  std::vector<const inferd_tensor_spec*> inputs;
  std::vector<const inferd_tensor_spec*> outputs;
  std::function<int32_t(const inferd_batch&, inferd_error*)> execute;
  const inferd_signature* answered_signature = &signature;
  int unloads = 0;

  inferd_engine table = {
      sizeof(inferd_engine),
      INFERD_ENGINE_ABI_VERSION,
      "stub",
      "1",
      "",
      nullptr,
      [](inferd_model*) { ++current->unloads; },
      [](inferd_model*) { return current->answered_signature; },
      nullptr,
      [](inferd_instance*) {},
      [](inferd_instance*, const inferd_batch* batch, inferd_error* error) { return current->execute(*batch, error); },
      nullptr,
      nullptr,
      nullptr,
      nullptr,
      nullptr};
};

}  // namespace inferd::support
