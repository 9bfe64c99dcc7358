#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/executor.h"
#include "serving/core/dispatcher.h"
#include "serving/core/graph_calls.h"
#include "serving/core/inflight_limit.h"
#include "serving/core/model/readiness_probe.h"
#include "serving/core/scheduler.h"

namespace inferd::core {

// One load of one version of a model, with everything that is needed to serve it. Immutable, and so thread-safe; the
// scheduler and the statistics have their own synchronisation. The catalog and the requests in flight share it. The
// last holder destroys it.
class ModelVersion final : public PinnedModel {
 public:
  // Another signature of the version, and its scheduler.
  struct Function {
    std::shared_ptr<const ModelSignature> signature;
    std::unique_ptr<Scheduler> scheduler;
  };
  struct Parts {
    ModelId id;
    uint64_t generation = 0;  // counts loads over the server's life; tells a version from its replacement
    std::string repository;
    std::string platform;                               // as metadata shows it
    std::shared_ptr<const config::ModelConfig> config;  // completed
    std::shared_ptr<const ModelSignature> signature;    // labels and alternative tensors included
    std::shared_ptr<VersionStatistics> statistics;
    std::unique_ptr<Scheduler> scheduler;
    std::vector<Function> others = {};
    std::vector<ModelSignature> shown = {};             // only shown: requests cannot use them
    std::unique_ptr<GraphCalls> graph_calls = nullptr;  // null if its graph cannot be called
    std::shared_ptr<InputMemory> input_memory = nullptr;
    Availability availability = nullptr;
    std::unique_ptr<ReadinessProbe> readiness =
        nullptr;  // null if its code has no readiness check. Destroyed before its instances
  };

  // Creates a version. `retire` outlives it. The version is destroyed there (which joins threads and frees a model, so
  // never on a loop), and then `gone` runs.
  static std::shared_ptr<const ModelVersion> Create(Parts parts, base::Executor& retire, base::Task gone = nullptr);

  ~ModelVersion() override;

  const ModelSignature& signature() const override { return *signatures_.front(); }
  const ModelSignature& accepted() const override { return *parts_.signature; }
  std::span<const ModelSignature* const> signatures() const override { return signatures_; }
  std::span<const ModelSignature* const> shown_signatures() const override { return shown_; }
  const std::string& version() const override { return version_text_; }
  const config::ModelConfig* configuration() const override { return parts_.config.get(); }
  InputMemory* input_memory() const override { return parts_.input_memory.get(); }
  void CountRefused(int64_t total_ns, int64_t rows) const override;
  const ModelId& id() const { return parts_.id; }
  uint64_t generation() const { return parts_.generation; }
  const std::string& repository() const { return parts_.repository; }
  const std::string& platform() const { return parts_.platform; }
  const config::ModelConfig& config() const { return *parts_.config; }
  int64_t pending() const override { return parts_.statistics->pending(); }
  VersionStatistics& statistics() const { return *parts_.statistics; }
  std::shared_ptr<const VersionStatistics> shared_statistics() const { return parts_.statistics; }
  InflightLimit::Share& share() const { return share_; }  // of the server's requests in flight
  // Returns OK, or why requests to it fail at present.
  base::Status Available() const { return parts_.availability ? parts_.availability() : base::OkStatus(); }
  ReadinessProbe* readiness() const { return parts_.readiness.get(); }
  // Notes that a request has arrived: where memory is short, the least recently used versions are unloaded first. Costs
  // one shared read. The time is stored without its last bits, so that the cache line is written at most a thousand
  // times a second.
  void NoteUse(int64_t now_ns) const {
    const int64_t coarse_ns = now_ns & ~kUseResolutionMask;
    if (used_ns_.load(std::memory_order_relaxed) != coarse_ns) used_ns_.store(coarse_ns, std::memory_order_relaxed);
  }
  int64_t used_ns() const { return used_ns_.load(std::memory_order_relaxed); }
  GraphCalls* graph_calls() const { return parts_.graph_calls.get(); }  // null if its graph cannot be called
  // Returns the scheduler of the signature at this index in signatures().
  Scheduler& scheduler(size_t signature = 0) const {
    return signature == 0 ? *parts_.scheduler : *parts_.others[signature - 1].scheduler;
  }

 private:
  static constexpr int64_t kUseResolutionMask = (1 << 20) - 1;  // about a millisecond

  explicit ModelVersion(Parts parts);

  mutable InflightLimit::Share share_;  // thread-safe
  Parts parts_;
  std::optional<ModelSignature> shown_signature_;  // parts_.signature without alternative tensors, if it has such
  std::vector<const ModelSignature*> signatures_;
  std::vector<const ModelSignature*> shown_;
  std::string version_text_;
  mutable std::atomic<int64_t> used_ns_{0};
};

}  // namespace inferd::core
