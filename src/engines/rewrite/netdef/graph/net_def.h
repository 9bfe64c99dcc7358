#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"

// Caffe2's NetDef, read from protobuf's wire format (caffe2.proto's NetDef, OperatorDef and Argument). All texts are
// views into the input bytes.

namespace inferd::netdef {

// The limits of a net; one that exceeds them is refused.
inline constexpr size_t kOperatorsMax = 65536;  // of a net
inline constexpr size_t kBlobsMax = 4096;       // inputs of an operator, its outputs, external inputs, ...
inline constexpr size_t kArgumentsMax = 256;    // of an operator

struct Argument {
  std::string_view name;
  std::optional<float> f;
  std::optional<int64_t> i;
  std::optional<std::string_view> s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  bool other = false;  // tensors or nets, which are not read here
};

struct Operator {
  std::string_view name;
  std::string_view type;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<Argument> arguments;
};

struct Net {
  std::string_view name;
  std::vector<Operator> operators;
  std::vector<std::string_view> external_inputs;
  std::vector<std::string_view> external_outputs;
};

// INVALID_ARGUMENT if it is malformed, or exceeds a limit.
base::Result<Net> ReadNet(std::string_view bytes);

}  // namespace inferd::netdef
