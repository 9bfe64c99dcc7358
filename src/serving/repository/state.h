#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "serving/repository/demand/load_demands.h"
#include "serving/repository/manager_options.h"
#include "serving/repository/records/catalog_publisher.h"
#include "serving/repository/records/departed_models.h"
#include "serving/repository/records/model_records.h"
#include "serving/repository/records/problem_log.h"
#include "serving/repository/records/readiness.h"
#include "serving/repository/room/room_keeper.h"
#include "serving/repository/tree/source.h"

namespace inferd::repository {

// The state that the parts of a manager share, under one lock. Methods that need the lock held take the state by
// reference and declare it.
struct State {
  State(const ManagerOptions& options, const ManagerServices& services, const LazyMetrics& lazy_metrics)
      : records(options.ready_models),
        room(options.lazy.budget),
        demands(options.lazy, services.clock, services.snapshots, lazy_metrics),
        publisher(services.snapshots, services.metrics, options.triton_exact),
        readiness(options.readiness) {}

  base::Status CheckRepository(const std::string& repository) const REQUIRES(mutex) {
    const bool known = repository.empty() || std::ranges::find(repositories, repository) != repositories.end();
    return known ? base::OkStatus() : base::NotFound("there is no model repository '" + repository + "'");
  }

  mutable base::Mutex mutex;
  base::CondVar changed;  // signalled when a wait may be over
  std::vector<std::string> repositories GUARDED_BY(mutex);
  ModelRecords records GUARDED_BY(mutex);
  RoomKeeper room GUARDED_BY(mutex);
  LoadDemands demands GUARDED_BY(mutex);
  CatalogPublisher publisher GUARDED_BY(mutex);
  Readiness readiness GUARDED_BY(mutex);
  DepartedModels departed GUARDED_BY(mutex);
  ProblemLog problems GUARDED_BY(mutex);            // keyed by model
  bool started GUARDED_BY(mutex) = false;           // the first look is done
  std::string bad_configuration GUARDED_BY(mutex);  // why nothing is loaded: bad_configuration_ends_startup
  bool stopping GUARDED_BY(mutex) = false;
  int busy GUARDED_BY(mutex) = 0;  // looks and calls in progress, loads that have not ended
  uint64_t generations GUARDED_BY(mutex) = 0;
};

// The model folders, under a lock of their own. Take it before the state's lock.
struct LockedSource {
  base::Mutex mutex;
  std::unique_ptr<Source> source GUARDED_BY(mutex);  // null before Start()
};

}  // namespace inferd::repository
