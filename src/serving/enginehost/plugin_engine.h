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
  base::Logger* logger = nullptr;  // outlives the process's engines; null: silence
  // Pinned memory of the process, for copies to GPUs and back; null: there is none.
  std::shared_ptr<PinnedPool> pinned = nullptr;
  int cpu_threads = 0;  // compute threads of the whole process, shared by all versions of all engines; 0: one per core
};

// An engine in a shared library that exports inferd/engine_abi.h's symbol. Thread-safe. The library is never closed:
// those of vendors leave threads and registrations behind that do not survive it.
class PluginEngine final : public core::Engine {
 public:
  // FAILED_PRECONDITION: not a loadable library, not an engine, of another ABI version, or the engine refuses to start;
  // the message names the file.
  static base::Result<std::unique_ptr<PluginEngine>> Open(const std::filesystem::path& path,
                                                          const EngineOptions& options);

  std::string_view name() const override { return opened_.name; }
  std::string_view version() const override { return opened_.version; }
  std::string_view default_model_filename() const override { return opened_.default_model_filename; }
  config::EngineGpus gpus() const override { return {opened_.device_count, opened_.prefers_devices}; }
  base::Result<std::unique_ptr<core::EngineModel>> Load(const core::LoadSpec& spec) override;

  // Without it, models of the engine can call no others. Null: that is over.
  void CallWith(core::ServerCalls* server) { host_->calls->CallWith(server); }

  // Of the library.
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
