#include "engines/openvino/input_shapes.h"

#include <algorithm>
#include <charconv>

#include "data/json/read.h"

namespace inferd::openvino {

namespace {

constexpr std::string_view kAuto = "auto";
constexpr size_t kRankMax = 32;
constexpr int64_t kSizeMax = int64_t{1} << 40;

std::string_view WithoutSpace(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

base::Status NoSize(std::string_view text) {
  return base::InvalidArgument("'" + std::string(text) +
                               "' is no size: a number, -1 for any, or LEAST:MOST is expected");
}

base::Result<int64_t> ParseNumber(std::string_view text, std::string_view whole) {
  int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || number < -1 || number > kSizeMax) {
    return std::unexpected(NoSize(whole));
  }
  return number;
}

base::Result<ov::Dimension> ParseDimension(std::string_view text) {
  text = WithoutSpace(text);
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    INFERD_ASSIGN_OR_RETURN(const int64_t size, ParseNumber(text, text));
    return ov::Dimension(size);
  }
  INFERD_ASSIGN_OR_RETURN(const int64_t least, ParseNumber(text.substr(0, colon), text));
  INFERD_ASSIGN_OR_RETURN(const int64_t most, ParseNumber(text.substr(colon + 1), text));
  if (least < 0 || most < least) return std::unexpected(NoSize(text));
  return ov::Dimension(least, most);
}

}  // namespace

base::Result<InputShapes::Shape> InputShapes::ParseShape(std::string_view text) {
  text = WithoutSpace(text);
  if (text == kAuto) return Shape{};
  if (text.size() < 2 || !text.starts_with('(') || !text.ends_with(')')) {
    return std::unexpected(
        base::InvalidArgument("'" + std::string(text) + "' is no shape: (1,3,224,224) or auto is expected"));
  }
  text = text.substr(1, text.size() - 2);
  std::vector<ov::Dimension> dims;
  while (!WithoutSpace(text).empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    INFERD_ASSIGN_OR_RETURN(const ov::Dimension dim, ParseDimension(text.substr(0, comma)));
    if (dims.size() == kRankMax) return std::unexpected(base::InvalidArgument("a shape has more than 32 dimensions"));
    dims.push_back(dim);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return Shape{.dims = ov::PartialShape(std::move(dims))};
}

base::Status InputShapes::ReadShape(std::string_view text) {
  if (!WithoutSpace(text).starts_with('{')) {
    INFERD_ASSIGN_OR_RETURN(only_, ParseShape(text));
    return base::OkStatus();
  }
  return json::ReadWholeObject(text, [this](json::Reader& reader, std::string_view input) -> base::Status {
    const std::string name(input);
    INFERD_ASSIGN_OR_RETURN(const std::string_view shape, reader.ReadString());
    INFERD_ASSIGN_OR_RETURN(by_name_[name], ParseShape(shape));
    return base::OkStatus();
  });
}

base::Status InputShapes::ReadBatchSize(std::string_view text) {
  if (text == kAuto) {
    batch_ = ov::Dimension::dynamic();
    return base::OkStatus();
  }
  if (text == "0") return base::OkStatus();  // the file's
  INFERD_ASSIGN_OR_RETURN(batch_, ParseDimension(text));
  return base::OkStatus();
}

ov::PartialShape InputShapes::Resolve(const Shape& shape, const ov::PartialShape& of_file) {
  return shape.dims.value_or(ov::PartialShape::dynamic(of_file.rank()));
}

base::Result<std::vector<ov::PartialShape>> InputShapes::Apply(const std::vector<std::string>& names,
                                                               std::vector<ov::PartialShape> shapes) const {
  if (only_.has_value() && names.size() != 1) {
    return std::unexpected(base::InvalidArgument("a shape without a name is of a model's one input, but this one has " +
                                                 std::to_string(names.size())));
  }
  for (const auto& [name, shape] : by_name_) {
    if (std::ranges::find(names, name) == names.end()) {
      return std::unexpected(base::InvalidArgument("there is no input '" + name + "' to have a shape"));
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const auto named = by_name_.find(names[i]);
    if (named != by_name_.end()) {
      shapes[i] = Resolve(named->second, shapes[i]);
    } else if (only_.has_value()) {
      shapes[i] = Resolve(*only_, shapes[i]);
    } else if (batch_.has_value() && shapes[i].rank().is_static() && shapes[i].size() > 0) {
      shapes[i][0] = *batch_;
    }
  }
  return shapes;
}

}  // namespace inferd::openvino
