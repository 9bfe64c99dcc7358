#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "kserve/cluster/guard/change_guard.h"
#include "kserve/cluster/objects/cluster_view.h"
#include "kserve/cluster/objects/object_writer.h"
#include "kserve/cluster/objects/pod_objects.h"
#include "kserve/cluster/queue/outcome.h"
#include "kserve/cluster/services/decision.h"
#include "kserve/cluster/services/model_reporter.h"
#include "kserve/cluster/services/status_reporter.h"

namespace inferd::cluster {

// Reconciles one InferenceService: writes its objects, and reports their state in its status.
//
//   decide -> ask the guard -> write what differs -> remove what is not wanted any more -> observe -> report
//
// A service keeps its objects if no decision is possible, or while the guard holds its change. The reconciler has no
// memory: all its inputs are in the cluster. Thread-safe for different services; calls block.
class ServiceReconciler final {
 public:
  // All references must outlive the reconciler. `has_pod_webhook` returns true if a webhook completes pods when they
  // are created (ReviewPod). When its result changes, the caller must queue all services.
  ServiceReconciler(const ClusterView& view, PodObjects& pod_objects, ChangeGuard& guard, ObjectWriter& writer,
                    StatusReporter& reporter, ModelReporter& models, kubernetes::Client& client,
                    std::function<bool()> has_pod_webhook, base::Logger& logger)
      : view_(view),
        pod_objects_(pod_objects),
        guard_(guard),
        writer_(writer),
        reporter_(reporter),
        models_(models),
        client_(client),
        has_pod_webhook_(std::move(has_pod_webhook)),
        logger_(logger) {}

  Outcome Reconcile(const kubernetes::ObjectName& name, const std::stop_token& stop);

  // Reads the objects that credentials come from, and decides. An error means that they cannot be read now; a retry may
  // succeed.
  kubernetes::ApiResult<Decision> DecideAbout(const manifest::Value& document, const std::vector<LabelledObject>& there,
                                              const std::stop_token& stop) const;

 private:
  struct Failures;

  // Reports the models' states. Returns true if that succeeded or was not needed.
  bool ReportModels(const kubernetes::ObjectName& name, const ModelHost& host, const std::stop_token& stop);
  // Reports that the objects that credentials come from cannot be read now.
  void SayUnread(const manifest::Value& live, const kubernetes::ApiError& why, const std::stop_token& stop);
  // Reports that no decision about the service is possible.
  Outcome Wait(const manifest::Value& live, const model::ObservedCondition& why, const std::stop_token& stop);
  Outcome Finalize(const manifest::Value& live, const std::stop_token& stop);
  // Writes the decided objects, unless the guard holds the change.
  kubernetes::ApiResult<std::optional<HeldChange>> Write(const manifest::Value& live, const Decision& decision,
                                                         const std::vector<LabelledObject>& there, Failures& failures,
                                                         const std::stop_token& stop);
  // Computes the service's state. If `is_held`, the decision is not written, and the live objects stay.
  static model::ServiceState Observe(const manifest::Value& live_service, const Decision& decision,
                                     const std::vector<LabelledObject>& there, bool is_held);

  const ClusterView& view_;
  PodObjects& pod_objects_;
  ChangeGuard& guard_;
  ObjectWriter& writer_;
  StatusReporter& reporter_;
  ModelReporter& models_;
  kubernetes::Client& client_;
  const std::function<bool()> has_pod_webhook_;
  base::Logger& logger_;
};

}  // namespace inferd::cluster
