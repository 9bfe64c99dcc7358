#include "config/model/model_config_place.h"

#include <google/protobuf/descriptor.h>

namespace inferd::config {

Place::Place(const ModelConfigDocument::Message& message)
    : Place(inference::ModelConfig::descriptor(), message.places.get(), message.file) {}

Place::Place(const google::protobuf::Descriptor* type, const google::protobuf::TextFormat::ParseInfoTree* tree,
             std::string file)
    : descriptor_(type), tree_(tree), file_(std::move(file)) {}

Place Place::In(std::string_view name, int index) const {
  const auto* field = descriptor_->FindFieldByName(std::string(name));
  Place place;
  place.descriptor_ = field->message_type();
  place.tree_ = tree_ == nullptr ? nullptr : tree_->GetTreeForNested(field, index);
  place.file_ = file_;
  place.path_ = PathOf(name, index);
  place.line_ = line_;
  place.column_ = column_;
  Locate(field, index, place.line_, place.column_);
  return place;
}

Problem Place::At(std::string_view name, int index, std::string message) const {
  int line = line_;
  int column = column_;
  Locate(descriptor_->FindFieldByName(std::string(name)), index, line, column);
  return {PathOf(name, index), std::move(message), file_, line, column};
}

Problem Place::Here(std::string message) const { return {path_, std::move(message), file_, line_, column_}; }

std::string Place::PathOf(std::string_view name, int index) const {
  std::string path = path_;
  if (!path.empty()) path += '.';
  path += name;
  if (index >= 0) path += "[" + std::to_string(index) + "]";
  return path;
}

void Place::Locate(const google::protobuf::FieldDescriptor* field, int index, int& line, int& column) const {
  if (tree_ == nullptr) return;
  auto place = tree_->GetLocation(field, field->is_repeated() ? std::max(index, 0) : -1);
  // A list in brackets has one position for all its elements.
  if (place.line < 0 && field->is_repeated()) place = tree_->GetLocation(field, 0);
  if (place.line < 0) return;
  line = place.line + 1;
  column = place.column + 1;
}

}  // namespace inferd::config
