#include "engines/torch/function/compiled_package.h"

#include <ATen/core/grad_mode.h>
#include <ATen/cpu/Utils.h>
#include <c10/core/InferenceMode.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include "engines/torch/function/package_schema.h"

namespace inferd::torchscript {

namespace {

using Loader = torch::inductor::AOTIModelPackageLoader;
using Metadata = std::unordered_map<std::string, std::string>;

constexpr std::string_view kCodeFolder = "data/aotinductor/";
constexpr unsigned kRunnersMax = 64;

// Returns the model of the package's code: "model" of "data/aotinductor/model/c7x.wrapper.so".
base::Result<std::string> FindModel(const std::string& path) {
  std::set<std::string> models;
  for (const std::string& record : caffe2::serialize::PyTorchStreamReader(path).getAllRecords()) {
    if (!record.starts_with(kCodeFolder) || !record.ends_with(".so")) continue;
    models.insert(record.substr(kCodeFolder.size(), record.find('/', kCodeFolder.size()) - kCodeFolder.size()));
  }
  if (models.empty()) {
    return std::unexpected(
        base::InvalidArgument("it has no compiled code: a program of torch.export.save() runs in Python alone, and "
                              "torch._inductor.aoti_compile_and_package() compiles it"));
  }
  if (models.size() > 1 && !models.contains("model")) {
    return std::unexpected(base::InvalidArgument("it has several models, and none is called 'model'"));
  }
  return models.size() == 1 ? *models.begin() : "model";
}

std::string ValueOf(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

// `word` is PyTorch's name of an instruction set, in lower case.
bool HasInstructions(const std::string& word) {
  if (word == "invalid_vec_isa") return true;  // none beyond the compiler's own
  static const std::unordered_map<std::string, c10::IValue> capabilities = at::cpu::get_cpu_capabilities();
  const auto has = [](const std::string& name) {
    const auto found = capabilities.find(name);
    return found != capabilities.end() && found->second.isBool() && found->second.toBool();
  };
  if (word == "avx512") return has("avx512_f") && has("avx512_bw") && has("avx512_dq") && has("avx512_vl");
  return has(word);
}

// Code for another machine crashes the process, or computes wrong results.
base::Status CheckMachine(const Metadata& metadata) {
  if (const std::string device = ValueOf(metadata, "AOTI_DEVICE_KEY"); device != "cpu") {
    return base::InvalidArgument("it is compiled for the device '" + device + "', and the engine runs on the CPU");
  }
  if (const std::string machine = ValueOf(metadata, "AOTI_MACHINE"); machine != "x86_64") {
    return base::InvalidArgument("it is compiled for machines of '" + machine + "', and this one is x86_64");
  }
  std::string list = ValueOf(metadata, "AOTI_CPU_ISA");
  std::ranges::transform(list, list.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    if (!HasInstructions(word)) {
      return base::InvalidArgument("it is compiled for processors with '" + word + "', and this one is without");
    }
  }
  return base::OkStatus();
}

}  // namespace

CompiledPackage::CompiledPackage(std::unique_ptr<Loader> loader, MethodSchema schema, bool inference_mode)
    : loader_(std::move(loader)), schema_(std::move(schema)), inference_mode_(inference_mode) {}

CompiledPackage::~CompiledPackage() = default;

base::Result<std::shared_ptr<const ModelFunction>> CompiledPackage::Load(const std::string& path,
                                                                         const LoadSettings& settings) {
  INFERD_ASSIGN_OR_RETURN(const std::string model, FindModel(path));
  INFERD_RETURN_IF_ERROR(CheckMachine(Loader::load_metadata_from_package(path, model)));
  const unsigned runners = std::clamp(std::thread::hardware_concurrency(), 1U, kRunnersMax);
  auto loader = std::make_unique<Loader>(path, model, false, runners);
  const std::vector<std::string> specs = loader->get_call_spec();
  if (specs.size() != 2) return std::unexpected(base::InvalidArgument("it does not say its arguments"));
  INFERD_ASSIGN_OR_RETURN(MethodSchema schema, ParsePackageSchema(specs[0], specs[1]));
  return std::shared_ptr<const ModelFunction>(
      new CompiledPackage(std::move(loader), std::move(schema), settings.inference_mode));
}

c10::IValue CompiledPackage::Call(std::vector<c10::IValue> arguments) const {
  const c10::InferenceMode inference(inference_mode_);
  const at::NoGradGuard no_gradients;
  std::vector<at::Tensor> inputs;
  inputs.reserve(arguments.size());
  for (c10::IValue& argument : arguments) inputs.push_back(std::move(argument).toTensor());
  std::vector<c10::IValue> answer;
  for (at::Tensor& output : loader_->boxed_run(std::move(inputs))) answer.emplace_back(std::move(output));
  return c10::ivalue::Tuple::create(std::move(answer));
}

}  // namespace inferd::torchscript
