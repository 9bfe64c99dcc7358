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

// An engine's call of a model. Thread-safe.
class ModelCall {
 public:
  virtual ~ModelCall() = default;
  // Starts the call. Call once. Responses may come before it returns.
  virtual void Begin() = 0;
  // Cancels the call: nobody waits for the response any more. The final response still comes.
  virtual void Cancel() = 0;
  // Reports that one of many responses was used, which makes room for another.
  virtual void Taken() = 0;
};

// Called for each response in turn, on any thread. Must not block. `submitted` is false if the request did not reach a
// model.
using CallAnswer = std::move_only_function<void(bool submitted, InferResponse&& response)>;

// A metric that an engine adds to the server's metrics page. Thread-safe. It exists until its last holder releases it.
struct CustomMetricSpec {
  enum class Kind : int32_t { kCounter = 0, kGauge = 1, kHistogram = 2 };
  Kind kind = Kind::kCounter;
  std::string name = {};
  std::string help = {};
  bool series = false;  // false for the family alone
  std::vector<std::pair<std::string, std::string>> labels = {};
  std::vector<double> bounds = {};
};
class CustomMetric {
 public:
  enum class Change : int32_t { kRead = 0, kAdd = 1, kSet = 2, kObserve = 3 };
  virtual ~CustomMetric() = default;
  // Changes the metric, and returns the new value. INVALID_ARGUMENT if the kind has no such change or allows no such
  // value.
  virtual base::Result<double> Do(Change change, double value) = 0;
};

// The server's functions for engines. Thread-safe. Outlives all executions.
class ServerCalls {
 public:
  virtual ~ServerCalls() = default;

  // Makes a call. If `many`, any number of responses may come. Otherwise a decoupled model refuses the call.
  virtual std::shared_ptr<ModelCall> MakeCall(CallOrigin origin, std::unique_ptr<InferRequest> request, bool many,
                                              CallAnswer answer) = 0;

  // As Catalog's functions of these names. Return at once.
  virtual void ModelReady(std::string model, std::string version, ControlCallback done) = 0;
  virtual void Load(LoadCall call, ControlCallback done) = 0;
  virtual void Unload(UnloadCall call, ControlCallback done) = 0;

  // Opens a metric. INVALID_ARGUMENT if the name is invalid or the server's own. ALREADY_EXISTS if it has another kind
  // or other buckets. RESOURCE_EXHAUSTED if there are too many.
  virtual base::Result<std::shared_ptr<CustomMetric>> OpenMetric(const CustomMetricSpec& spec) = 0;
};

}  // namespace inferd::core
