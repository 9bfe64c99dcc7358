#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/object_writer.h"
#include "kserve/cluster/objects/pod_objects.h"
#include "kserve/cluster/queue/outcome.h"
#include "kserve/cluster/services/decision.h"
#include "kserve/cluster/services/model_reporter.h"
#include "kserve/cluster/services/status_reporter.h"

namespace inferd::cluster {

// Makes of one InferenceService its objects, and of what becomes of them its status:
//
//   decide -> write what differs -> remove what is not wanted any more -> observe -> report
//
// A service that cannot be decided about keeps its objects. It has no memory: all that it goes by is in the cluster.
// Thread-safe for different services; calls block.
class ServiceReconciler final {
 public:
  // All outlive it. `has_pod_webhook`: whether pods are given what they lack while they are made (ReviewPod). When that
  // changes, all services are to be looked at again.
  ServiceReconciler(const ClusterView& view, PodObjects& pod_objects, ObjectWriter& writer, StatusReporter& reporter,
                    ModelReporter& models, kubernetes::Client& client, std::function<bool()> has_pod_webhook,
                    base::Logger& logger)
      : view_(view),
        pod_objects_(pod_objects),
        writer_(writer),
        reporter_(reporter),
        models_(models),
        client_(client),
        has_pod_webhook_(std::move(has_pod_webhook)),
        logger_(logger) {}

  Outcome Reconcile(const kubernetes::ObjectName& name, const std::stop_token& stop);

  // Reads what credentials are made of. UNAVAILABLE, and what else may be mended by another try: it cannot be read.
  kubernetes::ApiResult<Decision> DecideAbout(const manifest::Value& document, const std::vector<LabelledObject>& there,
                                              const std::stop_token& stop) const;

 private:
  struct Failures;

  // Whether it went well, or need not.
  bool ReportModels(const kubernetes::ObjectName& name, const ModelHost& host, const std::stop_token& stop);
  // Nothing is decided about the service, which is said.
  Outcome Wait(const manifest::Value& live, const model::ObservedCondition& why, const std::stop_token& stop);
  Outcome Finalize(const manifest::Value& live, const std::stop_token& stop);
  static model::ServiceState Observe(const Decision& decision, const std::vector<LabelledObject>& there);

  const ClusterView& view_;
  PodObjects& pod_objects_;
  ObjectWriter& writer_;
  StatusReporter& reporter_;
  ModelReporter& models_;
  kubernetes::Client& client_;
  const std::function<bool()> has_pod_webhook_;
  base::Logger& logger_;
};

}  // namespace inferd::cluster
