// The torch engine as the server opens it at its start. With its first model it opens the part that is linked with
// libtorch, which takes a quarter of a second and 140 MB.

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>

#include "inferd/engine_abi.h"

namespace inferd::torchscript {

namespace {

using Entry = decltype(&inferd_engine_v1);

const inferd_host* server = nullptr;    // set before anything else is called
const inferd_engine* opened = nullptr;  // set by the first load, which precedes all other calls

// The path is beside the engines, in the folder of this engine's libraries.
std::string LibraryPath() {
  Dl_info here = {};
  if (::dladdr(reinterpret_cast<void*>(&inferd_engine_v1), &here) == 0) return "";
  return std::filesystem::path(here.dli_fname).parent_path().parent_path() / "torch" / "inferd_torch.so";
}

int32_t Fail(inferd_error* error, const std::string& text) {
  server->set_error(error, INFERD_UNAVAILABLE, {text.data(), text.size()});
  return INFERD_UNAVAILABLE;
}

int32_t Open(inferd_error* error) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  if (opened != nullptr) return INFERD_OK;
  void* const library = ::dlopen(LibraryPath().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Fail(error, std::string("libtorch cannot be opened: ") + ::dlerror());
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, "inferd_engine_v1"));
  if (entry == nullptr) return Fail(error, LibraryPath() + " is no engine");
  const inferd_engine* const engine = entry(server, error);
  if (engine == nullptr) return INFERD_UNAVAILABLE;
  opened = engine;
  return INFERD_OK;
}

int32_t Load(const inferd_load* load, inferd_model** model, inferd_error* error) {
  const int32_t code = Open(error);
  return code == INFERD_OK ? opened->load(load, model, error) : code;
}

void Unload(inferd_model* model) { opened->unload(model); }

const inferd_signature* Signature(inferd_model* model) { return opened->signature(model); }

int32_t CreateInstance(inferd_model* model, const inferd_instance_spec* spec, inferd_instance** instance,
                       inferd_error* error) {
  return opened->create_instance(model, spec, instance, error);
}

void DestroyInstance(inferd_instance* instance) { opened->destroy_instance(instance); }

int32_t Execute(inferd_instance* instance, const inferd_batch* batch, inferd_error* error) {
  return opened->execute(instance, batch, error);
}

}  // namespace

}  // namespace inferd::torchscript

const inferd_engine* inferd_engine_v1(const inferd_host* host, inferd_error*) {
  namespace engine = inferd::torchscript;
  engine::server = host;
  // Code of AOTInductor packages checks its inputs only if this is set; otherwise it reads past the end of inputs for
  // which it was not compiled. Set before other threads read the environment.
  ::setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", 0);
  static const inferd_engine table = {.struct_size = sizeof(inferd_engine),
                                      .abi_version = INFERD_ENGINE_ABI_VERSION,
                                      .name = "torch",
                                      .version = INFERD_TORCH_VERSION,
                                      .default_model_filename = "model.pt",
                                      .load = engine::Load,
                                      .unload = engine::Unload,
                                      .signature = engine::Signature,
                                      .create_instance = engine::CreateInstance,
                                      .destroy_instance = engine::DestroyInstance,
                                      .execute = engine::Execute,
                                      .other_signature = nullptr,
                                      .open_signature = nullptr,
                                      .device_memory = nullptr,
                                      .allocate_input = nullptr,
                                      .check_ready = nullptr};
  return &table;
}
