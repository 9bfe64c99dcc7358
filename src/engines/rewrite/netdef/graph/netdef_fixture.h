#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/wire/append.h"

// NetDef messages, written by hand.

namespace inferd::netdef {

inline std::string IntArg(std::string_view name, int64_t value) {
  std::string argument;
  wire::AppendBytes(1, name, &argument);
  wire::AppendNumber(3, value, &argument);
  return argument;
}

inline std::string FloatArg(std::string_view name, float value) {
  std::string argument;
  wire::AppendBytes(1, name, &argument);
  wire::AppendFloat(2, value, &argument);
  return argument;
}

inline std::string TextArg(std::string_view name, std::string_view value) {
  std::string argument;
  wire::AppendBytes(1, name, &argument);
  wire::AppendBytes(4, value, &argument);
  return argument;
}

inline std::string IntsArg(std::string_view name, const std::vector<int64_t>& values) {
  std::string argument;
  wire::AppendBytes(1, name, &argument);
  for (const int64_t value : values) wire::AppendNumber(6, value, &argument);
  return argument;
}

inline std::string FloatsArg(std::string_view name, const std::vector<float>& values) {
  std::string argument;
  wire::AppendBytes(1, name, &argument);
  for (const float value : values) wire::AppendFloat(5, value, &argument);
  return argument;
}

using Texts = std::vector<std::string>;

inline std::string Op(std::string_view type, const Texts& inputs, const Texts& outputs, const Texts& arguments = {}) {
  std::string op;
  for (const std::string& input : inputs) wire::AppendBytes(1, input, &op);
  for (const std::string& output : outputs) wire::AppendBytes(2, output, &op);
  wire::AppendBytes(4, type, &op);
  for (const std::string& argument : arguments) wire::AppendBytes(5, argument, &op);
  return op;
}

inline std::string NetOf(const Texts& operators, const Texts& inputs = {}, const Texts& outputs = {}) {
  std::string net;
  for (const std::string& op : operators) wire::AppendBytes(2, op, &net);
  for (const std::string& input : inputs) wire::AppendBytes(7, input, &net);
  for (const std::string& output : outputs) wire::AppendBytes(8, output, &net);
  return net;
}

}  // namespace inferd::netdef
