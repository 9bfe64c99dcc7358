#include "kserve/gateway/graph/graph_run.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "data/json/reader.h"
#include "data/json/writer.h"

namespace inferd::graph {

namespace {

constexpr const char* kJson = "application/json";

bool Succeeded(const gateway::InnerAnswer& answer) { return answer.status >= 200 && answer.status <= 299; }

bool IsJson(std::string_view text) {
  json::Reader reader(text);
  return reader.SkipValue().ok() && reader.Finish().ok();
}

}  // namespace

struct GraphRun::Sequence {
  const Node& node;
  base::BufferSlice request;
  size_t depth;
  Then then;
  size_t next = 0;
  Outcome last = {};
};

struct GraphRun::Ensemble {
  const Node& node;
  Then then;
  std::vector<std::optional<Outcome>> outcomes;  // by step
};

GraphRun::Outcome GraphRun::Fault(int status, const std::string& cause) {
  json::Writer writer;
  writer.BeginObject();
  writer.Member("error", "Failed to process request");
  writer.Member("cause", cause);
  writer.EndObject();
  return {.answer = {.status = status,
                     .content_type = kJson,
                     .body = base::BufferSlice(base::Buffer::CopyOf(writer.TakeString()))},
          .fault = true};
}

void GraphRun::Start(base::BufferSlice request, Done done) {
  RunNode(plan_.root, std::move(request), 1,
          [done = std::move(done)](Outcome outcome) mutable { done(std::move(outcome.answer)); });
}

void GraphRun::RunNode(size_t index, base::BufferSlice request, size_t depth, Then then) {
  const Node& node = plan_.nodes[index];
  if (depth > kDepthMax) return then(Fault(500, "more than " + std::to_string(kDepthMax) + " nodes in each other"));
  switch (node.type) {
    case Node::Type::kSequence:
      return RunSequence(std::make_shared<Sequence>(node, std::move(request), depth, std::move(then)));
    case Node::Type::kEnsemble: return RunEnsemble(node, request, depth, std::move(then));
    case Node::Type::kSplitter: {
      const Step* const step = Split(node);
      if (step == nullptr) return then(Fault(500, "the weights of node '" + node.name + "' are less than 100"));
      return RunStep(*step, std::move(request), depth, std::move(then));
    }
    case Node::Type::kSwitch: break;
  }
  for (const Step& step : node.steps) {
    if (step.condition.has_value() && step.condition->ExistsIn(request.view()).value_or(false)) {
      return RunStep(step, std::move(request), depth, std::move(then));
    }
  }
  then(Fault(404, "None of the routes matched with the switch condition"));
}

const Step* GraphRun::Split(const Node& node) {
  uint32_t lot = caller_.DrawLot();
  for (const Step& step : node.steps) {
    if (lot < step.weight) return &step;
    lot -= step.weight;
  }
  return nullptr;
}

void GraphRun::RunStep(const Step& step, base::BufferSlice request, size_t depth, Then then) {
  if (++steps_ > kStepsMax) return then(Fault(500, "more than " + std::to_string(kStepsMax) + " steps"));
  if (step.node.has_value()) return RunNode(*step.node, std::move(request), depth + 1, std::move(then));
  caller_.Call(step.target, std::move(request), [then = std::move(then)](Answer answer) mutable {
    then({.answer = std::move(answer), .fault = false});
  });
}

void GraphRun::RunSequence(std::shared_ptr<Sequence> sequence) {
  Sequence& state = *sequence;
  if (state.next == state.node.steps.size()) return state.then(std::move(state.last));
  const Step& step = state.node.steps[state.next];
  const bool first = state.next++ == 0;
  if (step.condition.has_value()) {
    const base::BufferSlice& asked = first ? state.request : state.last.answer.body;
    const auto met = step.condition->ExistsIn(asked.view());
    if (!met.has_value()) return state.then(Fault(500, "invalid response"));
    if (!*met) {
      // The result so far. Before the first step, that is the request.
      if (first) state.last.answer = {.status = 200, .content_type = kJson, .body = state.request};
      return state.then(std::move(state.last));
    }
  }
  base::BufferSlice request = step.takes_response && !first ? state.last.answer.body : state.request;
  RunStep(step, std::move(request), state.depth, [this, sequence, &step](Outcome outcome) {
    sequence->last = std::move(outcome);
    const bool over = sequence->last.fault || (step.hard && !Succeeded(sequence->last.answer));
    if (over) return sequence->then(std::move(sequence->last));
    RunSequence(sequence);
  });
}

void GraphRun::RunEnsemble(const Node& node, const base::BufferSlice& request, size_t depth, Then then) {
  auto ensemble =
      std::make_shared<Ensemble>(node, std::move(then), std::vector<std::optional<Outcome>>(node.steps.size()));
  for (size_t i = 0; i < node.steps.size(); ++i) {
    RunStep(node.steps[i], request, depth, [ensemble, i](Outcome outcome) {
      ensemble->outcomes[i] = std::move(outcome);
      Join(*ensemble);
    });
  }
}

// If several steps end the ensemble, the first one in step order decides.
void GraphRun::Join(Ensemble& ensemble) {
  if (!ensemble.then) return;  // it has ended
  const auto end = [&](Outcome outcome) { std::exchange(ensemble.then, nullptr)(std::move(outcome)); };
  for (size_t i = 0; i < ensemble.outcomes.size(); ++i) {
    std::optional<Outcome>& outcome = ensemble.outcomes[i];
    if (!outcome.has_value()) return;
    const Step& step = ensemble.node.steps[i];
    if (outcome->fault || (step.hard && !Succeeded(outcome->answer))) return end(*std::move(outcome));
    if (!IsJson(outcome->answer.body.view())) {
      return end(Fault(500, "step '" + step.name + "' of node '" + ensemble.node.name + "' did not answer with JSON"));
    }
  }
  json::Writer writer;
  writer.BeginObject();
  for (size_t i = 0; i < ensemble.outcomes.size(); ++i) {
    writer.Key(ensemble.node.steps[i].name);
    writer.Raw(ensemble.outcomes[i]->answer.body.view());
  }
  writer.EndObject();
  end({.answer = {.status = 200,
                  .content_type = kJson,
                  .body = base::BufferSlice(base::Buffer::CopyOf(writer.TakeString()))},
       .fault = false});
}

}  // namespace inferd::graph
