#include "serving/enginehost/plugin_model.h"

#include <chrono>
#include <exception>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "serving/enginehost/model/abi_values.h"
#include "serving/enginehost/model/engine_memory.h"

namespace inferd::enginehost {

namespace {

// The time limit for an execution that waits to be repeated alone.
constexpr std::chrono::seconds kAloneWithin{2};

int32_t KindOf(config::InstanceKind kind) {
  if (kind == config::InstanceKind::kGpu) return INFERD_INSTANCE_GPU;
  return kind == config::InstanceKind::kModel ? INFERD_INSTANCE_MODEL : INFERD_INSTANCE_CPU;
}

std::vector<inferd_text> ToTexts(const std::vector<std::string>& names) {
  std::vector<inferd_text> texts;
  for (const std::string& name : names) texts.push_back(ToText(name));
  return texts;
}

base::Result<std::shared_ptr<const LoadedModel>> OpenSignature(const std::shared_ptr<const LoadedModel>& model,
                                                               const core::GraphCall& call) {
  const std::vector<inferd_text> feeds = ToTexts(call.feeds);
  const std::vector<inferd_text> fetches = ToTexts(call.fetches);
  const std::vector<inferd_text> targets = ToTexts(call.targets);
  const inferd_graph_call abi = {.struct_size = sizeof(abi),
                                 .feeds = feeds.data(),
                                 .feed_count = feeds.size(),
                                 .fetches = fetches.data(),
                                 .fetch_count = fetches.size(),
                                 .targets = targets.data(),
                                 .target_count = targets.size()};
  const inferd_signature* signature = nullptr;
  size_t number = 0;
  inferd_error error;
  int32_t code = INFERD_INTERNAL;
  try {
    code = model->table().open_signature(model->get(), &abi, &signature, &number, &error);
  } catch (const std::exception& e) {
    error.status = model->Fault("threw an exception: " + std::string(e.what()));
  }
  if (code == INFERD_OK) return LoadedModel::TakeOpened(model, signature, number);
  if (!error.status.ok()) return std::unexpected(error.status);
  return std::unexpected(ToStatus(code, model->Fault("cannot call its graph and does not say why").message()));
}

}  // namespace

std::vector<std::unique_ptr<core::EngineModel>> PluginModel::OtherSignatures() const {
  std::vector<std::unique_ptr<core::EngineModel>> models;
  for (const auto& other : others_) models.push_back(std::make_unique<PluginModel>(other));
  return models;
}

core::SignatureOpener PluginModel::GraphSignatures() const {
  const inferd_engine& table = model_->table();
  if (!INFERD_HAS_FIELD(inferd_engine, &table, open_signature) || table.open_signature == nullptr) return nullptr;
  return [model = model_](const core::GraphCall& call) -> base::Result<std::unique_ptr<core::EngineModel>> {
    INFERD_ASSIGN_OR_RETURN(auto opened, OpenSignature(model, call));
    return std::make_unique<PluginModel>(std::move(opened));
  };
}

core::ReadinessCheck PluginModel::readiness_check() const {
  if (!model_->checks_readiness()) return nullptr;
  return [model = model_] { return model->CheckReady(); };
}

namespace {

// Opens pinned memory. Without it, copies still work, but take longer.
void OpenPinned(const LoadedModel& model, int32_t device) {
  if (!model.pins_inputs() && !model.pins_outputs()) return;
  const base::Status status = OpenPinnedMemory(model.engine(), device);
  base::Logger* const logger = model.engine().logger;
  if (!status.ok() && logger != nullptr) {
    logger->Warning("no pinned memory", {{"model", model.name()}, {"reason", status.message()}});
  }
}

base::Result<std::unique_ptr<base::ThreadPool>> StartThread(const std::string& name) {
  try {
    return std::make_unique<base::ThreadPool>(name, 1);
  } catch (const std::system_error& error) {
    return std::unexpected(base::ResourceExhausted(std::string("no thread for an instance: ") + error.what()));
  }
}

}  // namespace

base::Result<std::unique_ptr<core::EngineInstance>> PluginModel::CreateInstance(const core::InstanceSpec& wanted) {
  const OpenedEngine& engine = model_->engine();
  const bool on_gpu = wanted.kind == config::InstanceKind::kGpu;
  if (on_gpu && (wanted.device < 0 || wanted.device >= engine.device_count)) {
    return std::unexpected(base::FailedPrecondition("instance group " + std::to_string(wanted.group) + " names GPU " +
                                                    std::to_string(wanted.device) + ", and engine '" + engine.name +
                                                    "' has " + std::to_string(engine.device_count)));
  }
  inferd_instance_spec spec = {};
  spec.struct_size = sizeof(spec);
  spec.group = wanted.group;
  spec.ordinal = wanted.ordinal;
  spec.signature = model_->signature_number();
  spec.kind = KindOf(wanted.kind);
  spec.device = on_gpu ? wanted.device : 0;
  spec.name = ToText(wanted.name);
  InstanceSeat seat;
  std::unique_ptr<base::ThreadPool> thread;
  if (on_gpu && model_->prepares_ahead()) {
    seat.prepares_ahead = true;
    INFERD_ASSIGN_OR_RETURN(thread, StartThread(model_->name()));
  }
  if (on_gpu) {
    seat.place = {
        .kind = base::MemoryKind::kGpu, .runtime = engine.runtime, .device = static_cast<uint16_t>(wanted.device)};
    OpenPinned(*model_, wanted.device);
  }
  inferd_instance* instance = nullptr;
  inferd_error error;
  if (const int32_t code = model_->table().create_instance(model_->get(), &spec, &instance, &error);
      code != INFERD_OK) {
    if (!error.status.ok()) return std::unexpected(error.status);
    return std::unexpected(ToStatus(code, model_->Fault("cannot create an instance and does not say why").message()));
  }
  if (instance == nullptr) return std::unexpected(model_->Fault("created no instance"));
  seat.instance = instance;
  return std::make_unique<PluginInstance>(model_, seat, std::move(thread));
}

PluginInstance::~PluginInstance() {
  thread_.reset();
  delete idle_batch_.load(std::memory_order_acquire);
  model_->table().destroy_instance(seat_.instance);
}

void PluginInstance::Execute(core::Execution& execution) {
  Batch* batch = idle_batch_.exchange(nullptr, std::memory_order_acquire);
  if (batch == nullptr) batch = new Batch(model_, seat_, &idle_batch_);
  if (const base::Status status = batch->Begin(&execution); !status.ok()) {
    batch->Fail(status);
    return batch->End();
  }
  if (thread_ == nullptr) return static_cast<void>(Compute(*batch));
  thread_->Post([this, batch] { ComputeToItsEnd(*batch); });
}

bool PluginInstance::Compute(Batch& batch) {
  inferd_error error;
  switch (Call(batch, &error)) {
    case INFERD_PENDING: return false;
    case INFERD_FINISHED: break;
    default:
      if (error.status.ok()) error.status = model_->Fault("failed and does not say why");
      batch.Fail(error.status);
  }
  batch.End();
  return true;
}

// Blocks until the execution has ended, so that the engine gets the next one only then.
void PluginInstance::ComputeToItsEnd(Batch& batch) {
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  batch.TellEnd(ended);
  if (!Compute(batch)) ended->wait(false, std::memory_order_acquire);
}

int32_t PluginInstance::Call(Batch& batch, inferd_error* error) {
  if (model_->compute_threads() <= 1) return CallEngine(batch, DivisionScope::Threads::kOne, error);
  ExecutionGate& gate = model_->engine().gate;
  gate.Enter();
  const int32_t result = CallEngine(batch, DivisionScope::Threads::kPool, error);
  gate.Leave();
  return result != INFERD_PENDING && batch.withheld() ? CallAlone(batch, error) : result;
}

int32_t PluginInstance::CallAlone(Batch& batch, inferd_error* error) {
  ExecutionGate& gate = model_->engine().gate;
  if (!gate.EnterAlone(std::chrono::steady_clock::now() + kAloneWithin)) {
    error->status = base::Unavailable(std::string(kPerhapsRefused));
    return INFERD_FAILED;
  }
  batch.Repeat();
  const int32_t result = CallEngine(batch, DivisionScope::Threads::kPool, error);
  gate.LeaveAlone();
  return result;
}

// An exception that leaves an engine is the engine's mistake, but must not end the server.
int32_t PluginInstance::CallEngine(const Batch& batch, DivisionScope::Threads threads, inferd_error* error) {
  const DivisionScope divisions(threads);
  int32_t result = INFERD_FAILED;
  try {
    result = model_->table().execute(seat_.instance, &batch, error);
  } catch (const std::bad_alloc&) {
    error->status = base::ResourceExhausted("the server has no memory for the execution");
  } catch (const std::exception& e) {
    error->status = model_->Fault("threw an exception: " + std::string(e.what()));
  } catch (...) {
    error->status = model_->Fault("threw an exception");
  }
  if (result == INFERD_FAILED && divisions.refused())
    error->status = base::InvalidArgument(std::string(kDivisionRefused));
  return result;
}

}  // namespace inferd::enginehost
