#include "config/served_name.h"

#include "base/text/printable.h"

namespace inferd::config {

namespace {
constexpr size_t kServedNameBytesMax = 255;
}  // namespace

base::Status CheckServedName(const std::string& model) {
  if (model.size() <= kServedNameBytesMax && base::IsPrintable(model)) return base::OkStatus();
  return base::InvalidArgument(base::QuotedName(model) +
                               " is no name of a model: it has a control character, is not "
                               "UTF-8, or is longer than " +
                               std::to_string(kServedNameBytesMax) + " bytes");
}

}  // namespace inferd::config
