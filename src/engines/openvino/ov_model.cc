#include "engines/openvino/ov_model.h"

#include <algorithm>
#include <exception>
#include <map>
#include <new>
#include <openvino/core/except.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engines/kit/background.h"
#include "engines/kit/compute_threads.h"
#include "engines/kit/load_cores.h"
#include "engines/kit/parameters.h"
#include "engines/openvino/error_text.h"
#include "engines/openvino/graph_outputs.h"
#include "engines/openvino/model_file.h"

namespace inferd::openvino {

namespace {

base::Status AddOperators(ov::Core* core, const inferd_load& load) {
  for (size_t i = 0; i < load.op_library_count; ++i) {
    const std::string path(kit::ToView(load.op_libraries[i]));
    try {
      core->add_extension(path);
    } catch (const ov::Exception& exception) {
      return base::InvalidArgument("custom operator library '" + path + "': " + ErrorText(exception.what()));
    }
  }
  return base::OkStatus();
}

// Returns the shapes of all inputs: the configuration's, if they apply, then those of its parameters.
base::Result<std::vector<ov::PartialShape>> WantedShapes(const inferd_load& load, const CompileSettings& settings,
                                                         const OvSignature& signature, const ov::Model& model) {
  std::vector<std::string> names;
  std::vector<ov::PartialShape> shapes;
  for (const OvTensor& input : signature.inputs()) {
    names.push_back(input.name);
    shapes.push_back(model.input(shapes.size()).get_partial_shape());
  }
  for (size_t i = 0; settings.reshape && i < load.declared->input_count; ++i) {
    const inferd_tensor_spec& declared = *load.declared->inputs[i];
    const auto found = std::ranges::find(names, kit::ToView(declared.name));
    if (found == names.end()) continue;
    shapes[static_cast<size_t>(found - names.begin())] =
        ov::PartialShape(std::vector<ov::Dimension>(declared.shape, declared.shape + declared.rank));
  }
  return settings.shapes.Apply(names, std::move(shapes));
}

base::Status Reshape(const std::vector<ov::PartialShape>& shapes, ov::Model* model) {
  std::map<size_t, ov::PartialShape> by_input;
  for (size_t i = 0; i < shapes.size(); ++i) by_input.emplace(i, shapes[i]);
  try {
    model->reshape(by_input);
  } catch (const ov::Exception& exception) {
    return base::InvalidArgument("the model does not take the shapes that the configuration has: " +
                                 ErrorText(exception.what()));
  }
  return base::OkStatus();
}

bool FollowsRows(const ov::Model& model) {
  return std::ranges::all_of(model.outputs(), [](const auto& output) {
    const ov::PartialShape& shape = output.get_partial_shape();
    return shape.rank().is_static() && shape.size() > 0 && shape[0].is_dynamic();
  });
}

// A TensorFlow Lite file has the sizes for which it was converted, mostly one row. Returns the model for any number of
// rows. Returns it unchanged if its inputs do not begin with one row, or its operators or outputs have that size built
// in.
std::shared_ptr<ov::Model> WithAnyRows(std::shared_ptr<ov::Model> model) {
  std::map<size_t, ov::PartialShape> shapes;
  for (size_t i = 0; i < model->inputs().size(); ++i) {
    ov::PartialShape shape = model->input(i).get_partial_shape();
    if (shape.rank().is_dynamic() || shape.size() == 0 || shape[0] != ov::Dimension(1)) return model;
    shape[0] = ov::Dimension::dynamic();
    shapes.emplace(i, std::move(shape));
  }
  try {
    std::shared_ptr<ov::Model> any = model->clone();
    any->reshape(shapes);
    return FollowsRows(*any) ? any : model;
  } catch (const ov::Exception&) {
    return model;
  }
}

base::Result<OvSignature> ReadSignature(const inferd_load& load, const CompileSettings& settings,
                                        const FileNames& names, int compute_threads, ov::Model* model) {
  auto signature = OvSignature::Read(*model, names, compute_threads);
  if (!signature.has_value() || (!settings.reshape && settings.shapes.empty())) return signature;
  INFERD_ASSIGN_OR_RETURN(const auto shapes, WantedShapes(load, settings, *signature, *model));
  INFERD_RETURN_IF_ERROR(Reshape(shapes, model));
  return OvSignature::Read(*model, names, compute_threads);
}

void WarnOfWideNumbers(const inferd_host* host, const inferd_load& load, const OvSignature& signature) {
  for (const OvTensor& input : signature.inputs()) {
    if (input.type.size() < sizeof(int64_t)) continue;
    const std::string line = "model '" + std::string(kit::ToView(load.model_name)) + "': input '" + input.name +
                             "' is of type " + input.type.get_type_name() + "; OpenVINO computes with 32 bits";
    host->log(host, INFERD_LOG_WARNING, {line.data(), line.size()});
  }
}

}  // namespace

base::Result<std::unique_ptr<OvModel>> OvModel::Load(const inferd_host* host, ov::Core* core, const inferd_load& load) {
  INFERD_ASSIGN_OR_RETURN(const CompileSettings settings, CompileSettings::Parse(load));
  INFERD_ASSIGN_OR_RETURN(const ModelFile file, ModelFile::Find(load));
  INFERD_RETURN_IF_ERROR(AddOperators(core, load));
  const int compute_threads =
      settings.inference_threads > 0 ? settings.inference_threads : kit::ComputeThreads(load, file.path.parent_path());
  base::Result<std::unique_ptr<OvModel>> loaded = std::unexpected(base::Internal("nothing was read"));
  const auto read_and_compile = [&]() -> base::Result<std::unique_ptr<OvModel>> {
    INFERD_ASSIGN_OR_RETURN(std::shared_ptr<ov::Model> model, file.Read(*core));
    if (file.graph) {
      INFERD_ASSIGN_OR_RETURN(model, SelectOutputs(std::move(model), *load.declared));
    }
    if (file.lite && !settings.reshape && settings.shapes.empty()) model = WithAnyRows(std::move(model));
    INFERD_ASSIGN_OR_RETURN(OvSignature signature,
                            ReadSignature(load, settings, file.ReadNames(), compute_threads, model.get()));
    ov::AnyMap properties;
    for (const auto& [name, value] : settings.PropertiesFor(compute_threads)) properties[name] = value;
    std::unique_ptr<OvModel> made(
        new OvModel(host, core, std::move(model), std::move(properties), std::move(signature)));
    INFERD_ASSIGN_OR_RETURN(ov::CompiledModel compiled, made->Compile());
    const base::MutexLock lock(made->mutex_);
    made->first_ = std::move(compiled);
    return made;
  };
  const base::OnCpuCores here(kit::LoadCores(load));
  // Compiling uses a core for its whole duration, which models that serve meanwhile should not notice; but threads that
  // will serve later would keep the low priority. Exceptions must not leave the background thread.
  const auto run = [&] {
    try {
      loaded = read_and_compile();
    } catch (const std::bad_alloc&) {
      loaded = std::unexpected(base::ResourceExhausted("there is no memory to load the model"));
    } catch (const std::exception& exception) {
      loaded = std::unexpected(
          base::InvalidArgument("model file '" + file.path.string() + "': " + ErrorText(exception.what())));
    }
  };
  compute_threads > 1 ? run() : kit::RunInBackground(run);
  if (loaded.has_value()) WarnOfWideNumbers(host, load, (*loaded)->tensors());
  return loaded;
}

base::Result<ov::CompiledModel> OvModel::Compile() const {
  try {
    return core_->compile_model(model_, "CPU", properties_);
  } catch (const ov::Exception& exception) {
    return std::unexpected(base::InvalidArgument("OpenVINO cannot compile the model: " + ErrorText(exception.what())));
  }
}

base::Result<ov::CompiledModel> OvModel::TakeCompiled() {
  {
    const base::MutexLock lock(mutex_);
    if (first_.has_value()) return *std::exchange(first_, std::nullopt);
  }
  return Compile();
}

}  // namespace inferd::openvino
