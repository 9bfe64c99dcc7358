#pragma once

#include <cstdint>
#include <memory>

#include "base/logging.h"
#include "base/thread_pool.h"
#include "serving/repository/load/load_metrics.h"
#include "serving/repository/load/loader.h"

namespace inferd::repository {

// Events of loads, called on the pools' threads. For each load: LoadEnded(), then LoadDone(). LoadGone() comes when
// nothing that was made for the load is left, and before LoadDone() if the load left nothing. After LoadGone(), no pool
// is touched for that load.
class LoadListener {
 public:
  // Returns true if loads that have not begun must not begin any more.
  virtual bool Stopping() const = 0;
  virtual void LoadEnded(const core::ModelId& id, base::Result<std::shared_ptr<const core::ModelVersion>> loaded) = 0;
  virtual void LoadGone(const LoadMetrics::Version& load) = 0;
  virtual void LoadDone() = 0;

 protected:
  ~LoadListener() = default;
};

// Loads and ends versions: runs loads on a pool and reports their results, also in the log. Thread-safe. The references
// must outlive the object; the pools must end before it.
class LoadRunner final {
 public:
  LoadRunner(const Loader& loader, LoadMetrics& metrics, const base::Clock& clock, base::Logger& logger,
             base::ThreadPool& load_pool, base::ThreadPool& retire_pool, LoadListener& listener, uint32_t repeats = 0,
             bool triton_words = false)
      : loader_(loader),
        metrics_(metrics),
        clock_(clock),
        logger_(logger),
        load_pool_(load_pool),
        retire_pool_(retire_pool),
        listener_(listener),
        repeats_(repeats),
        triton_words_(triton_words) {}

  // Starts the load. Returns at once.
  void Start(LoadJob job);

 private:
  // Its destructor ends a load: everything that was made for the load is gone.
  class EndNotice;

  void Run(const LoadJob& job);
  base::Result<std::shared_ptr<const core::ModelVersion>> LoadNow(const LoadJob& job) const;
  void Log(const core::ModelId& id, const base::Result<std::shared_ptr<const core::ModelVersion>>& loaded) const;
  void Gone(const LoadMetrics::Version& load);

  const Loader& loader_;
  LoadMetrics& metrics_;
  const base::Clock& clock_;
  base::Logger& logger_;
  base::ThreadPool& load_pool_;
  base::ThreadPool& retire_pool_;
  LoadListener& listener_;
  const uint32_t repeats_;  // repeats of a failed load
  const bool triton_words_;
};

}  // namespace inferd::repository
