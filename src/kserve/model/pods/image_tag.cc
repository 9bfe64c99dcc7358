#include "kserve/model/pods/image_tag.h"

namespace inferd::model {

namespace {

bool HasGpus(const manifest::Value& container) {
  const manifest::Value* resources = container.Find("resources");
  const manifest::Value* limits = resources == nullptr ? nullptr : resources->Find("limits");
  const manifest::Value* gpus = limits == nullptr ? nullptr : limits->Find("nvidia.com/gpu");
  return gpus != nullptr && gpus->text() != "0";
}

}  // namespace

std::string WithTag(std::string_view image, std::string_view version) {
  image = image.substr(0, image.find('@'));
  const size_t slash = image.rfind('/');
  const size_t colon = image.find(':', slash == std::string_view::npos ? 0 : slash);
  return std::string(image.substr(0, colon)) + ":" + std::string(version);
}

std::string_view ImageName(std::string_view image) {
  image = image.substr(0, image.find('@'));
  image = image.substr(image.rfind('/') + 1);
  return image.substr(0, image.find(':'));
}

void SetImageVersion(manifest::Value& container, const std::optional<std::string>& runtime_version,
                     std::string_view runtime) {
  const manifest::Value* image = container.Find("image");
  if (image == nullptr || image->text().empty()) return;
  const bool has_gpu_images = runtime == "kserve-tensorflow-serving" || runtime == "kserve-torchserve";
  if (runtime_version.has_value()) {
    container.Set("image", manifest::Value::String(WithTag(image->text(), *runtime_version)));
  } else if (has_gpu_images && HasGpus(container)) {
    container.Set("image", manifest::Value::String(image->text() + "-gpu"));
  }
}

}  // namespace inferd::model
