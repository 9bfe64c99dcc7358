#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "serving/core/scheduler.h"
#include "serving/scheduling/sequence/sequence_states.h"

namespace inferd::scheduling {

// One execution of a sequence's request: passes the sequence's state in, takes the new state out, and keeps what is
// needed to execute the request again (iterative_sequence). Not thread-safe; the sequence runs nothing else meanwhile.
class SequenceStep final {
 public:
  // The rules for all steps of a version. They outlive the steps.
  struct Rules {
    SequenceStates states;
    bool iterative = false;
    bool decoupled = false;

    // True if the model needs no steps.
    bool plain() const { return states.empty() && !iterative; }
  };

  // Prepares a request that is about to run, with the state `kept`, which outlives this object.
  SequenceStep(const Rules& rules, core::QueuedRequest& queued, KeptState& kept);

  // Takes the state out of a response, or makes the response fail. Only a final response that is OK changes the kept
  // state: a failed request leaves it unchanged.
  void Take(core::InferResponse& response);

  // Returns true if the final response asks for another execution.
  bool GoesOn(const core::InferResponse& response) const { return response.reschedule && response.status.ok(); }
  // Returns true if such a response also goes to the client.
  bool AnswersBefore(const core::InferResponse& response) const {
    return rules_.decoupled && !response.outputs.empty();
  }
  // Returns the request for its next execution, without its completion.
  core::QueuedRequest Again(int64_t now_ns);
  // Frees the request's slot. Call before the client gets its final response.
  void ReleaseSlot() { again_.slot.Release(); }

 private:
  const Rules& rules_;
  KeptState& kept_;
  SequenceStates::Places places_;
  std::optional<KeptState> taken_;
  core::QueuedRequest again_;  // only if iterative: the request as it came
};

}  // namespace inferd::scheduling
