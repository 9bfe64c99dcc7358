#include "config/options/served_model.h"

namespace inferd::config {

base::Status CheckBasePath(const std::string& model, const std::string& base_path) {
  if (base_path.starts_with('/')) return base::OkStatus();
  if (base_path.contains("://")) {
    return base::InvalidArgument("base path " + base_path + " of model " + model +
                                 ": only folders of this machine are served (/PATH or file:///PATH). Mount the bucket, "
                                 "or copy the model to one");
  }
  return base::InvalidArgument("Expected model " + model +
                               " to have an absolute path or URI; got base_path()=" + base_path);
}

}  // namespace inferd::config
