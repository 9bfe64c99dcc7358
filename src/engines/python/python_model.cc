#include "engines/python/python_model.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/system/model_environment.h"
#include "engines/kit/parameters.h"
#include "engines/python/environment_archive.h"
#include "engines/python/message/value_parts.h"
#include "engines/python/pickle_permission.h"
#include "engines/python/python_instance.h"

namespace inferd::python {

namespace {

using kit::ToView;

// Imports and the model's initialization may take long: models may be downloaded there.
constexpr std::chrono::minutes kLoadPatience{30};
// The maximum for the time limit of an execution. A worker could send a time that overflows the clock.
constexpr std::chrono::milliseconds kPatienceMax = std::chrono::hours(24);
// Executions of a decoupled model whose function has returned but whose requests are not all answered.
constexpr int kUnfinishedMax = 1024;
// Executions of other models that wait in the worker. It reuses the output memory of the execution before the last
// (worker/inferd_worker/batch.py, Answers).
constexpr int kExecutionsAhead = 1;
// Stands for the model's folder in EXECUTION_ENV_PATH.
constexpr std::string_view kModelDirectory = "$$TRITON_MODEL_DIRECTORY";
// The time limit for a model to report its readiness.
constexpr std::chrono::seconds kReadyPatience{5};

std::optional<std::string_view> FindIfGiven(const inferd_load& load, std::string_view key) {
  for (size_t i = 0; i < load.parameter_count; ++i) {
    if (ToView(load.parameters[i].key) == key) return ToView(load.parameters[i].value);
  }
  return std::nullopt;
}

// Empty if the parameter is not set.
std::string_view FindParameter(const inferd_load& load, std::string_view key) {
  return FindIfGiven(load, key).value_or(std::string_view());
}

// Returns the name of the special environment for models of that file. Empty if there is none.
std::string_view EnvironmentOf(std::string_view model_file) {
  if (std::filesystem::path(model_file).filename() == "MLmodel") return "mlflow";
  return model_file.ends_with("-symbol.json") ? "mxnet" : "";
}

// Returns the error if EXECUTION_ENV_PATH names a missing path, with the place that was searched.
base::Status NoEnvironment(const std::filesystem::path& wanted, const std::string& written,
                           const std::error_code& why) {
  std::error_code none;
  const std::string reason = why ? why.message() : "there is no such file";
  std::string text = "EXECUTION_ENV_PATH '" + wanted.string() + "': " + reason + ": " +
                     std::filesystem::absolute(wanted, none).lexically_normal().string();
  if (!written.starts_with('/') && !written.starts_with(kModelDirectory)) {
    text += " (a relative path is looked for in the server's working folder, " +
            std::filesystem::current_path(none).string() + ")";
  }
  return base::InvalidArgument(std::move(text));
}

// Returns the folder of the environment that EXECUTION_ENV_PATH names; unpacks an archive. INVALID_ARGUMENT if it is
// missing or no environment.
base::Result<std::filesystem::path> FindEnvironment(const inferd_host& host, const std::string& written,
                                                    std::string_view model_dir, const Interpreter& interpreter) {
  std::string environment = written;
  if (const size_t at = environment.find(kModelDirectory); at != std::string::npos) {
    environment.replace(at, kModelDirectory.size(), model_dir);
  }
  std::filesystem::path folder(environment);
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return std::unexpected(NoEnvironment(folder, written, error));
  std::error_code none;
  if (std::filesystem::is_regular_file(folder, none)) {
    const std::filesystem::path unpacker = interpreter.worker.parent_path() / "inferd_unpack.py";
    INFERD_ASSIGN_OR_RETURN(folder,
                            UnpackEnvironment(host, folder, interpreter.program, unpacker, interpreter.inherited));
    if (const auto activate = folder / "bin" / "activate"; !std::filesystem::exists(activate, none)) {
      return std::unexpected(
          base::InvalidArgument("Path " + activate.string() +
                                " does not exist. The Python environment should contain an 'activate' script."));
    }
  }
  if (!std::filesystem::exists(folder / "bin" / "python3", none)) {
    return std::unexpected(
        base::InvalidArgument("EXECUTION_ENV_PATH '" + environment + "': there is no bin/python3 in it"));
  }
  return folder;
}

// EXECUTION_ENV_PATH names an environment with bin/python3, `interpreter` names a program. Otherwise uses the
// environment installed for MLflow's or MXNet's models, the one installed with the engine, or python3 from PATH.
base::Result<Interpreter> ChooseInterpreter(const inferd_host& host, const inferd_load& load,
                                            std::filesystem::path worker) {
  std::error_code none;
  std::filesystem::path own = worker.parent_path() / "environment" / "bin" / "python3";
  if (const std::string_view special = EnvironmentOf(ToView(load.model_file)); !special.empty()) {
    std::filesystem::path program = worker.parent_path() / special / "bin" / "python3";
    if (std::filesystem::exists(program, none)) own = std::move(program);
  }
  INFERD_ASSIGN_OR_RETURN(auto inherited,
                          base::ModelEnvironment(ToView(load.model_name),
                                                 [&load](const std::string& name) { return FindIfGiven(load, name); }));
  Interpreter interpreter{.program = std::filesystem::exists(own, none) ? own.string() : "python3",
                          .worker = std::move(worker),
                          .inherited = std::move(inherited),
                          .environment = {"PYTHONHOME"}};
  if (const std::string_view program = FindParameter(load, "interpreter"); !program.empty()) {
    interpreter.program = program;
  }
  const std::string environment(FindParameter(load, "EXECUTION_ENV_PATH"));
  if (environment.empty()) return interpreter;
  INFERD_ASSIGN_OR_RETURN(const std::filesystem::path folder,
                          FindEnvironment(host, environment, ToView(load.model_dir), interpreter));
  interpreter.program = folder / "bin" / "python3";
  // The variables that the environment's `activate` script would set.
  const auto before = [&inherited = interpreter.inherited](const std::filesystem::path& first,
                                                           const std::string& name) {
    const auto others = std::ranges::find_if(
        inherited, [&name](const std::string& variable) { return variable.starts_with(name + "="); });
    const std::string value = others == inherited.end() ? "" : others->substr(name.size() + 1);
    return name + "=" + first.string() + (value.empty() ? "" : ":" + value);
  };
  interpreter.environment.push_back("VIRTUAL_ENV=" + folder.string());
  interpreter.environment.push_back(before(folder / "bin", "PATH"));
  interpreter.environment.push_back(before(folder / "lib", "LD_LIBRARY_PATH"));
  return interpreter;
}

std::string Capitalized(std::string_view text) {
  std::string capitalized(text);
  if (!capitalized.empty())
    capitalized[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(capitalized[0])));
  return capitalized;
}

std::unexpected<base::Status> NoReply() {
  return std::unexpected(base::Internal("the Python worker answers what was not asked"));
}

// Returns the error in a worker's "failed" answer.
base::Status FailureIn(const Value& message) {
  const Value::Items* const failed = ItemsOf(message, "failed");
  if (failed == nullptr || failed->size() != 2 || failed->back().text() == nullptr) return NoReply().error();
  return base::InvalidArgument(*failed->back().text());
}

std::unexpected<base::Status> Unreadable(const std::string& what) { return std::unexpected(base::Internal(what)); }

// (name, datatype, dimensions or None, optional, labels, any_shape, any_datatype, 1 or 2 for an alternative as in
// inferd_tensor_spec)
base::Result<kit::TensorDescription> TensorOf(const Value& described) {
  const Value::Items* const parts = described.items();
  if (parts == nullptr || parts->size() != 8) return Unreadable("it is no tuple of 8 values");
  const std::string* const name = (*parts)[0].text();
  if (name == nullptr) return Unreadable("its name is no text");
  const int64_t* const datatype = (*parts)[1].number();
  if (datatype == nullptr || !std::in_range<int32_t>(*datatype)) return Unreadable("its datatype is no number");
  const Value::Items* const labels = (*parts)[4].items();
  if (labels == nullptr) return Unreadable("its labels are no tuple");
  const int64_t* const alternative = (*parts)[7].number();
  if (alternative == nullptr || *alternative < 0 || *alternative > 2)
    return Unreadable("its last value is none of 0, 1, 2");
  for (const size_t flag : {3, 5, 6}) {
    if ((*parts)[flag].flag() == nullptr) return Unreadable("value " + std::to_string(flag) + " is no truth");
  }
  kit::TensorDescription tensor{.name = *name,
                                .datatype = static_cast<int32_t>(*datatype),
                                .optional = *(*parts)[3].flag(),
                                .alignment = 1,
                                .bytes_form = INFERD_BYTES_PACKED,
                                .any_datatype = *(*parts)[6].flag(),
                                .alternative = static_cast<int32_t>(*alternative)};
  const Value::Items* const dimensions = (*parts)[2].items();
  tensor.unknown_rank = dimensions == nullptr;
  tensor.any_shape = tensor.unknown_rank || *(*parts)[5].flag();
  for (size_t i = 0; dimensions != nullptr && i < dimensions->size(); ++i) {
    if ((*dimensions)[i].number() == nullptr) return Unreadable("dimension " + std::to_string(i) + " is no number");
    tensor.shape.push_back(*(*dimensions)[i].number());
  }
  for (const Value& label : *labels) {
    if (label.text() == nullptr) return Unreadable("one of its labels is no text");
    tensor.labels.push_back(*label.text());
  }
  return tensor;
}

}  // namespace

PythonModel::PythonModel(const inferd_host& host, Interpreter interpreter, const inferd_load& load)
    : host_(host), interpreter_(std::move(interpreter)), name_(ToView(load.model_name)) {
  // Absolute paths: they must not depend on the folder in which the server was started.
  const auto absolute = [](inferd_text path) { return std::filesystem::absolute(ToView(path)).string(); };
  load_message_.Tuple(10);
  load_message_.Text("load");
  load_message_.Text(absolute(load.model_file));
  load_message_.Text(absolute(load.model_dir));
  load_message_.Text(absolute(load.version_dir));
  load_message_.Text(name_);
  load_message_.Text(std::to_string(load.version));
  load_message_.Text(ToView(load.config_json));
  load_message_.Int(load.max_batch_size);
  load_message_.Bool(MayUnpickle(load));
  load_message_.Bool(INFERD_HAS_FIELD(inferd_load, &load, unchecked_outputs) && load.unchecked_outputs != 0);
}

base::Result<std::unique_ptr<PythonModel>> PythonModel::Load(const inferd_host& host, std::filesystem::path worker,
                                                             const inferd_load& load, const ModelShares& shares) {
  // Either value works, as tensors are in CPU memory anyway.
  if (const std::string_view only = FindParameter(load, "FORCE_CPU_ONLY_INPUT_TENSORS");
      !only.empty() && only != "yes" && only != "no") {
    return std::unexpected(
        base::Unimplemented("Incorrect value for FORCE_CPU_ONLY_INPUT_TENSORS: " + std::string(only) + "'"));
  }
  INFERD_ASSIGN_OR_RETURN(Interpreter interpreter, ChooseInterpreter(host, load, std::move(worker)));
  interpreter.sessions = shares.sessions;
  std::unique_ptr<PythonModel> model(new PythonModel(host, std::move(interpreter), load));
  if (shares.workers != nullptr) model->key_ = KeyOf(load);
  if (model->key_.has_value()) std::tie(model->workers_, model->load_) = shares.workers->Add(model->key_->key);
  Value described;
  INFERD_ASSIGN_OR_RETURN(auto worker_link, model->StartWorker(&described));
  INFERD_RETURN_IF_ERROR(model->ReadSignature(described));
  const base::MutexLock lock(model->mutex_);
  model->spare_ = std::move(worker_link);
  return model;
}

base::Result<std::unique_ptr<WorkerLink>> PythonModel::StartWorker(Value* described) const {
  INFERD_ASSIGN_OR_RETURN(auto worker, WorkerLink::Start(host_, interpreter_, "inferd:" + name_));
  auto reply = worker->Exchange(load_message_, kLoadPatience);
  if (!reply.has_value()) {
    return std::unexpected(base::Status(
        reply.error().code(), reply.error().message() + ", whose interpreter is '" + interpreter_.program + "'"));
  }
  if (ItemsOf(*reply, "loaded") == nullptr) return std::unexpected(FailureIn(*reply));
  if (described != nullptr) *described = *std::move(reply);
  return worker;
}

PythonModel::Shared PythonModel::Share(const inferd_instance_spec& spec) {
  const auto group = static_cast<size_t>(spec.group);
  if (workers_ == nullptr || group >= key_->groups.size()) {
    auto own = std::make_shared<SharedWorker<WorkerLink>>();
    own->Join();
    return {.worker = std::move(own)};
  }
  const std::string place = std::to_string(spec.kind) + ":" + std::to_string(spec.device) + " ";
  auto [worker, inherited] = workers_->Share(load_, place + key_->groups[group]);
  return {.worker = std::move(worker), .inherited = inherited};
}

bool PythonModel::Serve(WorkerLink& worker, const std::string& instance, WorkerExecutions::TakeBack take_back) {
  std::unique_ptr<WorkerLink> spare;
  {
    const base::MutexLock lock(mutex_);
    spare = std::move(spare_);
  }
  // It was for an instance with a worker of its own.
  if (spare != nullptr) {
    spare->BeginEnd();
    const base::MutexLock lock(mutex_);
    ending_.push_back(std::move(spare));
  }
  return worker.GiveTo(instance, decoupled_ ? nullptr : std::move(take_back));
}

base::Result<std::unique_ptr<WorkerLink>> PythonModel::TakeWorker() {
  {
    const base::MutexLock lock(mutex_);
    if (spare_ != nullptr) return std::move(spare_);
  }
  return StartWorker(nullptr);
}

void PythonModel::Keep(std::unique_ptr<WorkerLink> worker) {
  if (worker == nullptr) return;
  {
    const base::MutexLock lock(mutex_);
    if (stateless_ && instances_.empty() && spare_ == nullptr && kept_ == nullptr) {
      kept_ = std::move(worker);
      return;
    }
  }
  worker->BeginEnd();
  const base::MutexLock lock(mutex_);
  ending_.push_back(std::move(worker));
}

std::unique_ptr<WorkerLink> PythonModel::TakeKept(const std::string& instance,
                                                  const WorkerExecutions::TakeBack& take_back) {
  std::unique_ptr<WorkerLink> worker;
  {
    const base::MutexLock lock(mutex_);
    worker = std::move(kept_);
  }
  if (worker != nullptr && !worker->GiveTo(instance, take_back)) worker = nullptr;
  return worker;
}

std::string PythonModel::InstanceName(const inferd_instance_spec& spec) const {
  if (INFERD_HAS_FIELD(inferd_instance_spec, &spec, name) && spec.name.size > 0)
    return {spec.name.data, spec.name.size};
  return name_ + "_" + std::to_string(spec.group) + "_" + std::to_string(spec.ordinal);
}

base::Status PythonModel::StartInstance(WorkerLink& worker, const inferd_instance_spec& spec,
                                        WorkerExecutions::TakeBack take_back) const {
  const bool on_gpu = spec.kind == INFERD_INSTANCE_GPU;
  MarshalWriter message;
  message.Tuple(4);
  message.Text("start");
  message.Text(InstanceName(spec));
  message.Text(on_gpu ? "GPU" : spec.kind == INFERD_INSTANCE_MODEL ? "MODEL" : "CPU");
  message.Text(std::to_string(spec.device));
  const auto reply = worker.Exchange(message, kLoadPatience);
  if (!reply.has_value()) {
    return {reply.error().code(),
            "Stub process '" + InstanceName(spec) + "' is not healthy. " + Capitalized(reply.error().message())};
  }
  if (ItemsOf(*reply, "started") == nullptr) return FailureIn(*reply);
  worker.Serve(InstanceName(spec), patience_, decoupled_ ? nullptr : std::move(take_back));
  return base::OkStatus();
}

void PythonModel::Add(PythonInstance* instance) {
  const base::MutexLock lock(mutex_);
  instances_.push_back(instance);
}

void PythonModel::Remove(PythonInstance* instance) {
  const base::MutexLock lock(mutex_);
  std::erase(instances_, instance);
}

base::Status PythonModel::CheckReady() {
  std::vector<PythonInstance*> instances;
  {
    const base::MutexLock lock(mutex_);
    instances = instances_;
  }
  const auto until = std::chrono::steady_clock::now() + kReadyPatience;
  // Ask all at the same time, so that the total is the time of the slowest.
  for (PythonInstance* const instance : instances) instance->AskReady();
  base::Status status;
  for (PythonInstance* const instance : instances) {
    base::Status said = instance->AwaitReady(until);
    if (status.ok()) status = std::move(said);
  }
  return status;
}

// ("loaded", patience in ms, one_piece, decoupled, sequences, independent rows, inputs, outputs, completed
// max_batch_size or 0, completed dynamic_batching, checks_readiness, outputs may be missing, outputs are unchecked,
// completed tensors, completed transaction policy)
base::Status PythonModel::ReadSignature(const Value& described) {
  ItemReader items(described);
  static_cast<void>(items.Text());
  const int64_t patience = items.Int();
  TensorForm form{.one_piece = items.Flag()};
  decoupled_ = items.Flag();
  const bool sequences = items.Flag();
  form.independent_rows = items.Flag();
  stateless_ = form.independent_rows;
  const Value& inputs = items.Any();
  const Value& outputs = items.Any();
  const int64_t rows = items.Int();
  const bool dynamic = items.Flag();
  const bool readiness = items.Flag();
  form.may_be_missing = items.Flag();
  form.unchecked = items.Flag();
  const bool completed_tensors = items.Flag();
  const bool completed_policy = items.Flag();
  if (!items.Finished() || patience < 1 || patience > kPatienceMax.count()) return NoReply().error();
  patience_ = std::chrono::milliseconds(patience);
  INFERD_RETURN_IF_ERROR(AddTensors(inputs, /*inputs=*/true, form));
  INFERD_RETURN_IF_ERROR(AddTensors(outputs, /*inputs=*/false, form));
  signature_.Finish(/*compute_threads=*/1);
  signature_.SetComputesElsewhere();
  signature_.SetReturnsAtOnce();
  signature_.SetParallelInstances();
  signature_.SetCompleted(static_cast<int32_t>(std::clamp<int64_t>(rows, 0, std::numeric_limits<int32_t>::max())),
                          dynamic);
  signature_.SetCompletedTensors(completed_tensors);
  signature_.SetCompletedPolicy(completed_policy);
  signature_.SetDecoupled(decoupled_);
  if (decoupled_) {
    signature_.SetUnfinishedMax(kUnfinishedMax);
  } else {
    signature_.SetExecutionsAhead(kExecutionsAhead);
  }
  signature_.SetSequences(sequences);
  signature_.SetChecksReadiness(readiness);
  return base::OkStatus();
}

base::Status PythonModel::AddTensors(const Value& tensors, bool inputs, TensorForm form) {
  const Value::Items* const items = tensors.items();
  if (items == nullptr) return NoReply().error();
  for (size_t i = 0; i < items->size(); ++i) {
    auto tensor = TensorOf((*items)[i]);
    if (!tensor.has_value()) {
      return tensor.error().WithContext("the Python worker describes " + std::string(inputs ? "input " : "output ") +
                                        std::to_string(i));
    }
    tensor->one_piece = form.one_piece;
    tensor->may_be_missing = !inputs && form.may_be_missing;
    tensor->unchecked = !inputs && form.unchecked;
    if (form.independent_rows && !tensor->shape.empty() && tensor->shape[0] == -1) {
      tensor->dimension_names.resize(tensor->shape.size());
      tensor->dimension_names[0] = "batch";
    }
    inputs ? signature_.AddInput(*std::move(tensor)) : signature_.AddOutput(*std::move(tensor));
  }
  return base::OkStatus();
}

}  // namespace inferd::python
