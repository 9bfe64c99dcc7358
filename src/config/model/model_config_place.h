#pragma once

#include <string>
#include <string_view>

#include "config/model/model_config_message.h"

namespace inferd::config {

// A message inside a configuration, with its path ("input[1]") and its position in the text. For this room's sources.
class Place {
 public:
  explicit Place(const ModelConfigDocument::Message& message);
  // A whole configuration of that type. `tree` is null if there is no text, and must outlive the place.
  Place(const google::protobuf::Descriptor* type, const google::protobuf::TextFormat::ParseInfoTree* tree,
        std::string file);

  // Returns the message in field `name`; `index` >= 0 if the field is repeated.
  Place In(std::string_view name, int index = -1) const;

  // Returns a problem with field `name` of this message, at its line or else at the message's.
  Problem At(std::string_view name, int index, std::string message) const;
  Problem At(std::string_view name, std::string message) const { return At(name, -1, std::move(message)); }
  // Returns a problem with this message as a whole.
  Problem Here(std::string message) const;

 private:
  Place() = default;
  std::string PathOf(std::string_view name, int index) const;
  void Locate(const google::protobuf::FieldDescriptor* field, int index, int& line, int& column) const;

  const google::protobuf::Descriptor* descriptor_ = nullptr;
  const google::protobuf::TextFormat::ParseInfoTree* tree_ = nullptr;
  std::string file_;
  std::string path_;
  int line_ = 0;
  int column_ = 0;
};

}  // namespace inferd::config
