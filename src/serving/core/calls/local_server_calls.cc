#include "serving/core/calls/local_server_calls.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/mutex.h"
#include "base/turn.h"
#include "config/model/instances.h"
#include "serving/core/request/request_trace.h"
#include "serving/core/request/response_flow.h"

namespace inferd::core {

namespace {

size_t InstancesOf(const config::ModelConfig& config) {
  return std::max<size_t>(config::ExpandInstances(config).size(), 1);
}

// Checks for a deadlock: every instance of the version may be in an execution that waits for this call.
base::Status CheckFreeInstance(const CallChain& chain, const ModelVersion& version) {
  const ModelId& id = version.id();
  const size_t instances = InstancesOf(version.config());
  if (chain.Count(id.name, id.version) < instances) return base::OkStatus();
  return base::FailedPrecondition("model '" + id.name + "' version " + std::to_string(id.version) +
                                  " is called in an execution of its own, and none of its " +
                                  std::to_string(instances) + " instances would ever be free for the call");
}

class LocalCall final : public ModelCall, public std::enable_shared_from_this<LocalCall> {
 public:
  LocalCall(const ModelCaller& models, CallOrigin origin, std::unique_ptr<InferRequest> request, bool many,
            base::Executor& pool, CallAnswer answer)
      : models_(models),
        origin_(std::move(origin)),
        request_(std::move(request)),
        cancel_(std::make_shared<CancelFlag>(origin_.cancel)),
        flow_(many ? std::make_shared<ResponseFlow>(ResponseFlow::Limits(), pool) : nullptr),
        answer_(std::move(answer)) {}

  void Begin() override {
    auto found = models_.Find(request_->model_name, request_->model_version);
    if (base::Status status = Prepare(found); !status.ok()) return Refuse(std::move(status));
    Completion completion([self = shared_from_this()](InferResponse&& response) { self->Pass(std::move(response)); });
    // A thread that works in turns may be the one that waits here for the response. Its turn would not end before that.
    // Any other thread belongs to an engine, and must also read the calls of other executions. So neither may run an
    // execution.
    const base::NoExecutions here("model call");
    if (found.has_value()) {
      models_.Call(*std::move(found), std::move(request_), std::move(completion));
    } else {
      models_.Call(std::move(request_), std::move(completion));
    }
  }

  // Frees the places, so that a model that waits for room continues, and sees that it is cancelled.
  void Cancel() override {
    cancel_->Cancel();
    std::deque<ResponseFlow::Place> places;
    const base::MutexLock lock(mutex_);
    places.swap(places_);
  }

  void Taken() override {
    ResponseFlow::Place place;
    const base::MutexLock lock(mutex_);
    if (places_.empty()) return;
    place = std::move(places_.front());
    places_.pop_front();
  }

 private:
  // Returns OK, or why the call does not reach a model.
  base::Status Prepare(const base::Result<std::shared_ptr<const ModelVersion>>& found) {
    auto chain = std::make_shared<CallChain>(
        CallChain{.model = origin_.model, .version = origin_.version, .before = origin_.chain});
    if (chain->before != nullptr) chain->depth = chain->before->depth + 1;
    if (chain->depth > LocalServerCalls::kDepthMax) {
      return base::FailedPrecondition("models call models at most " + std::to_string(LocalServerCalls::kDepthMax) +
                                      " deep");
    }
    if (found.has_value()) {
      INFERD_RETURN_IF_ERROR(CheckFreeInstance(*chain, **found));
      if ((*found)->signature().decoupled && flow_ == nullptr) {
        return base::Unimplemented("model '" + request_->model_name + "' gives any number of responses");
      }
    } else if (!models_.LoadsOnDemand(request_->model_name, request_->model_version)) {
      return found.error();
    }
    request_->chain = std::move(chain);
    request_->cancel = cancel_;
    request_->flow = flow_;
    request_->deadline_ns = origin_.deadline_ns;
    if (request_->priority == 0) request_->priority = origin_.priority;
    request_->traceparent = origin_.traceparent;
    if (origin_.trace != nullptr) {
      request_->trace =
          origin_.trace->Child(request_->model_name, found.has_value() ? (*found)->version() : request_->model_version);
    }
    return base::OkStatus();
  }

  void Refuse(base::Status status) { answer_(false, InferResponse{.status = std::move(status)}); }

  void Pass(InferResponse&& response) {
    if (over_) return;
    if (!response.final && flow_ == nullptr) {
      // Known only now, as the model was loaded for this call.
      over_ = true;
      cancel_->Cancel();
      response = {.status = base::Unimplemented("the model gives any number of responses")};
    } else if (flow_ != nullptr && !cancel_->cancelled()) {
      const base::MutexLock lock(mutex_);
      places_.push_back(flow_->Enter(response));
      if (flow_->overfull() && !response.final) {
        over_ = true;
        cancel_->Cancel();
        places_.clear();
        response = {.status = base::ResourceExhausted("too many responses to the call wait to be taken")};
      }
    }
    answer_(true, std::move(response));
  }

  const ModelCaller& models_;
  const CallOrigin origin_;
  std::unique_ptr<InferRequest> request_;
  const std::shared_ptr<CancelFlag> cancel_;
  const std::shared_ptr<ResponseFlow> flow_;  // null if one response is expected
  CallAnswer answer_;
  bool over_ = false;  // a final response was given before the model's own
  base::Mutex mutex_;
  std::deque<ResponseFlow::Place> places_ GUARDED_BY(mutex_);  // responses that are not used yet
};

}  // namespace

std::shared_ptr<ModelCall> LocalServerCalls::MakeCall(CallOrigin origin, std::unique_ptr<InferRequest> request,
                                                      bool many, CallAnswer answer) {
  return std::make_shared<LocalCall>(models_, std::move(origin), std::move(request), many, pool_, std::move(answer));
}

void LocalServerCalls::ModelReady(std::string model, std::string version, ControlCallback done) {
  catalog_.AskModelReady(model, version, std::move(done));
}

}  // namespace inferd::core
