#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "serving/core/model/catalog.h"
#include "serving/core/request/call_origin.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

namespace inferd::core {

// A call of a model by an engine. Thread-safe.
class ModelCall {
 public:
  virtual ~ModelCall() = default;
  // Once; the responses may come before it returns.
  virtual void Begin() = 0;
  // Nobody waits for the answer any more; it comes all the same.
  virtual void Cancel() = 0;
  // One response of many was used: another one may come in its place.
  virtual void Taken() = 0;
};

// Each response in turn, on any thread; it must not block. `submitted` false: the request has not come to a model.
using CallAnswer = std::move_only_function<void(bool submitted, InferResponse&& response)>;

// A metric of an engine's own, on the server's page of metrics. Thread-safe; it is there until the last of its holders
// lets go.
struct CustomMetricSpec {
  enum class Kind : int32_t { kCounter = 0, kGauge = 1, kHistogram = 2 };
  Kind kind = Kind::kCounter;
  std::string name = {};
  std::string help = {};
  bool series = false;  // false: the family alone
  std::vector<std::pair<std::string, std::string>> labels = {};
  std::vector<double> bounds = {};
};
class CustomMetric {
 public:
  enum class Change : int32_t { kRead = 0, kAdd = 1, kSet = 2, kObserve = 3 };
  virtual ~CustomMetric() = default;
  // The value after it. INVALID_ARGUMENT: metrics of its kind have no such change, or the value is none for it.
  virtual base::Result<double> Do(Change change, double value) = 0;
};

// What engines may ask of their server. Thread-safe; outlives all executions.
class ServerCalls {
 public:
  virtual ~ServerCalls() = default;

  // `many`: any number of responses may come; else a decoupled model refuses it.
  virtual std::shared_ptr<ModelCall> MakeCall(CallOrigin origin, std::unique_ptr<InferRequest> request, bool many,
                                              CallAnswer answer) = 0;

  // As Catalog's. Return at once.
  virtual void ModelReady(std::string model, std::string version, ControlCallback done) = 0;
  virtual void Load(LoadCall call, ControlCallback done) = 0;
  virtual void Unload(UnloadCall call, ControlCallback done) = 0;

  // INVALID_ARGUMENT: a name that is none, or the server's own; ALREADY_EXISTS: it is of another kind, or has other
  // buckets; RESOURCE_EXHAUSTED: there are too many.
  virtual base::Result<std::shared_ptr<CustomMetric>> OpenMetric(const CustomMetricSpec& spec) = 0;
};

}  // namespace inferd::core
