#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/manifest/value.h"

namespace inferd::model {

// Returns the image with the version as its tag: "server:1" and "2" make "server:2". An existing tag and a digest are
// removed. A registry's port is not taken for a tag.
std::string WithTag(std::string_view image, std::string_view version);

// Returns the image's name without registry, folders, tag and digest: "server" for "registry:5000/team/server:1".
std::string_view ImageName(std::string_view image);

// Sets the image of a runtime's container for a model (KServe 0.10: UpdateImageTag). The model's runtimeVersion becomes
// the tag. Without one, the images of TensorFlow Serving's and TorchServe's runtimes get the suffix "-gpu" if the
// container has GPUs (resources.limits of nvidia.com/gpu).
void SetImageVersion(manifest::Value& container, const std::optional<std::string>& runtime_version,
                     std::string_view runtime);

}  // namespace inferd::model
