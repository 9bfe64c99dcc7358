#include "serving/ensemble/board.h"

#include <algorithm>
#include <string>
#include <utility>

#include "serving/core/request/response_parameters.h"
#include "serving/ensemble/here_executor.h"
#include "serving/ensemble/step_options.h"

namespace inferd::ensemble {

namespace {

// Limits of a step's responses in flight per request. Without a limit in the configuration: the model is told to hold
// at kGoingOnHeld, and the request fails at kGoingOnMax. With one: up to kWaitingMax responses wait beyond it.
constexpr size_t kGoingOnHeld = 64;
// A model that holds goes on when half of the room is free. With room for one response, that would be after the
// response has gone through all steps, too late to mark it as the last one. So such a model may be one response ahead.
constexpr size_t kRoomMin = 2;
constexpr size_t kGoingOnMax = size_t{1} << 14;
constexpr size_t kWaitingMax = 1024;
constexpr size_t kWaitingBytesMax = size_t{64} << 20;

// Resumes on the thread that makes room, one task after the other: a resumed engine may make room again.
std::shared_ptr<core::ResponseFlow> MakeFlow(size_t held, const std::shared_ptr<core::ResponseFlow>& further) {
  const core::ResponseFlow::Limits limits{.responses_held = held,
                                          .bytes_held = SIZE_MAX,
                                          .responses_max = held + kWaitingMax,
                                          .bytes_max = kWaitingBytesMax};
  return further != nullptr ? std::make_shared<core::ResponseFlow>(limits, further)
                            : std::make_shared<core::ResponseFlow>(limits, HereExecutor::Get());
}

size_t BytesOf(const std::vector<core::InferTensor>& tensors) {
  size_t bytes = 0;
  for (const core::InferTensor& tensor : tensors) bytes += tensor.data.size();
  return bytes;
}

}  // namespace

Board::Board(const Plan& plan, const std::vector<int>& wanted, const core::InferRequest& request)
    : plan_(plan), request_(request), is_wanted_(plan.tensors.size()), needed_(plan.StepsFor(wanted)) {
  for (const int output : wanted) {
    const size_t tensor = plan.outputs[static_cast<size_t>(output)];
    wanted_.push_back(tensor);
    is_wanted_[tensor] = true;
    answer_depth_ = std::max(answer_depth_, plan.tensors[tensor].depth);
  }
  root_ = NewSet(nullptr);
}

std::unique_ptr<TensorSet> Board::NewSet(TensorSet* parent) {
  auto set = std::make_unique<TensorSet>();
  set->parent = parent;
  set->depth = parent == nullptr ? 0 : parent->depth + 1;
  const Plan::Level& level = plan_.levels[set->depth];
  set->tensors.resize(level.tensors.size());
  set->missing.resize(level.steps.size());
  for (size_t i = 0; i < level.tensors.size(); ++i)
    set->tensors[i].makers_left = plan_.tensors[level.tensors[i]].makers.size();
  const auto is_awaited = [&](size_t tensor) { return At(*set, tensor).state == TensorState::kAwaited; };
  for (size_t i = 0; i < level.steps.size(); ++i) {
    set->missing[i] = static_cast<size_t>(std::ranges::count_if(plan_.steps[level.steps[i]].awaits, is_awaited));
  }
  set->open = level.tensors.size() + level.steps.size();
  if (plan_.decoupled() && set->depth == answer_depth_) {
    ++set->open;
    for (size_t tensor = 0; tensor < is_wanted_.size(); ++tensor) {
      if (is_wanted_[tensor] && is_awaited(tensor)) ++set->answer_missing;
    }
  }
  return set;
}

// Returns the child with that number, which may be the next one to make.
TensorSet& Board::Child(TensorSet& parent, size_t number) {
  std::unique_ptr<TensorSet>& place = parent.children[number];
  if (place != nullptr) return *place;
  place = NewSet(&parent);
  TensorSet& child = *place;
  child.number = number;
  ++parent.open;
  for (const auto& [step, line] : parent.lines) {
    if (line.ended) DropOutputs(child, step);
  }
  return child;
}

const TensorSet::Tensor& Board::At(const TensorSet& set, size_t tensor) const {
  const Plan::Tensor& planned = plan_.tensors[tensor];
  const TensorSet* owner = &set;
  while (owner->depth > planned.depth) owner = owner->parent;
  return owner->tensors[planned.slot];
}

const core::InferTensor* Board::Find(const Task& task, size_t tensor) const {
  const TensorSet::Tensor& found = At(*task.set, tensor);
  return found.state == TensorState::kThere ? &found.value : nullptr;
}

std::shared_ptr<core::ResponseFlow> Board::FlowOf(const Task& task) {
  const Plan::Step& step = plan_.steps[task.step];
  if (!step.decoupled) return nullptr;
  if (!step.may_hold) return request_.flow;
  std::shared_ptr<core::ResponseFlow>& flow = task.set->lines[task.step].flow;
  if (flow == nullptr)
    flow = MakeFlow(plan_.inflight_max > 0 ? std::max(plan_.inflight_max, kRoomMin) : kGoingOnHeld, request_.flow);
  return flow;
}

void Board::SetInput(size_t tensor, std::optional<core::InferTensor> value) {
  const TensorState state = value.has_value() ? TensorState::kThere : TensorState::kLeftOut;
  Settle(*root_, tensor, state, std::move(value));
}

base::Status Board::Take(const Task& task, std::vector<core::InferTensor>&& outputs, core::Parameters&& parameters) {
  if (!plan_.steps[task.step].decoupled) {
    core::AddResponseParameters(task.set->parameters, std::move(parameters));
    SettleOutputs(*task.set, task.step, std::move(outputs), TensorState::kOmitted);
    Work();
    return base::OkStatus();
  }
  ResponseLine& line = task.set->lines[task.step];
  Response response{.outputs = std::move(outputs), .parameters = std::move(parameters), .place = {}};
  if (line.flow != nullptr) response.place = line.flow->Enter(BytesOf(response.outputs));
  if (plan_.inflight_max > 0 && (!line.waiting.empty() || line.going_on >= plan_.inflight_max)) {
    line.waiting.push_back(std::move(response));
    if (line.flow == nullptr || !line.flow->overfull()) return base::OkStatus();
    return base::ResourceExhausted("the steps behind it are not done with its responses, and the model goes on");
  }
  if (line.going_on >= kGoingOnMax) {
    return base::ResourceExhausted("more than " + std::to_string(kGoingOnMax) +
                                   " of its responses go on at a time ('max_inflight_requests' may hold the model)");
  }
  Open(*task.set, task.step, line, std::move(response));
  Work();
  return base::OkStatus();
}

void Board::Finish(const Task& task, core::Parameters&& parameters) {
  core::AddResponseParameters(parameters_, std::move(parameters));
  --unfinished_;
  if (plan_.steps[task.step].decoupled) {
    ResponseLine& line = task.set->lines[task.step];
    line.finished = true;
    OpenWaiting(*task.set, task.step, line);
  }
  Shut(*task.set);
  Work();
}

void Board::Open(TensorSet& set, size_t step, ResponseLine& line, Response&& response) {
  TensorSet& child = Child(set, line.opened++);
  ++line.going_on;
  child.opened_by.push_back(step);
  child.places.push_back(std::move(response.place));
  core::AddResponseParameters(child.parameters, std::move(response.parameters));
  SettleOutputs(child, step, std::move(response.outputs), response.missing);
}

void Board::OpenWaiting(TensorSet& set, size_t step, ResponseLine& line) {
  while (!line.waiting.empty() && line.going_on < plan_.inflight_max) {
    Response next = std::move(line.waiting.front());
    line.waiting.pop_front();
    Open(set, step, line, std::move(next));
  }
  if (!line.finished || !line.waiting.empty() || line.ended) return;
  line.ended = true;
  for (auto child = set.children.lower_bound(line.opened); child != set.children.end(); ++child) {
    DropOutputs(*child->second, step);
  }
}

void Board::SettleOutputs(TensorSet& set, size_t step, std::vector<core::InferTensor>&& outputs, TensorState missing) {
  for (const auto& [name, tensor] : plan_.steps[step].outputs) {
    const auto given = std::ranges::find(outputs, name, &core::InferTensor::name);
    if (given == outputs.end()) {
      Settle(set, tensor, missing, std::nullopt);
    } else {
      Settle(set, tensor, TensorState::kThere, std::move(*given));
    }
  }
}

void Board::DropOutputs(TensorSet& set, size_t step) {
  for (const Plan::Output& output : plan_.steps[step].outputs) {
    Settle(set, output.tensor, TensorState::kNotComing, std::nullopt);
  }
}

void Board::Settle(TensorSet& set, size_t tensor, TensorState state, std::optional<core::InferTensor> value) {
  TensorSet::Tensor& settled = set.tensors[plan_.tensors[tensor].slot];
  if (settled.state != TensorState::kAwaited) return;
  settled.omitted |= state == TensorState::kOmitted;
  const bool is_there = state == TensorState::kThere || state == TensorState::kLeftOut;
  if (!is_there && settled.makers_left > 1) {
    --settled.makers_left;
    return;
  }
  settled.state = !is_there && settled.omitted ? TensorState::kOmitted : state;
  if (value.has_value()) settled.value = *std::move(value);
  for (const size_t step : plan_.tensors[tensor].consumers) CountOff(set, step);
  if (is_wanted_[tensor] && plan_.decoupled()) CountOffAnswer(set);
  Shut(set);
}

void Board::CountOff(TensorSet& set, size_t step) {
  const Plan::Step& planned = plan_.steps[step];
  if (planned.depth == set.depth) {
    if (--set.missing[planned.slot] == 0) awaiting_judgement_.push_back({step, &set});
    return;
  }
  for (const auto& [number, child] : set.children) CountOff(*child, step);
}

void Board::CountOffAnswer(TensorSet& set) {
  if (set.depth == answer_depth_) {
    if (--set.answer_missing == 0) complete_.push_back(&set);
    return;
  }
  for (const auto& [number, child] : set.children) CountOffAnswer(*child);
}

void Board::Shut(TensorSet& set) {
  if (--set.open == 0) shut_.push_back(&set);
}

void Board::Work() {
  for (;;) {
    if (!awaiting_judgement_.empty()) {
      for (const Task& task : std::exchange(awaiting_judgement_, {})) Judge(task);
    } else if (!complete_.empty()) {
      for (TensorSet* const set : std::exchange(complete_, {})) AnswerInOrder(*set);
    } else if (!shut_.empty()) {
      for (TensorSet* const set : std::exchange(shut_, {})) Remove(*set);
    } else {
      return;
    }
  }
}

void Board::Judge(const Task& task) {
  if (!IsNeeded(task.step)) return PassOver(task);
  const base::Result<bool> taken = IsTaken(task);
  if (!taken.has_value() && !failure_.has_value()) failure_ = {task.step, taken.error()};
  if (!taken.value_or(false)) return PassOver(task);
  ++unfinished_;
  tasks_.push_back(task);
}

base::Result<bool> Board::IsTaken(const Task& task) const {
  const Plan::Step& step = plan_.steps[task.step];
  for (const Plan::When& when : step.conditions) {
    const base::Result<bool> holds =
        when.parameter.empty() ? when.condition.HoldsOf(Find(task, when.tensor))
                               : when.condition.HoldsOf(core::FindParameter(request_.parameters, when.parameter));
    if (!holds.has_value()) {
      return std::unexpected(
          base::Status(holds.error().code(), "inferd.when: " + when.text + ": it " + holds.error().message()));
    }
    if (!*holds) return false;
  }
  return std::ranges::none_of(step.inputs, [&](const Plan::Input& input) {
    const TensorState state = At(*task.set, input.tensor).state;
    return input.required && (state == TensorState::kNotComing || state == TensorState::kOmitted);
  });
}

std::vector<core::InferTensor> Board::DefaultsOf(const Task& task) const {
  std::vector<core::InferTensor> values;
  std::optional<int64_t> rows = plan_.batches ? std::nullopt : std::optional<int64_t>(1);
  if (plan_.batches && !request_.inputs.empty() && request_.inputs[0].shape.rank() > 0) {
    rows = request_.inputs[0].shape[0];
  }
  for (const Plan::Default& given : plan_.steps[task.step].defaults) {
    const core::InferTensor* const source = Find(task, given.source);
    if (given.value.datatype != tensor::DataType::kInvalid) {
      values.push_back(RowsOf(given.value, given.per_row ? rows : std::nullopt));
    } else if (source != nullptr) {
      values.push_back(*source);
    } else {
      continue;
    }
    values.back().name = given.output;
  }
  return values;
}

void Board::PassOver(const Task& task) {
  passed_over_.push_back(task.step);
  std::vector<core::InferTensor> defaults;
  if (IsNeeded(task.step)) defaults = DefaultsOf(task);
  if (plan_.steps[task.step].decoupled) {
    ResponseLine& line = task.set->lines[task.step];
    if (!defaults.empty())
      Open(*task.set, task.step, line,
           {.outputs = std::move(defaults), .parameters = {}, .place = {}, .missing = TensorState::kNotComing});
    line.finished = true;
    OpenWaiting(*task.set, task.step, line);
  } else {
    SettleOutputs(*task.set, task.step, std::move(defaults), TensorState::kNotComing);
  }
  Shut(*task.set);
}

void Board::AnswerInOrder(TensorSet& ready) {
  if (ready.parent == nullptr) {
    MakeAnswer(ready);
    return Shut(ready);
  }
  TensorSet& parent = *ready.parent;
  for (auto next = parent.children.find(parent.answered); next != parent.children.end();
       next = parent.children.find(parent.answered)) {
    if (next->second->answer_missing > 0) return;
    ++parent.answered;
    MakeAnswer(*next->second);
    Shut(*next->second);
  }
}

void Board::MakeAnswer(const TensorSet& set) {
  Answer answer;
  for (const size_t tensor : wanted_) {
    const TensorSet::Tensor& found = At(set, tensor);
    if (found.state == TensorState::kThere) {
      answer.outputs.push_back(Named(found.value, plan_.tensors[tensor].name));
    } else if (found.state == TensorState::kOmitted) {
      answer.outputs.emplace_back();
    } else {
      return;
    }
  }
  for (const TensorSet* at = &set; at != nullptr; at = at->parent) {
    core::AddResponseParameters(answer.parameters, core::Parameters(at->parameters));
  }
  answers_.push_back(std::move(answer));
}

base::Result<Board::Answer> Board::TakeAnswer() {
  MakeAnswer(*root_);
  if (!answers_.empty()) return std::move(answers_.front());
  for (const size_t tensor : wanted_) {
    const TensorState state = At(*root_, tensor).state;
    if (state == TensorState::kThere || state == TensorState::kOmitted) continue;
    return std::unexpected(base::Internal("in ensemble '" + plan_.ensemble + "', no step gave the output '" +
                                          plan_.tensors[tensor].name + "'"));
  }
  return Answer();
}

// Removes a set in which nothing more happens.
void Board::Remove(TensorSet& set) {
  TensorSet* const parent = set.parent;
  if (parent == nullptr) return;
  const auto place = parent->children.find(set.number);
  std::unique_ptr<TensorSet> gone = std::move(place->second);
  parent->children.erase(place);
  for (const size_t step : gone->opened_by) {
    ResponseLine& line = parent->lines[step];
    --line.going_on;
    OpenWaiting(*parent, step, line);
  }
  remains_.push_back(std::move(gone));
  Shut(*parent);
}

}  // namespace inferd::ensemble
