#pragma once

#include <memory>
#include <string>
#include <vector>

namespace inferd::config {

// Something wrong with a configuration, and where.
struct Problem {
  std::string field;  // "input[1].dims"; empty: the whole configuration
  std::string message;
  std::string file;  // empty: it came from a load call
  int line = 0;      // from 1; 0: not written in the file
  int column = 0;

  // "<file>:<line>:<column>: <field>: <message>", without the parts that are not known.
  std::string ToString() const;
};

// A whole ModelConfig message, what the server does not act on included, with the lines it was written on. Immutable,
// thread-safe.
class ModelConfigDocument final {
 public:
  struct Message;  // model_config_message.h, for this room's sources only

  explicit ModelConfigDocument(std::unique_ptr<const Message> message);
  ~ModelConfigDocument();
  ModelConfigDocument(const ModelConfigDocument&) = delete;
  ModelConfigDocument& operator=(const ModelConfigDocument&) = delete;

  const Message& message() const { return *message_; }

  // As GET .../config answers: proto field names in declaration order, primitive defaults printed, 64-bit integers as
  // numbers, maps as objects with sorted keys. One line.
  std::string ToJson() const;
  // As a config.pbtxt that parses back to the same message.
  std::string ToPbtxt() const;

 private:
  std::unique_ptr<const Message> message_;
};

// Everything that is wrong with a configuration in itself, before a model file is looked at: Triton's rules and texts
// (model_config_utils), and what inferd does not act on yet, refused by name. `model_name` is what the texts call it.
// `absent_gpus_are_cpus`: an instance group on GPUs that there are not is no problem.
std::vector<Problem> FindProblems(const ModelConfigDocument& document, const std::string& model_name,
                                  std::string_view engine = {}, bool absent_gpus_are_cpus = false);

}  // namespace inferd::config
