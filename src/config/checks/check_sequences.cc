#include <array>
#include <set>
#include <string_view>

#include "config/checks/checks.h"

// sequence_batching: its controls and strategies.

namespace inferd::config {
namespace {

using Sequences = inference::ModelSequenceBatching;
using Control = Sequences::Control;

constexpr std::string_view kCorridTypes = "TYPE_UINT64, TYPE_INT64, TYPE_UINT32, TYPE_INT32 and TYPE_STRING";

bool IsCorridType(inference::DataType type) {
  return type == inference::TYPE_UINT64 || type == inference::TYPE_INT64 || type == inference::TYPE_UINT32 ||
         type == inference::TYPE_INT32 || type == inference::TYPE_STRING;
}

void CheckCorrid(CheckContext& c, const Place& place, const Control& control) {
  if (!control.int32_false_true().empty() || !control.fp32_false_true().empty() || !control.bool_false_true().empty()) {
    c.problems.push_back(
        place.Here("sequence batching must not specify 'int32_false_true', 'fp32_false_true' or 'bool_false_true' for "
                   "CONTROL_SEQUENCE_CORRID for " +
                   c.model));
  }
  if (IsCorridType(control.data_type())) return;
  c.problems.push_back(place.At("data_type", "unexpected data type for control CONTROL_SEQUENCE_CORRID for " + c.model +
                                                 ". Allowed data types are " + std::string(kCorridTypes)));
}

void CheckFlag(CheckContext& c, const Place& place, const Control& control, const std::string& kind) {
  const std::array<std::pair<std::string_view, int>, 3> values = {
      {{"int32_false_true", control.int32_false_true_size()},
       {"fp32_false_true", control.fp32_false_true_size()},
       {"bool_false_true", control.bool_false_true_size()}}};
  int written = 0;
  for (const auto& [field, count] : values) written += count > 0 ? 1 : 0;
  const std::string of = " for " + kind + " for " + c.model;
  if (written == 0) {
    c.problems.push_back(place.Here(
        "sequence batching must specify either 'int32_false_true', 'fp32_false_true' or 'bool_false_true'" + of));
  } else if (written > 1) {
    c.problems.push_back(place.Here(
        "sequence batching specifies more than one from 'int32_false_true', 'fp32_false_true' and 'bool_false_true'" +
        of));
  }
  for (const auto& [field, count] : values) {
    if (count == 0 || count == 2) continue;
    c.problems.push_back(
        place.At(field, "sequence batching control '" + std::string(field) + "' must have exactly 2 entries" + of));
  }
}

void CheckControls(CheckContext& c, const Place& place, const Sequences& batching) {
  std::set<std::string_view> names;
  for (const auto& input : c.config.input()) names.insert(input.name());
  std::set<int> kinds;
  std::set<std::string_view> targets;
  for (int i = 0; i < batching.control_input_size(); ++i) {
    const auto& input = batching.control_input(i);
    const Place inside = place.In("control_input", i);
    if (input.name().empty()) {
      c.problems.push_back(inside.Here("sequence batching control tensor must have a name for " + c.model));
      continue;
    }
    const std::string tensor = "sequence batching control tensor '" + input.name() + "'";
    if (names.contains(input.name())) {
      c.problems.push_back(inside.At("name", tensor + " is also an input of clients for " + c.model));
    }
    if (input.control_size() == 0) {
      c.problems.push_back(inside.Here(tensor + " must specify 'control' for " + c.model));
    } else if (input.control_size() > 1 || !targets.insert(input.name()).second) {
      c.problems.push_back(inside.Here(tensor + " is specified for multiple control kinds for " + c.model));
      continue;
    }
    for (int k = 0; k < input.control_size(); ++k) {
      const Control& control = input.control(k);
      const Place at = inside.In("control", k);
      if (!Control::Kind_IsValid(control.kind())) {
        c.problems.push_back(at.At("kind", "unknown control kind " + std::to_string(control.kind())));
        continue;
      }
      const std::string kind = Control::Kind_Name(control.kind());
      if (!kinds.insert(control.kind()).second) {
        c.problems.push_back(at.At("kind", "sequence batching specifies multiple " + kind + " tensors for " + c.model));
      }
      if (control.kind() == Control::CONTROL_SEQUENCE_CORRID) {
        CheckCorrid(c, at, control);
      } else {
        CheckFlag(c, at, control, kind);
      }
    }
  }
}

void CheckInitialState(CheckContext& c, const Place& place, const Sequences::State& state,
                       const Sequences::InitialState& initial) {
  const std::string of = "'initial_state' field of state '" + state.input_name() + "'";
  if (initial.data_type() != state.data_type()) {
    c.problems.push_back(
        place.At("data_type", "The data type used for " + of + " does not match the state data type for " + c.model));
  }
  if (initial.name().empty()) {
    c.problems.push_back(place.Here("Field 'name' must be set when using initial_state for state input '" +
                                    state.input_name() + "' for " + c.model));
  }
  if (initial.dims_size() != state.dims_size()) {
    c.problems.push_back(place.At("dims", "Number of dimensions in " + of +
                                              " does not match the number of dimensions of the state for " + c.model));
  } else {
    for (int i = 0; i < initial.dims_size(); ++i) {
      if (initial.dims(i) < 1) {
        c.problems.push_back(place.At(
            "dims", i, "The dims of " + of + " must be integer >= 1, without variable dimensions, for " + c.model));
      } else if (state.dims(i) != -1 && state.dims(i) != initial.dims(i)) {
        c.problems.push_back(
            place.At("dims", i, "The dims of " + of + " do not match those of the state for " + c.model));
      }
    }
  }
  switch (initial.state_data_case()) {
    case Sequences::InitialState::kZeroData: break;
    case Sequences::InitialState::kDataFile:
      CheckFilename(c, place, "data_file", -1, initial.data_file());
      if (initial.data_file().empty()) c.problems.push_back(place.At("data_file", "must not be empty for " + c.model));
      break;
    default:
      c.problems.push_back(place.Here("initial_state setting expects state '" + state.input_name() +
                                      "' to have state_data set for " + c.model));
  }
}

void CheckStates(CheckContext& c, const Place& place, const Sequences& batching) {
  std::set<std::string_view> inputs;
  std::set<std::string_view> outputs;
  for (const auto& input : c.config.input()) inputs.insert(input.name());
  for (const auto& input : batching.control_input()) inputs.insert(input.name());
  for (int i = 0; i < batching.state_size(); ++i) {
    const Sequences::State& state = batching.state(i);
    const Place inside = place.In("state", i);
    if (state.input_name().empty() || state.output_name().empty()) {
      c.problems.push_back(
          inside.Here("sequence batching state must specify 'input_name' and 'output_name' for " + c.model));
      continue;
    }
    if (!inputs.insert(state.input_name()).second) {
      c.problems.push_back(inside.At(
          "input_name", "State input name '" + state.input_name() + "' specified more than once for " + c.model));
    }
    if (!outputs.insert(state.output_name()).second) {
      c.problems.push_back(inside.At(
          "output_name", "State output name '" + state.output_name() + "' specified more than once for " + c.model));
    }
    const std::string name = "sequence batching state '" + state.input_name() + "'";
    if (state.data_type() == inference::TYPE_INVALID) {
      c.problems.push_back(inside.Here(name + " must specify 'data_type' for " + c.model));
    }
    for (int d = 0; d < state.dims_size(); ++d) {
      if (state.dims(d) >= 1 || state.dims(d) == -1) continue;
      c.problems.push_back(inside.At("dims", d,
                                     name +
                                         " dimension must be integer >= 1, or -1 to indicate a "
                                         "variable-size dimension for " +
                                         c.model));
    }
    if (state.initial_state_size() > 1) {
      c.problems.push_back(inside.At("initial_state", "initial_state field for state input '" + state.input_name() +
                                                          "' must contain exactly one or zero element. Found '" +
                                                          std::to_string(state.initial_state_size()) +
                                                          "' elements for " + c.model));
    } else if (state.initial_state_size() == 1) {
      CheckInitialState(c, inside.In("initial_state", 0), state, state.initial_state(0));
    }
  }
}

void CheckOldest(CheckContext& c, const Place& place, const Sequences::StrategyOldest& oldest) {
  for (const int32_t size : oldest.preferred_batch_size()) {
    if (size <= 0) {
      c.problems.push_back(
          place.At("preferred_batch_size", "sequence batching preferred batch size must be positive for " + c.model));
    } else if (c.config.has_max_batch_size() && size > c.config.max_batch_size()) {
      c.problems.push_back(place.At("preferred_batch_size",
                                    "sequence batching preferred batch size must be <= max batch size for " + c.model));
    } else {
      continue;
    }
    break;
  }
  if (oldest.max_candidate_sequences() <= 0) {
    c.problems.push_back(place.At("max_candidate_sequences",
                                  "sequence batching max candidate sequences must be positive for " + c.model));
  }
}

void CheckDirect(CheckContext& c, const Place& place, const Sequences::StrategyDirect& direct) {
  const float utilization = direct.minimum_slot_utilization();
  if (utilization >= 0 && utilization <= 1) return;
  c.problems.push_back(
      place.At("minimum_slot_utilization",
               "sequence batching minimum slot utilization must be in range (0.0, 1.0] for " + c.model));
}

// Refuses settings that control executions by other rules, or by the requests' content.
void CheckCompany(CheckContext& c, const Place& place) {
  const inference::InferdOptions& options = c.config.inferd();
  const auto refuse = [&](bool written, std::string_view field) {
    if (!written) return;
    c.problems.push_back(
        place.Here("sequence_batching cannot go with inferd { " + std::string(field) + " } for " + c.model));
  };
  refuse(options.batching() != inference::InferdOptions::CONFIGURED, "batching");
  refuse(options.split_large_requests(), "split_large_requests");
  refuse(options.has_batch_padding(), "batch_padding");
  refuse(!options.padding().empty(), "padding");
  refuse(options.has_concurrency(), "concurrency");
  if (!c.config.response_cache().enable()) return;
  c.problems.push_back(c.place.At("response_cache", "Response Cache does not currently support model " + c.model +
                                                        " with sequence batching scheduler. Please disable the "
                                                        "response cache."));
}

}  // namespace

void CheckSequences(CheckContext& c) {
  if (!c.config.has_sequence_batching()) return;
  const Sequences& batching = c.config.sequence_batching();
  const Place place = c.place.In("sequence_batching");
  CheckControls(c, place, batching);
  CheckStates(c, place, batching);
  if (batching.has_oldest()) CheckOldest(c, place.In("oldest"), batching.oldest());
  if (batching.has_direct()) CheckDirect(c, place.In("direct"), batching.direct());
  CheckCompany(c, place);
}

}  // namespace inferd::config
