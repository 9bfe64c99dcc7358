#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "serving/core/scheduler.h"
#include "serving/scheduling/sequence/sequence_states.h"

namespace inferd::scheduling {

// An execution of a request of a sequence: what it is given of the sequence's state, what that becomes, and what is
// needed to execute the request again (iterative_sequence). Not thread-safe; the sequence runs nothing else meanwhile.
class SequenceStep final {
 public:
  // What holds for all steps of a version; outlives them.
  struct Rules {
    SequenceStates states;
    bool iterative = false;
    bool decoupled = false;

    // A model that needs no steps.
    bool plain() const { return states.empty() && !iterative; }
  };

  // Of a request that is about to run: gives it `kept`, which outlives this.
  SequenceStep(const Rules& rules, core::QueuedRequest& queued, KeptState& kept);

  // Takes the state out of a response, or has it fail. What is kept changes with a final one that is OK: a request that
  // fails leaves it as it was.
  void Take(core::InferResponse& response);

  // Whether that response, which is final, asks for another execution.
  bool GoesOn(const core::InferResponse& response) const { return response.reschedule && response.status.ok(); }
  // Whether it is one to the client, too.
  bool AnswersBefore(const core::InferResponse& response) const {
    return rules_.decoupled && !response.outputs.empty();
  }
  // The request once more, without its completion.
  core::QueuedRequest Again(int64_t now_ns);
  // Before the client gets its final answer.
  void ReleaseSlot() { again_.slot.Release(); }

 private:
  const Rules& rules_;
  KeptState& kept_;
  SequenceStates::Places places_;
  std::optional<KeptState> taken_;
  core::QueuedRequest again_;  // of an iterative model: the request as it came
};

}  // namespace inferd::scheduling
