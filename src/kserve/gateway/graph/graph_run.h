#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/buffer.h"
#include "kserve/gateway/graph/plan.h"
#include "kserve/gateway/inner_exchange.h"

namespace inferd::graph {

// Sends the requests of steps.
class StepCaller {
 public:
  using Done = gateway::InnerExchange::Done;

  // `done` is told later, not inside the call; never, if it is destroyed before.
  virtual void Call(const Target& target, base::BufferSlice body, Done done) = 0;
  // Below 100, by chance.
  virtual uint32_t DrawLot() = 0;

 protected:
  ~StepCaller() = default;
};

// A request on its way through a graph, as KServe's router sends it (0.12 and later):
//
// - Sequence: one step after the other, each with the node's request or the answer of the step before; a step whose
//   condition that answer does not meet (for the first: the request) ends it, and what there is is the answer;
// - Splitter: one of the steps, by their weights; Switch: the first whose condition the request meets, or 404;
// - Ensemble: all at once; the answer has each one's under its name.
//
// A step fails with a status that is not 2xx. A Hard one ends a Sequence or an Ensemble with its answer; else its
// answer goes on as any other. What the router cannot do is answered with {"error": "Failed to process request",
// "cause": ...}.
//
// Not thread-safe. Destroy it together with what the caller holds: nothing else keeps the run.
class GraphRun final {
 public:
  using Done = StepCaller::Done;
  using Answer = gateway::InnerAnswer;

  static constexpr size_t kStepsMax = 1'000;  // of one request; further ones are answered with 500
  static constexpr size_t kDepthMax = 64;     // of nodes in each other

  GraphRun(const Plan& plan, StepCaller& caller) : plan_(plan), caller_(caller) {}

  // `done` may be told inside this call.
  void Start(base::BufferSlice request, Done done);

 private:
  // An answer that a node hands on, and whether it is the router's own fault, which ends everything.
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
