#include "engines/torch/torch_model.h"

#include <dlfcn.h>

#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "engines/kit/background.h"
#include "engines/kit/compute_threads.h"
#include "engines/kit/load_cores.h"
#include "engines/kit/parameters.h"
#include "engines/torch/function/compiled_package.h"
#include "engines/torch/function/error_text.h"
#include "engines/torch/function/loaded_method.h"

namespace inferd::torchscript {

namespace {

// For the loading thread: the library recurses for each class of a file that has a member of another class.
constexpr size_t kLoadStackBytes = size_t{256} << 20;

// A package is recognized by its name, or by Triton's backend for packages.
bool IsPackage(const std::filesystem::path& path, const inferd_load& load) {
  return path.extension() == ".pt2" || kit::ToView(load.backend) == "torch_aoti";
}

base::Result<std::string> FindFile(const inferd_load& load) {
  const std::filesystem::path path(kit::ToView(load.model_file));
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return std::unexpected(base::NotFound("model file '" + path.string() + "' does not exist"));
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    return std::unexpected(base::InvalidArgument("model file '" + path.string() + "' is no regular file"));
  }
  return path.string();
}

// Opening a library registers its operators, for the life of the process.
base::Status OpenOperators(const inferd_load& load) {
  for (size_t i = 0; i < load.op_library_count; ++i) {
    const std::string path(kit::ToView(load.op_libraries[i]));
    const std::string what = "custom operator library '" + path + "': ";
    try {
      if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) return base::InvalidArgument(what + dlerror());
    } catch (const std::exception& exception) {
      return base::InvalidArgument(what + ErrorText(exception.what()));
    }
  }
  return base::OkStatus();
}

void Log(const inferd_host* host, const inferd_load& load, const std::string& what) {
  const std::string line = "model '" + std::string(kit::ToView(load.model_name)) + "': " + what;
  host->log(host, INFERD_LOG_INFO, {line.data(), line.size()});
}

void LogIgnored(const inferd_host* host, const inferd_load& load, const LoadSettings& settings) {
  for (const std::string& name : settings.ignored) Log(host, load, "parameter '" + name + "' has no effect here");
}

struct Parts {
  std::shared_ptr<const ModelFunction> function;
  TorchSignature signature;
};

base::Result<std::shared_ptr<const ModelFunction>> ReadMethod(const std::string& path, const inferd_host* host,
                                                              const inferd_load& load, const LoadSettings& settings) {
  INFERD_ASSIGN_OR_RETURN(LoadedMethod method, LoadedMethod::Load(path, settings));
  if (load.declared->input_count == 0) method.AddExample(path);
  if (const std::string& why = method.why_not_frozen(); !why.empty()) {
    Log(host, load, "it is not frozen, and each instance has weights of its own: " + why);
  }
  return std::make_shared<LoadedMethod>(std::move(method));
}

base::Result<Parts> Read(const std::string& path, const inferd_host* host, const inferd_load& load,
                         const LoadSettings& settings, int compute_threads) {
  std::shared_ptr<const ModelFunction> function;
  if (IsPackage(path, load)) {
    INFERD_ASSIGN_OR_RETURN(function, CompiledPackage::Load(path, settings));
  } else {
    INFERD_ASSIGN_OR_RETURN(function, ReadMethod(path, host, load, settings));
  }
  INFERD_ASSIGN_OR_RETURN(TorchSignature signature, TorchSignature::Make(load, *function, compute_threads));
  return Parts{.function = std::move(function), .signature = std::move(signature)};
}

}  // namespace

base::Result<std::unique_ptr<TorchModel>> TorchModel::Load(const inferd_host* host, const inferd_load& load) {
  INFERD_ASSIGN_OR_RETURN(const LoadSettings settings, LoadSettings::Parse(load));
  INFERD_ASSIGN_OR_RETURN(const std::string path, FindFile(load));
  INFERD_RETURN_IF_ERROR(OpenOperators(load));
  LogIgnored(host, load, settings);
  const int compute_threads =
      settings.intra_op_threads > 0 ? settings.intra_op_threads : kit::ComputeThreads(load, path);
  base::Result<Parts> parts = std::unexpected(base::Internal("nothing was read"));
  const base::OnCpuCores here(kit::LoadCores(load));
  // Loading uses a core for its whole duration, which models that serve meanwhile should not notice. Exceptions must
  // not leave the background thread.
  kit::RunInBackground(
      [&] {
        try {
          parts = Read(path, host, load, settings, compute_threads);
        } catch (const std::bad_alloc&) {
          parts = std::unexpected(base::ResourceExhausted("there is no memory to load the model"));
        } catch (const std::exception& exception) {
          parts = std::unexpected(base::InvalidArgument(ErrorText(exception.what())));
        }
      },
      kLoadStackBytes);
  if (!parts.has_value()) return std::unexpected(parts.error().WithContext("model file '" + path + "'"));
  return std::unique_ptr<TorchModel>(
      new TorchModel(host, std::move(parts->function), std::move(parts->signature), compute_threads));
}

std::shared_ptr<const ModelFunction> TorchModel::FunctionForInstance() const {
  std::shared_ptr<const ModelFunction> copy = function_->CopyForInstance();
  return copy == nullptr ? function_ : copy;
}

}  // namespace inferd::torchscript
