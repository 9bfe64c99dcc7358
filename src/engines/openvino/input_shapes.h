#pragma once

#include <map>
#include <openvino/core/partial_shape.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::openvino {

// Shapes that a model is compiled for in place of its file's, as OpenVINO Model Server's parameters `shape` and
// `batch_size` write them:
//
//   shape       "(1,3,-1,20:30)" of a model's one input, "auto" for any size of each dimension, or {"INPUT": either,
//   ...} batch_size  "16", "-1", "1:8" or "auto": the first dimension of each input that `shape` does not name
class InputShapes final {
 public:
  // INVALID_ARGUMENT: says what is wrong in the text, without the parameter's name.
  base::Status ReadShape(std::string_view text);
  base::Status ReadBatchSize(std::string_view text);

  bool empty() const { return !only_.has_value() && by_name_.empty() && !batch_.has_value(); }

  // The shapes of all inputs, where the file has `shapes` for inputs of these names. INVALID_ARGUMENT: there is no such
  // input, or more than the one that a shape without a name is of.
  base::Result<std::vector<ov::PartialShape>> Apply(const std::vector<std::string>& names,
                                                    std::vector<ov::PartialShape> shapes) const;

 private:
  struct Shape {
    std::optional<ov::PartialShape> dims;  // none: any size of each
  };

  static base::Result<Shape> ParseShape(std::string_view text);
  static ov::PartialShape Resolve(const Shape& shape, const ov::PartialShape& of_file);

  std::optional<Shape> only_;
  std::map<std::string, Shape, std::less<>> by_name_;
  std::optional<ov::Dimension> batch_;
};

}  // namespace inferd::openvino
