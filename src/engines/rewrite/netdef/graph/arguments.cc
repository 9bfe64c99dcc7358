#include "engines/rewrite/netdef/graph/arguments.h"

#include <algorithm>

namespace inferd::netdef {

const Argument* Arguments::Find(std::string_view name) {
  asked_.emplace(name);
  const auto found = std::ranges::find(op_.arguments, name, &Argument::name);
  return found == op_.arguments.end() ? nullptr : &*found;
}

bool Arguments::Has(std::string_view name) const {
  return std::ranges::find(op_.arguments, name, &Argument::name) != op_.arguments.end();
}

std::optional<int64_t> Arguments::IntIfAny(std::string_view name) {
  const Argument* const argument = Find(name);
  if (argument == nullptr) return std::nullopt;
  if (!argument->i.has_value()) Refuse("argument '" + std::string(name) + "' is no integer");
  return argument->i;
}

int64_t Arguments::Int(std::string_view name, int64_t otherwise) { return IntIfAny(name).value_or(otherwise); }

float Arguments::Float(std::string_view name, float otherwise) {
  const Argument* const argument = Find(name);
  if (argument == nullptr) return otherwise;
  if (!argument->f.has_value()) Refuse("argument '" + std::string(name) + "' is no number of floating point");
  return argument->f.value_or(otherwise);
}

std::string_view Arguments::Text(std::string_view name, std::string_view otherwise) {
  const Argument* const argument = Find(name);
  if (argument == nullptr) return otherwise;
  if (!argument->s.has_value()) Refuse("argument '" + std::string(name) + "' is no text");
  return argument->s.value_or(otherwise);
}

std::vector<int64_t> Arguments::Ints(std::string_view name) {
  const Argument* const argument = Find(name);
  if (argument == nullptr) return {};
  if (argument->i.has_value() || argument->f.has_value() || argument->s.has_value() || !argument->floats.empty()) {
    Refuse("argument '" + std::string(name) + "' is no list of integers");
  }
  return argument->ints;
}

const std::vector<float>* Arguments::Floats(std::string_view name) {
  const Argument* const argument = Find(name);
  return argument == nullptr ? nullptr : &argument->floats;
}

void Arguments::Ignore(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) asked_.emplace(name);
}

void Arguments::MustBeZero(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (Int(name, 0) != 0) Refuse("argument '" + std::string(name) + "' is not supported");
  }
}

void Arguments::Refuse(std::string message) {
  if (status_.ok()) status_ = base::InvalidArgument(std::move(message));
}

base::Status Arguments::Finish() {
  // The library and speed of a computation do not change its result.
  Ignore({"ws_nbytes_limit", "exhaustive_search", "cudnn_exhaustive_search", "deterministic", "shared_buffer",
          "use_cudnn", "enable_tensor_core", "allow_broadcast_fastpath", "convolution_transform_strategy",
          "init_params"});
  // Exporters also set it for operators without channels.
  if (const std::string_view order = Text("order", "NCHW"); order != "NCHW") {
    Refuse("order " + std::string(order) + " is not supported: only NCHW is");
  }
  std::set<std::string_view> seen;
  for (const Argument& argument : op_.arguments) {
    const std::string name(argument.name);
    if (!asked_.contains(argument.name)) Refuse("argument '" + name + "' is not known");
    if (!seen.insert(argument.name).second) Refuse("argument '" + name + "' is there twice");
    if (argument.other) Refuse("argument '" + name + "' is of a kind that is not read: a tensor, a net");
  }
  return status_;
}

}  // namespace inferd::netdef
