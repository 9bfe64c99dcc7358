// Convolutions and pools: the operators with a window.

#include <algorithm>
#include <string>
#include <vector>

#include "engines/rewrite/netdef/operators/rules.h"

namespace inferd::netdef {

namespace {

// caffe2_legacy.proto's LegacyPadding.
constexpr int64_t kNotSet = 0;
constexpr int64_t kValid = 1;
constexpr int64_t kCaffePooling = 3;

constexpr size_t kDimensionsMax = 3;
constexpr std::string_view kSides[] = {"pad_t", "pad_l", "pad_b", "pad_r"};  // in ONNX's order

struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;  // all begins, then all ends
  int64_t legacy_pad = kNotSet;
  bool global = false;

  bool padded() const {
    return std::ranges::any_of(pads, [](int64_t pad) { return pad != 0; });
  }
};

// Reads `one` ("stride") for each dimension, the list `all` ("strides"), or `one`_h and `one`_w. Empty if none is set.
std::vector<int64_t> ReadSizes(Arguments& args, const std::string& one, const std::string& all) {
  std::vector<int64_t> sizes = args.Ints(all);
  const auto each = args.IntIfAny(one);
  const auto high = args.IntIfAny(one + "_h");
  const auto wide = args.IntIfAny(one + "_w");
  if (static_cast<int>(!sizes.empty()) + static_cast<int>(each.has_value()) + static_cast<int>(high || wide) > 1) {
    args.Refuse("argument '" + one + "' is given in several forms");
  }
  if (high.has_value() != wide.has_value()) args.Refuse("arguments '" + one + "_h' and '" + one + "_w' go together");
  if (each.has_value()) sizes = {*each, *each};
  if (high.has_value() && wide.has_value()) sizes = {*high, *wide};
  return sizes;
}

std::vector<int64_t> ReadPads(Arguments& args, size_t dimensions) {
  std::vector<int64_t> pads = args.Ints("pads");
  const auto each = args.IntIfAny("pad");
  const auto sides = std::ranges::count_if(kSides, [&args](std::string_view side) { return args.Has(side); });
  if (sides != 0 && sides != 4) args.Refuse("arguments 'pad_t', 'pad_l', 'pad_b' and 'pad_r' go together");
  if (static_cast<int>(!pads.empty()) + static_cast<int>(each.has_value()) + static_cast<int>(sides != 0) > 1) {
    args.Refuse("argument 'pad' is given in several forms");
  }
  if (each.has_value()) pads.assign(2 * dimensions, *each);
  std::vector<int64_t> by_side;
  for (const std::string_view side : kSides) by_side.push_back(args.Int(side, 0));
  if (sides != 0) pads = by_side;
  if (pads.empty()) pads.assign(2 * dimensions, 0);
  return pads;
}

void NeedSizes(Arguments& args, const std::vector<int64_t>& sizes, size_t count, int64_t least, const char* what) {
  if (sizes.size() != count) args.Refuse(std::string(what) + " and kernel have different numbers of dimensions");
  for (const int64_t size : sizes) {
    if (size < least || size > INT32_MAX) args.Refuse(std::string(what) + " " + std::to_string(size) + " cannot be");
  }
}

Window ReadWindow(Step& step) {
  Arguments& args = step.args();
  Window window;
  window.global = args.Int("global_pooling", 0) != 0;
  window.legacy_pad = args.Int("legacy_pad", kNotSet);
  window.kernel = ReadSizes(args, "kernel", "kernels");
  window.strides = ReadSizes(args, "stride", "strides");
  window.dilations = ReadSizes(args, "dilation", "dilations");
  const size_t dimensions = window.global && window.kernel.empty() ? 2 : window.kernel.size();
  window.pads = ReadPads(args, dimensions);
  if (window.legacy_pad == kValid && window.padded()) args.Refuse("legacy_pad VALID goes without pads");
  if (window.global) return window;
  if (dimensions == 0 || dimensions > kDimensionsMax) {
    args.Refuse(dimensions == 0 ? "it has no kernel" : "its kernel has more than three dimensions");
    return window;
  }
  if (window.strides.empty()) window.strides.assign(dimensions, 1);
  if (window.dilations.empty()) window.dilations.assign(dimensions, 1);
  NeedSizes(args, window.kernel, dimensions, 1, "kernel");
  NeedSizes(args, window.strides, dimensions, 1, "stride");
  NeedSizes(args, window.dilations, dimensions, 1, "dilation");
  NeedSizes(args, window.pads, 2 * dimensions, 0, "pad");
  return window;
}

Attributes ToAttributes(const Window& window) {
  return Attributes().Ints("kernel_shape", window.kernel).Ints("strides", window.strides).Ints("pads", window.pads);
}

void NeedPlainPads(Step& step, const Window& window) {
  if (window.legacy_pad != kNotSet && window.legacy_pad != kValid) {
    step.args().Refuse("legacy_pad " + std::to_string(window.legacy_pad) + " is not supported");
  }
  if (window.global) step.args().Refuse("global_pooling is for pools");
}

int RankOf(const Window& window) { return static_cast<int>(window.kernel.size()) + 2; }

void WriteConv(Step& step) {
  if (!step.Takes(2, 3)) return;
  const Window window = ReadWindow(step);
  NeedPlainPads(step, window);
  const int64_t group = step.args().Int("group", 1);
  if (group < 1) step.args().Refuse("group " + std::to_string(group) + " cannot be");
  step.Emit("Conv", step.InputNames(), ToAttributes(window).Ints("dilations", window.dilations).Int("group", group),
            RankOf(window));
}

void WriteConvTranspose(Step& step) {
  if (!step.Takes(2, 3)) return;
  const Window window = ReadWindow(step);
  NeedPlainPads(step, window);
  Arguments& args = step.args();
  if (std::ranges::any_of(window.dilations, [](int64_t each) { return each != 1; })) {
    args.Refuse("dilation is not supported");
  }
  std::vector<int64_t> adjust = ReadSizes(args, "adj", "adjs");
  if (adjust.empty()) adjust.assign(window.kernel.size(), 0);
  NeedSizes(args, adjust, window.kernel.size(), 0, "adj");
  const int64_t group = args.Int("group", 1);
  if (group < 1) args.Refuse("group " + std::to_string(group) + " cannot be");
  step.Emit("ConvTranspose", step.InputNames(), ToAttributes(window).Ints("output_padding", adjust).Int("group", group),
            RankOf(window));
}

// Caffe's pools continue to the right as long as there are elements. Without pads that is ONNX's ceil_mode, unless
// strides skip elements, so that a window could begin after the last one.
bool RoundsUp(Step& step, const Window& window) {
  if (window.legacy_pad != kCaffePooling) return false;
  bool overlaps = !window.padded();
  for (size_t i = 0; i < std::min(window.kernel.size(), window.strides.size()); ++i) {
    overlaps = overlaps && window.kernel[i] >= window.strides[i];
  }
  if (!overlaps) step.args().Refuse("legacy_pad CAFFE_LEGACY_POOLING is supported without pads, and stride <= kernel");
  return true;
}

void WritePool(Step& step) {
  if (!step.Takes(1, 1)) return;
  const Window window = ReadWindow(step);
  Arguments& args = step.args();
  const bool average = step.onnx() == "AveragePool";
  const int64_t counts_pads = average ? args.Int("count_include_pad", 0) : 0;
  if (window.global) {
    if (window.padded()) args.Refuse("global_pooling goes without pads");
    return step.Emit("Global" + std::string(step.onnx()), step.InputNames(), {}, step.in(0).rank);
  }
  if (std::ranges::any_of(window.dilations, [](int64_t each) { return each != 1; })) {
    args.Refuse("dilation is not supported");
  }
  const bool up = RoundsUp(step, window);
  if (!up && window.legacy_pad != kNotSet && window.legacy_pad != kValid) {
    args.Refuse("legacy_pad " + std::to_string(window.legacy_pad) + " is not supported");
  }
  Attributes attributes = ToAttributes(window).Int("ceil_mode", up ? 1 : 0);
  if (average) attributes.Int("count_include_pad", counts_pads != 0 ? 1 : 0);
  step.Emit(step.onnx(), step.InputNames(), attributes, RankOf(window));
}

constexpr Rule kConvolutionRules[] = {
    {"Conv", WriteConv},
    {"ConvTranspose", WriteConvTranspose},
    {"MaxPool", WritePool, "MaxPool"},
    {"AveragePool", WritePool, "AveragePool"},
};

}  // namespace

std::span<const Rule> ConvolutionRules() { return kConvolutionRules; }

}  // namespace inferd::netdef
