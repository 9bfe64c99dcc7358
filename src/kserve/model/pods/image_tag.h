#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/manifest/value.h"

namespace inferd::model {

// The image with the version in place of its tag, or behind it where it has none: "server:1" and "2" make "server:2".
// A digest goes away with the tag; a registry's port is no tag.
std::string WithTag(std::string_view image, std::string_view version);

// What the image is called, without its registry, folders, tag and digest: "server" of "registry:5000/team/server:1".
std::string_view ImageName(std::string_view image);

// Sets the image that a runtime's container has for a model (KServe 0.10: UpdateImageTag): with the model's
// runtimeVersion as its tag; without one, TensorFlow Serving's and TorchServe's runtimes have "-gpu" behind it where
// the container is given GPUs (resources.limits of nvidia.com/gpu).
void SetImageVersion(manifest::Value& container, const std::optional<std::string>& runtime_version,
                     std::string_view runtime);

}  // namespace inferd::model
