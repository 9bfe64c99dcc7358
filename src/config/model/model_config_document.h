#pragma once

#include <memory>
#include <string>
#include <vector>

namespace inferd::config {

// A problem in a configuration, and its place.
struct Problem {
  std::string field;  // "input[1].dims"; empty for the whole configuration
  std::string message;
  std::string file;  // empty if it came from a load call
  int line = 0;      // from 1; 0 if not written in the file
  int column = 0;

  // Returns "<file>:<line>:<column>: <field>: <message>", without unknown parts.
  std::string ToString() const;
  // "<message> (<file>:<line>:<column>: <field>)", likewise: for clients that look at how the text begins.
  std::string ToStringPlaceLast() const;

 private:
  // "<file>:<line>:<column>: <field>", without the parts that are not known.
  std::string PlaceText() const;
};

// A whole ModelConfig message, including fields that the server does not act on, with their lines. Immutable,
// thread-safe.
class ModelConfigDocument final {
 public:
  struct Message;  // model_config_message.h, for this room's sources only

  explicit ModelConfigDocument(std::unique_ptr<const Message> message);
  ~ModelConfigDocument();
  ModelConfigDocument(const ModelConfigDocument&) = delete;
  ModelConfigDocument& operator=(const ModelConfigDocument&) = delete;

  const Message& message() const { return *message_; }

  // Returns the answer of GET .../config: proto field names in declaration order, primitive defaults printed, 64-bit
  // integers as numbers, maps as objects with sorted keys. One line.
  std::string ToJson() const;
  // Returns a config.pbtxt that parses back to the same message.
  std::string ToPbtxt() const;

 private:
  std::unique_ptr<const Message> message_;
};

// Returns all mistakes that a configuration has in itself, without reading a model file: by Triton's rules and texts
// (model_config_utils), and fields that inferd does not support yet, by name. `model_name` is used in the texts. If
// `absent_gpus_are_cpus`, an instance group on missing GPUs is not a problem.
std::vector<Problem> FindProblems(const ModelConfigDocument& document, const std::string& model_name,
                                  std::string_view engine = {}, bool absent_gpus_are_cpus = false);

}  // namespace inferd::config
