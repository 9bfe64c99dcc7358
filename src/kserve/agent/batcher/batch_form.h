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

// A request's body, split into rows. Its views refer to the parsed text.
struct BatchedBody {
  size_t count = 0;  // number of rows; at least 1
  // The body without the rows. Requests with equal frames can be batched. kRowCount stands for the number of rows, and
  // each kRows for the next list.
  std::string frame;
  std::vector<std::string_view> lists;  // values separated by commas; one list per kRows in the frame
  std::string own;                      // JSON members of its own response only; may be empty
};

// Neither character can occur in a JSON text.
inline constexpr char kRowCount = '\x01';
inline constexpr char kRows = '\x02';

// A request of a batch that has been sent.
struct BatchedRequest {
  size_t count = 0;
  std::string own;
};

using ResponseBody = boost::container::small_vector<base::BufferSlice, 2>;

// A protocol's rules to combine requests, and to split responses. Thread-safe; lives forever.
class BatchForm {
 public:
  virtual ~BatchForm() = default;

  // Parses a body. INVALID_ARGUMENT if it is invalid; the caller answers 400 with the message. UNIMPLEMENTED if the
  // request must be sent alone, unchanged.
  virtual base::Result<BatchedBody> Parse(std::string_view json) const = 0;
  // Splits a response into one for each request; they share `answer`. INVALID_ARGUMENT if it is no response, or has
  // another number of rows.
  virtual base::Result<std::vector<ResponseBody>> Split(const base::Buffer& answer,
                                                        std::span<const BatchedRequest> requests) const = 0;
  // Returns the body of an error response, with the text of the component or the agent.
  virtual std::string Failure(std::string_view message) const = 0;
};

// Returns the form of V1's :predict or V2's infer in JSON. Null if the request must be sent alone.
const BatchForm* FindBatchForm(const net::RequestHead& head);

const BatchForm& PredictForm();  // V1
const BatchForm& TensorForm();   // V2

}  // namespace inferd::agent
