// Convolutions, pools and other operators with a window.

#include <algorithm>
#include <string>
#include <vector>

#include "engines/rewrite/mxnet/operators/rules.h"

namespace inferd::mxnet {

namespace {

constexpr size_t kWindowDimensionsMax = 3;

struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;  // on each side, as in MXNet

  // ONNX has all begins, then all ends.
  std::vector<int64_t> both_sides() const {
    std::vector<int64_t> sides = pads;
    sides.insert(sides.end(), pads.begin(), pads.end());
    return sides;
  }
  Attributes attributes() const {
    return Attributes().Ints("kernel_shape", kernel).Ints("strides", strides).Ints("pads", both_sides());
  }
  bool padded() const {
    return std::ranges::any_of(pads, [](int64_t pad) { return pad != 0; });
  }
  int rank() const { return static_cast<int>(kernel.size()) + 2; }
};

std::vector<int64_t> ReadSizes(Arguments& args, std::string_view name, size_t count, int64_t otherwise) {
  std::vector<int64_t> sizes = args.Ints(name);
  if (sizes.empty()) sizes.assign(count, otherwise);
  if (sizes.size() != count) {
    args.Refuse("arguments '" + std::string(name) + "' and 'kernel' have different numbers of dimensions");
    sizes.assign(count, otherwise);
  }
  for (const int64_t size : sizes) {
    if (size < otherwise || size > INT32_MAX)
      args.Refuse(std::string(name) + " " + std::to_string(size) + " cannot be");
  }
  return sizes;
}

Window ReadWindow(Step& step) {
  Arguments& args = step.args();
  Window window;
  window.kernel = args.Ints("kernel");
  const size_t count = window.kernel.size();
  if (count == 0 || count > kWindowDimensionsMax) args.Refuse("its kernel has not one, two or three dimensions");
  for (const int64_t size : window.kernel) {
    if (size < 1 || size > INT32_MAX) args.Refuse("kernel " + std::to_string(size) + " cannot be");
  }
  window.strides = ReadSizes(args, "stride", count, 1);
  window.pads = ReadSizes(args, "pad", count, 0);
  return window;
}

void NeedChannelsFirst(Step& step) {
  const std::string_view layout = step.args().Text("layout", "NCHW");
  if (layout != "NCHW" && layout != "NCW" && layout != "NCDHW") {
    step.args().Refuse("layout " + std::string(layout) + " is not supported: channels must come first");
  }
}

int64_t ReadGroup(Step& step) {
  const int64_t group = step.args().Int("num_group", 1);
  if (group < 1) step.args().Refuse("num_group " + std::to_string(group) + " cannot be");
  return group;
}

// Checks the inputs of a layer with weights, and returns whether it has a bias.
bool TakesWeights(Step& step, bool no_bias_otherwise) {
  const bool no_bias = step.args().Flag("no_bias", no_bias_otherwise);
  step.args().Ignore({"num_filter"});  // the weights have it
  const size_t count = no_bias ? 2 : 3;
  return step.Takes(count, count);
}

void WriteConvolution(Step& step) {
  if (!TakesWeights(step, false)) return;
  Window window = ReadWindow(step);
  window.dilations = ReadSizes(step.args(), "dilate", window.kernel.size(), 1);
  NeedChannelsFirst(step);
  step.Emit("Conv", step.InputNames(),
            window.attributes().Ints("dilations", window.dilations).Int("group", ReadGroup(step)), window.rank());
}

void WriteDeconvolution(Step& step) {
  if (!TakesWeights(step, true)) return;
  Window window = ReadWindow(step);
  window.dilations = ReadSizes(step.args(), "dilate", window.kernel.size(), 1);
  const std::vector<int64_t> adjust = ReadSizes(step.args(), "adj", window.kernel.size(), 0);
  for (const int64_t size : step.args().Ints("target_shape")) {
    if (size != 0) step.args().Refuse("argument 'target_shape' is not supported");
  }
  NeedChannelsFirst(step);
  step.Emit("ConvTranspose", step.InputNames(),
            window.attributes()
                .Ints("dilations", window.dilations)
                .Ints("output_padding", adjust)
                .Int("group", ReadGroup(step)),
            window.rank());
}

// `full` rounds sizes up, so that a window may begin after the last element, where engines differ. This cannot happen
// if the window is wider than its stride and the pad.
bool RoundsUp(Step& step, const Window& window) {
  const std::string_view convention = step.args().Text("pooling_convention", "valid");
  if (convention == "valid") return false;
  if (convention != "full") step.args().Refuse("pooling_convention " + std::string(convention) + " is not supported");
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    if (window.strides[i] + window.pads[i] > window.kernel[i]) {
      step.args().Refuse("pooling_convention full is supported where stride and pad are no more than the kernel");
    }
  }
  return true;
}

void WriteGlobalPool(Step& step, std::string_view type) {
  step.args().Ignore({"kernel", "stride", "pad", "pooling_convention", "count_include_pad", "p_value"});
  if (type != "max" && type != "avg") step.args().Refuse("pool_type " + std::string(type) + " is not supported");
  step.Emit(type == "max" ? "GlobalMaxPool" : "GlobalAveragePool", step.InputNames(), {}, step.in(0).rank);
}

void WritePooling(Step& step) {
  if (!step.Takes(1, 1)) return;
  Arguments& args = step.args();
  const std::string_view type = args.Text("pool_type", "max");
  NeedChannelsFirst(step);
  if (args.Flag("global_pool", false)) return WriteGlobalPool(step, type);
  const Window window = ReadWindow(step);
  const bool up = RoundsUp(step, window);
  const bool counts_pads = args.Flag("count_include_pad", true);
  args.Ignore({"p_value"});
  if (type == "max") {
    return step.Emit("MaxPool", step.InputNames(), window.attributes().Int("ceil_mode", up ? 1 : 0), window.rank());
  }
  if (type != "avg") args.Refuse("pool_type " + std::string(type) + " is not supported");
  if (up && window.padded() && counts_pads) {
    args.Refuse("pooling_convention full of an average that counts pads is not supported");
  }
  // Without pads, elements after the last are not counted.
  const bool counts = counts_pads && window.padded();
  step.Emit("AveragePool", step.InputNames(),
            window.attributes().Int("ceil_mode", up ? 1 : 0).Int("count_include_pad", counts ? 1 : 0), window.rank());
}

void WriteUpSampling(Step& step) {
  if (!step.Takes(1, 1)) return;
  const int64_t scale = step.args().Int("scale", 1);
  if (scale < 1 || scale > 1024) step.args().Refuse("scale " + std::to_string(scale) + " is not supported");
  if (step.args().Text("sample_type", "") != "nearest") step.args().Refuse("it is of another sample_type than nearest");
  step.args().Ignore({"num_filter", "multi_input_mode"});
  if (step.Rank(0) != 4) step.args().Refuse("its input has not four dimensions");
  const std::string sizes = step.Inner("Cast", {step.Ints({1, 1, scale, scale})}, CastTo(Element::kFloat));
  step.Emit("Resize", {step.in(0).tensor, "", sizes},
            Attributes()
                .Text("mode", "nearest")
                .Text("nearest_mode", "floor")
                .Text("coordinate_transformation_mode", "asymmetric"),
            4);
}

void WriteAdaptivePool(Step& step) {
  if (!step.Takes(1, 1)) return;
  for (const int64_t size : step.args().Ints("output_size")) {
    if (size != 1) step.args().Refuse("an output_size other than 1 is not supported");
  }
  step.Emit("GlobalAveragePool", step.InputNames(), {}, step.in(0).rank);
}

constexpr Rule kWindowRules[] = {
    {"Convolution", WriteConvolution},     {"Convolution_v1", WriteConvolution},
    {"Deconvolution", WriteDeconvolution}, {"Pooling", WritePooling},
    {"UpSampling", WriteUpSampling},       {"_contrib_AdaptiveAvgPooling2D", WriteAdaptivePool},
};

}  // namespace

std::span<const Rule> WindowRules() { return kWindowRules; }

}  // namespace inferd::mxnet
