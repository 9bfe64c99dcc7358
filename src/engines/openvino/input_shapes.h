#pragma once

#include <map>
#include <openvino/core/partial_shape.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::openvino {

// The shapes for which a model is compiled in place of its file's, in the form of OpenVINO Model Server's parameters
// `shape` and `batch_size`:
//
//   shape       "(1,3,-1,20:30)" for a model's only input, "auto" for any size of each dimension, or an object with
//               one of the two for each input: {"INPUT": "auto", ...}
//   batch_size  "16", "-1", "1:8" or "auto": the first dimension of each input that `shape` does not name
class InputShapes final {
 public:
  // INVALID_ARGUMENT, with the error in the text, without the parameter's name.
  base::Status ReadShape(std::string_view text);
  base::Status ReadBatchSize(std::string_view text);

  bool empty() const { return !only_.has_value() && by_name_.empty() && !batch_.has_value(); }

  // Returns the shapes of all inputs; the file has `shapes` for inputs of these names. INVALID_ARGUMENT if there is no
  // such input, or several inputs for a shape without a name.
  base::Result<std::vector<ov::PartialShape>> Apply(const std::vector<std::string>& names,
                                                    std::vector<ov::PartialShape> shapes) const;

 private:
  struct Shape {
    std::optional<ov::PartialShape> dims;  // any size of each dimension if absent
  };

  static base::Result<Shape> ParseShape(std::string_view text);
  static ov::PartialShape Resolve(const Shape& shape, const ov::PartialShape& of_file);

  std::optional<Shape> only_;
  std::map<std::string, Shape, std::less<>> by_name_;
  std::optional<ov::Dimension> batch_;
};

}  // namespace inferd::openvino
