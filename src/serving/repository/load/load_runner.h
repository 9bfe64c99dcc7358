#pragma once

#include <cstdint>
#include <memory>

#include "base/logging.h"
#include "base/thread_pool.h"
#include "serving/repository/load/load_metrics.h"
#include "serving/repository/load/loader.h"

namespace inferd::repository {

// What is told of loads, on the pools' threads. For each load: LoadEnded, then LoadDone, and when nothing that was made
// for it is left, LoadGone, which comes before LoadDone where the load left nothing. No pool is touched for
// the load behind LoadGone.
class LoadListener {
 public:
  // True: what has not begun is not loaded any more.
  virtual bool Stopping() const = 0;
  virtual void LoadEnded(const core::ModelId& id, base::Result<std::shared_ptr<const core::ModelVersion>> loaded) = 0;
  virtual void LoadGone(const LoadMetrics::Version& load) = 0;
  virtual void LoadDone() = 0;

 protected:
  ~LoadListener() = default;
};

// A version's way up, and its end: runs loads on a pool, and says what became of them, to the log too. Thread-safe. All
// that is referred to outlives it; the pools end before it does.
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

  // Returns at once.
  void Start(LoadJob job);

 private:
  // Its end is that of a load: all that was made for it is gone.
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
  const uint32_t repeats_;  // of a load that fails
  const bool triton_words_;
};

}  // namespace inferd::repository
