#pragma once

#include <filesystem>
#include <memory>

#include "base/logging.h"
#include "serving/core/engine.h"
#include "serving/enginehost/host_table.h"
#include "serving/enginehost/model/loaded_model.h"
#include "serving/enginehost/transfer/pinned_pool.h"

namespace inferd::enginehost {

struct EngineOptions {
  base::Logger* logger = nullptr;  // null for no log; must outlive the engines of the process
  // The process's pinned memory, for copies to and from GPUs. Null if there is none.
  std::shared_ptr<PinnedPool> pinned = nullptr;
  int cpu_threads = 0;  // compute threads of the process, shared by all versions of all engines; 0 for one per core
};

// An engine in a shared library that exports the symbol of inferd/engine_abi.h. Thread-safe. The library is never
// closed: vendors' libraries leave threads and registrations behind that would not survive it.
class PluginEngine final : public core::Engine {
 public:
  // Opens an engine. FAILED_PRECONDITION if the file is not a loadable library, is not an engine, has another ABI
  // version, or if the engine refuses to start. The message names the file.
  static base::Result<std::unique_ptr<PluginEngine>> Open(const std::filesystem::path& path,
                                                          const EngineOptions& options);

  std::string_view name() const override { return opened_.name; }
  std::string_view version() const override { return opened_.version; }
  std::string_view default_model_filename() const override { return opened_.default_model_filename; }
  config::EngineGpus gpus() const override {
    return {opened_.device_count, opened_.prefers_devices, opened_.why_no_gpus};
  }
  base::Result<std::unique_ptr<core::EngineModel>> Load(const core::LoadSpec& spec) override;

  // Sets the server whose models the engine's models may call. Null ends that.
  void CallWith(core::ServerCalls* server) { host_->calls->CallWith(server); }

  // The library's path.
  const std::filesystem::path& path() const { return path_; }
  int32_t device_count() const { return opened_.device_count; }  // GPUs
  const CopyCounters& copies() const { return opened_.copies; }

 private:
  explicit PluginEngine(const EngineOptions& options);

  EngineOptions options_;
  std::filesystem::path path_;
  HostTable* host_;  // the library keeps it as long as the process lives
  OpenedEngine opened_;
};

}  // namespace inferd::enginehost
