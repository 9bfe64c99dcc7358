// The fake engine: computes next to nothing, and waits or fails on demand. For tests of this server and of clients. Its
// parameters are in fake_options.h.

#include "engines/fake/fake_engine.h"

#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "engines/fake/fake_answer.h"
#include "engines/fake/fake_device.h"
#include "engines/fake/fake_execution.h"
#include "engines/fake/fake_model.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

namespace {

constexpr std::chrono::milliseconds kLookEvery{1};

const inferd_host* host = nullptr;  // set once, before anything else is called

int32_t Load(const inferd_load* load, inferd_model** model, inferd_error* error) {
  std::vector<std::string> unknown;
  auto loaded = inferd_model::Load(*load, &unknown);
  for (const std::string& name : unknown) {
    const std::string line = "engine 'fake' has no parameter '" + name + "'; it is ignored";
    host->log(host, INFERD_LOG_WARNING, {line.data(), line.size()});
  }
  if (!loaded) return SetError(error, loaded.error());
  const FakeOptions& options = (*loaded)->options;
  std::this_thread::sleep_for(std::chrono::seconds(options.creation_delay_sec));
  std::error_code ignored;
  while (!options.hold_load_file.empty() && std::filesystem::exists(options.hold_load_file, ignored)) {
    std::this_thread::sleep_for(kLookEvery);
  }
  if (!options.fail_load.empty()) return SetError(error, base::Internal(options.fail_load));
  *model = loaded->release();
  return INFERD_OK;
}

void Unload(inferd_model* model) { delete model; }

const inferd_signature* Signature(inferd_model* model) { return &model->signature; }

std::string PlaceOf(const inferd_instance_spec& spec) {
  if (spec.kind == INFERD_INSTANCE_GPU) return "GPU " + std::to_string(spec.device);
  return spec.kind == INFERD_INSTANCE_MODEL ? "MODEL" : "CPU";
}

int32_t CreateInstance(inferd_model* model, const inferd_instance_spec* spec, inferd_instance** instance,
                       inferd_error*) {
  auto created = std::make_unique<inferd_instance>();
  created->model = model;
  created->ordinal = spec->ordinal;
  created->name.assign(spec->name.data, spec->name.size);
  created->place = PlaceOf(*spec);
  if (KeepsSequences(model->options.behavior)) created->accumulators = std::make_unique<Accumulators>();
  if (spec->kind == INFERD_INSTANCE_GPU) created->device = spec->device;
  if (model->options.complete_on_thread) created->completer = std::make_unique<base::ThreadPool>("fake", 1);
  *instance = created.release();
  return INFERD_OK;
}

void DestroyInstance(inferd_instance* instance) { delete instance; }

int32_t AllocateInput(inferd_instance* instance, uint32_t /*input*/, size_t size, inferd_input_memory* memory) {
  if (instance->device < 0 || instance->model->options.input_memory != InputMemory::kEngineDevice)
    return INFERD_CANCELLED;
  void* const data = DeviceTable()->allocate(INFERD_MEMORY_GPU, instance->device, size);
  if (data == nullptr) return INFERD_RESOURCE_EXHAUSTED;
  memory->memory = {data, size, INFERD_MEMORY_GPU, instance->device};
  memory->release = ReleaseFromDevice;
  memory->release_arg = data;
  return INFERD_OK;
}

// Answers the batch in full. Returns false if a request's client was gone.
bool AnswerAside(inferd_instance* instance, const inferd_batch* batch) {
  FakeExecution execution(host, instance, batch);
  const base::Status status = execution.Run();
  if (!status.ok()) {
    Answer::Fail(host, batch, INFERD_ALL_REQUESTS, static_cast<int32_t>(status.code()), status.message());
  }
  return !execution.cancelled();
}

// As Triton's repeat backend: another thread sends the responses, and this one is kept for `wait_ns`, so that responses
// to requests of one instance mix. The last of the two finishes the batch.
int32_t ExecuteAside(inferd_instance* instance, const inferd_batch* batch, int64_t wait_ns) {
  struct Shared {
    std::atomic<int> left = 2;
    std::atomic<bool> wanted = true;
  };
  const auto shared = std::make_shared<Shared>();
  const auto finish = [batch, shared] {
    if (shared->left.fetch_sub(1) == 1) host->finish(batch);
  };
  if (instance->streams == nullptr) {
    instance->streams = std::make_unique<base::ThreadPool>("fake", static_cast<size_t>(kStreamsMax));
  }
  instance->streams->Post([instance, batch, shared, finish] {
    shared->wanted = AnswerAside(instance, batch);
    finish();
  });
  PauseWhile(shared->wanted, wait_ns);
  finish();
  return INFERD_PENDING;
}

int32_t Execute(inferd_instance* instance, const inferd_batch* batch, inferd_error* error) {
  if (instance->completer == nullptr) {
    const int64_t wait_ns = instance->model->answers_aside ? WaitOf(instance->model, batch) : -1;
    if (wait_ns >= 0) return ExecuteAside(instance, batch, wait_ns);
    const base::Status status = FakeExecution(host, instance, batch).Run();
    if (status.ok()) return INFERD_FINISHED;
    SetError(error, status);
    return INFERD_FAILED;
  }
  instance->completer->Post([instance, batch] {
    AnswerAside(instance, batch);
    host->finish(batch);
  });
  return INFERD_PENDING;
}

int32_t CheckReady(inferd_model* model, inferd_error* error) {
  std::error_code ignored;
  if (std::filesystem::exists(model->options.ready_file, ignored)) return INFERD_OK;
  return SetError(error, base::Unavailable("there is no '" + model->options.ready_file.string() + "'"));
}

const inferd_engine* EngineTable() {
  static const inferd_engine table = {sizeof(inferd_engine),
                                      INFERD_ENGINE_ABI_VERSION,
                                      "fake",
                                      "1",
                                      "",
                                      Load,
                                      Unload,
                                      Signature,
                                      CreateInstance,
                                      DestroyInstance,
                                      Execute,
                                      nullptr,
                                      nullptr,
                                      DeviceTable(),
                                      AllocateInput,
                                      CheckReady};
  return &table;
}

}  // namespace

int32_t SetError(inferd_error* error, const base::Status& status) {
  host->set_error(error, static_cast<int32_t>(status.code()), {status.message().data(), status.message().size()});
  return static_cast<int32_t>(status.code());
}

}  // namespace inferd::fake

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error*) {
  inferd::fake::host = host;
  return inferd::fake::EngineTable();
}
