#include "engines/torch/function/loaded_method.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/alias_analysis.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "engines/torch/function/element_type.h"
#include "engines/torch/function/error_text.h"
#include "engines/torch/function/source_depth.h"

namespace inferd::torchscript {

namespace {

constexpr size_t kSelf = 1;  // the index of a method's first argument

bool IsStringDict(const c10::TypePtr& type) {
  const auto dict = type->cast<c10::DictType>();
  return dict != nullptr && dict->getKeyType()->kind() == c10::TypeKind::StringType &&
         dict->getValueType()->kind() == c10::TypeKind::TensorType;
}

ValueKind KindOf(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType: return ValueKind::kTensor;
    case c10::TypeKind::IntType: return ValueKind::kInt;
    case c10::TypeKind::FloatType: return ValueKind::kFloat;
    case c10::TypeKind::BoolType: return ValueKind::kBool;
    case c10::TypeKind::OptionalType: return KindOf(type->expectRef<c10::OptionalType>().getElementType());
    case c10::TypeKind::ListType:
      return type->expectRef<c10::ListType>().getElementType()->kind() == c10::TypeKind::StringType
                 ? ValueKind::kStrings
                 : ValueKind::kOther;
    default: return ValueKind::kOther;
  }
}

// The parts of a tuple, including those of nested tuples.
struct ResultParts {
  std::vector<std::string> names;
  bool certain = true;  // false with a list, whose length only a result tells
};

bool IsOnePart(const c10::TypePtr& type) {
  if (type->kind() == c10::TypeKind::StringType || type->kind() == c10::TypeKind::DictType) return true;
  return KindOf(type) != ValueKind::kOther;
}

void AddParts(const c10::TypePtr& type, const std::string& name, ResultParts* parts) {
  const auto tuple = type->cast<c10::TupleType>();
  if (tuple == nullptr) {
    parts->names.push_back(name);
    parts->certain = parts->certain && IsOnePart(type);
    return;
  }
  for (size_t i = 0; i < tuple->elements().size(); ++i) {
    const std::string own = tuple->schema() == nullptr ? std::to_string(i) : tuple->schema()->arguments()[i].name();
    AddParts(tuple->elements()[i], name.empty() ? own : name + "__" + own, parts);
  }
}

void ReadTuple(const c10::TupleType& tuple, const c10::TypePtr& type, MethodSchema* schema) {
  ResultParts parts;
  AddParts(type, "", &parts);
  const bool has_names = tuple.schema() != nullptr;
  if (parts.certain) schema->result_count = parts.names.size();
  if (!has_names) return;
  if (parts.certain) {
    schema->result_names = std::move(parts.names);
    return;
  }
  // A field's position must not depend on the length of a list before it.
  schema->flattens = false;
  schema->result_count = tuple.elements().size();
  for (const c10::Argument& field : tuple.schema()->arguments()) schema->result_names.push_back(field.name());
}

void ReadResult(const c10::TypePtr& type, MethodSchema* schema) {
  schema->gives_dict = type->kind() == c10::TypeKind::DictType;
  if (const auto tuple = type->cast<c10::TupleType>(); tuple != nullptr) {
    ReadTuple(*tuple, type, schema);
  } else if (KindOf(type) != ValueKind::kOther && type->kind() != c10::TypeKind::OptionalType) {
    schema->result_count = 1;
  }
}

base::Status CheckSources(const std::string& path) {
  caffe2::serialize::PyTorchStreamReader reader(path);
  for (const std::string& name : reader.getAllRecords()) {
    if (!name.ends_with(".py")) continue;
    const auto [data, size] = reader.getRecord(name);
    INFERD_RETURN_IF_ERROR(CheckSourceDepth({static_cast<const char*>(data.get()), size}));
  }
  return base::OkStatus();
}

// Finds the arguments to which the graph may write. An element of a list or a dict counts if anything like it does.
std::vector<bool> FindWrites(const torch::jit::Function& function) {
  const std::shared_ptr<torch::jit::Graph> graph = torch::jit::toGraphFunction(function).graph()->copy();
  torch::jit::Inline(*graph);
  const torch::jit::AliasDb aliases(graph);
  std::vector<bool> writes;
  for (size_t i = kSelf; i < graph->inputs().size(); ++i) writes.push_back(aliases.hasWriters(graph->inputs()[i]));
  return writes;
}

}  // namespace

LoadedMethod::LoadedMethod(torch::jit::Module module, const LoadSettings& settings)
    : module_(std::move(module)), method_(module_.get_method(settings.method)), settings_(settings) {
  ReadSchema();
  writes_ = FindWrites(method_.function());
  constant_ = module_._ivalue()->slots().empty();
}

base::Result<LoadedMethod> LoadedMethod::Load(const std::string& path, const LoadSettings& settings) {
  INFERD_RETURN_IF_ERROR(CheckSources(path));
  torch::jit::Module module = torch::jit::load(path, c10::Device(c10::kCPU));
  if (!module.find_method(settings.method).has_value()) {
    return std::unexpected(base::InvalidArgument("the module has no method '" + settings.method + "'"));
  }
  module.eval();
  std::string why_not_frozen;
  if (settings.freeze) {
    // Some modules cannot be frozen: they run unchanged.
    try {
      module = torch::jit::freeze(
          module, settings.method == "forward" ? std::nullopt : std::optional(std::vector{settings.method}));
    } catch (const std::exception& exception) {
      why_not_frozen = ErrorText(exception.what());
      module = torch::jit::load(path, c10::Device(c10::kCPU));
      module.eval();
    }
  }
  LoadedMethod loaded(std::move(module), settings);
  loaded.why_not_frozen_ = std::move(why_not_frozen);
  loaded.MakeExecutor();
  return loaded;
}

void LoadedMethod::ReadSchema() {
  const c10::FunctionSchema& schema = method_.function().getSchema();
  for (size_t i = kSelf; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    const bool may_be_none = argument.type()->kind() == c10::TypeKind::OptionalType;
    schema_.arguments.push_back({.name = argument.name(),
                                 .type = argument.type()->repr_str(),
                                 .kind = KindOf(argument.type()),
                                 .optional = may_be_none || argument.default_value().has_value()});
    defaults_.push_back(argument.default_value().value_or(c10::IValue()));
  }
  schema_.takes_dict = schema_.arguments.size() == 1 && IsStringDict(schema.arguments()[kSelf].type());
  if (schema.returns().size() == 1) ReadResult(schema.returns()[0].type(), &schema_);
}

void LoadedMethod::AddExample(const std::string& path) {
  if (!caffe2::serialize::PyTorchStreamReader(path).hasRecord("traced_inputs.pkl")) return;
  torch::jit::ExtraFilesMap none;
  const torch::jit::Module traced = torch::jit::import_ir_module(std::make_shared<torch::jit::CompilationUnit>(), path,
                                                                 c10::Device(c10::kCPU), none, false, true);
  const auto graph = torch::jit::toGraphFunction(traced.get_method(settings_.method).function()).graph();
  for (size_t i = 0; i < schema_.arguments.size() && i + kSelf < graph->inputs().size(); ++i) {
    const auto type = graph->inputs()[i + kSelf]->type()->cast<c10::TensorType>();
    if (type == nullptr || !type->scalarType().has_value()) continue;
    const std::optional<std::vector<int64_t>> sizes = type->sizes().concrete_sizes();
    if (!sizes.has_value()) continue;
    schema_.arguments[i].datatype = ToDatatype(*type->scalarType());
    schema_.arguments[i].example = *sizes;
  }
}

// The executor is made once for a function, by the current state of two switches of the library. They belong to the
// process, so they are set for that time.
void LoadedMethod::MakeExecutor() const {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const bool executor = torch::jit::getExecutorMode().exchange(settings_.new_executor);
  const bool profiling = torch::jit::getProfilingMode().exchange(settings_.profiling);
  torch::jit::toGraphFunction(method_.function()).get_executor();
  torch::jit::getExecutorMode() = executor;
  torch::jit::getProfilingMode() = profiling;
}

std::shared_ptr<const ModelFunction> LoadedMethod::CopyForInstance() const {
  if (constant_) return nullptr;
  auto copy = std::make_shared<LoadedMethod>(*this);
  copy->module_ = module_.deepcopy();
  copy->method_ = copy->module_.get_method(settings_.method);
  return copy;
}

c10::IValue LoadedMethod::Call(std::vector<c10::IValue> arguments) const {
  const torch::jit::GraphOptimizerEnabledGuard optimized(settings_.optimized);
  const c10::InferenceMode inference(settings_.inference_mode);
  const at::NoGradGuard no_gradients;
  return method_(std::move(arguments));
}

}  // namespace inferd::torchscript
