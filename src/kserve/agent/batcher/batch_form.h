#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "net/http/http.h"

namespace inferd::agent {

// A request's body, by its rows. Views into the text that it was read from.
struct BatchedBody {
  size_t count = 0;  // of rows; at least 1
  // The body without what rows differ in; those of the same can become one. kRowCount stands for the number of rows,
  // and kRows for the next of the lists.
  std::string frame;
  std::vector<std::string_view> lists;  // texts of values with commas between, as many as the frame has kRows
  std::string own;                      // of its own answer alone: JSON members; empty: none
};

// Neither stands in a JSON text.
inline constexpr char kRowCount = '\x01';
inline constexpr char kRows = '\x02';

// A request of a batch, when its rows are on their way.
struct BatchedRequest {
  size_t count = 0;
  std::string own;
};

using ResponseBody = boost::container::small_vector<base::BufferSlice, 2>;

// How a protocol's requests become one, and an answer several. Thread-safe; lives for ever.
class BatchForm {
 public:
  virtual ~BatchForm() = default;

  // INVALID_ARGUMENT: it is no body, and is answered with 400 and the message; UNIMPLEMENTED: it goes alone, as it is.
  virtual base::Result<BatchedBody> Parse(std::string_view json) const = 0;
  // What each of the requests is answered with; they share `answer`. INVALID_ARGUMENT: it is no answer, or not one for
  // so many rows.
  virtual base::Result<std::vector<ResponseBody>> Split(const base::Buffer& answer,
                                                        std::span<const BatchedRequest> requests) const = 0;
  // What each is answered with instead, with what the component or the agent says.
  virtual std::string Failure(std::string_view message) const = 0;
};

// Of V1's :predict and of V2's infer in JSON; null: the request goes alone.
const BatchForm* FindBatchForm(const net::RequestHead& head);

const BatchForm& PredictForm();  // V1
const BatchForm& TensorForm();   // V2

}  // namespace inferd::agent
