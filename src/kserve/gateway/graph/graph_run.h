#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/buffer.h"
#include "kserve/gateway/graph/plan.h"
#include "kserve/gateway/inner_exchange.h"

namespace inferd::graph {

// Sends the requests of a graph's steps.
class StepCaller {
 public:
  using Done = gateway::InnerExchange::Done;

  // `done` is called later, never within the call. It is not called if it is destroyed first.
  virtual void Call(const Target& target, base::BufferSlice body, Done done) = 0;
  // Returns a random number below 100.
  virtual uint32_t DrawLot() = 0;

 protected:
  ~StepCaller() = default;
};

// The run of a request through a graph, with the semantics of KServe's router (0.12 and later):
//
// - Sequence: one step after the other, each with the node's request or the previous step's response. If that response
//   (for the first step: the request) does not meet a step's condition, the sequence ends with its last response;
// - Splitter: one of the steps, by their weights; Switch: the first whose condition the request meets, or 404;
// - Ensemble: all steps in parallel; the response has each step's response under its name.
//
// A step fails if its status is not 2xx. If a Hard step fails, a Sequence or an Ensemble ends with its response;
// otherwise the response is used like any other. If the router itself fails, the response is {"error": "Failed to
// process request", "cause": ...}.
//
// Not thread-safe. Nothing else keeps the run alive, so destroy it together with the caller's state.
class GraphRun final {
 public:
  using Done = StepCaller::Done;
  using Answer = gateway::InnerAnswer;

  static constexpr size_t kStepsMax = 1'000;  // steps per request; more are answered with 500
  static constexpr size_t kDepthMax = 64;     // depth of nested nodes

  GraphRun(const Plan& plan, StepCaller& caller) : plan_(plan), caller_(caller) {}

  // `done` may be called within this call.
  void Start(base::BufferSlice request, Done done);

 private:
  // A node's response, and whether it is an error of the router itself, which ends the run.
  struct Outcome {
    Answer answer;
    bool fault = false;
  };
  using Then = std::move_only_function<void(Outcome)>;
  struct Sequence;
  struct Ensemble;

  static Outcome Fault(int status, const std::string& cause);
  void RunNode(size_t index, base::BufferSlice request, size_t depth, Then then);
  void RunStep(const Step& step, base::BufferSlice request, size_t depth, Then then);
  void RunSequence(std::shared_ptr<Sequence> sequence);
  void RunEnsemble(const Node& node, const base::BufferSlice& request, size_t depth, Then then);
  static void Join(Ensemble& ensemble);
  const Step* Split(const Node& node);

  const Plan& plan_;
  StepCaller& caller_;
  size_t steps_ = 0;
};

}  // namespace inferd::graph
