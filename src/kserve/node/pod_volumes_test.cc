#include "kserve/node/pod_volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "data/manifest/read.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PodVolumesTest : public ::testing::Test {
 protected:
  static model::ResolvedPod VolumesPod(const std::string& mounts, const std::string& volumes) {
    model::ResolvedPod pod;
    pod.namespace_name = "models";
    pod.pod_spec =
        manifest::ReadYaml("{containers: [{volumeMounts: [" + mounts + "]}], volumes: [" + volumes + "]}", "pod.yaml")
            .value()
            .front();
    return pod;
  }
  static std::optional<manifest::StringMap> FindFiles(const DataSource& source) {
    if (source.name != "files" || source.namespace_name != "models") return std::nullopt;
    return manifest::StringMap{{"a", source.secret ? "secret" : "map"}, {"b", "B"}};
  }
  base::Result<std::vector<PathMove>> Prepare(const std::string& volume, const std::string& mount = "") {
    return volumes_->Prepare(VolumesPod("{name: v, mountPath: /data" + mount + "}", "{name: v, " + volume + "}"));
  }
  std::string ReadFile(const std::string& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  const support::TempDir dir_;
  const std::string own_ = (dir_.path() / "pod").string();
  const std::string claims_ = (dir_.path() / "claims").string();
  std::optional<PodVolumes> volumes_{std::in_place, own_, claims_, FindFiles};
};

TEST_F(PodVolumesTest, AnEmptyOneLastsAsLongAsThePod) {
  dir_.Write("pod/v/left", "by one before");
  EXPECT_THAT(Prepare("emptyDir: {}").value(), ElementsAre(PathMove{"/data", own_ + "/v"}));
  EXPECT_FALSE(std::filesystem::exists(own_ + "/v/left"));
  dir_.Write("pod/v/mine", "x");
  EXPECT_TRUE(Prepare("emptyDir: {}").has_value());
  EXPECT_TRUE(std::filesystem::exists(own_ + "/v/mine"));
  volumes_.reset();
  EXPECT_FALSE(std::filesystem::exists(own_));
}

TEST_F(PodVolumesTest, FilesOfSecretsAndConfigMaps) {
  EXPECT_THAT(Prepare("configMap: {name: files}").value(), ElementsAre(PathMove{"/data", own_ + "/v"}));
  EXPECT_EQ(ReadFile(own_ + "/v/a"), "map");
  EXPECT_EQ(ReadFile(own_ + "/v/b"), "B");
  EXPECT_TRUE(Prepare("secret: {secretName: files, items: [{key: a, path: deep/x}]}").has_value());
  EXPECT_EQ(ReadFile(own_ + "/v/deep/x"), "secret");
  EXPECT_TRUE(Prepare("secret: {secretName: none, optional: true}").has_value());
}

TEST_F(PodVolumesTest, AClaimStays) {
  EXPECT_THAT(Prepare("persistentVolumeClaim: {claimName: disk}").value(),
              ElementsAre(PathMove{"/data", claims_ + "/models/disk"}));
  dir_.Write("claims/models/disk/kept", "x");
  volumes_.reset();
  EXPECT_TRUE(std::filesystem::exists(claims_ + "/models/disk/kept"));
}

TEST_F(PodVolumesTest, PathsOfTheHostAndPartsOfVolumes) {
  dir_.MakeDir("host");
  const std::string host = (dir_.path() / "host").string();
  EXPECT_THAT(Prepare("hostPath: {path: " + host + "}").value(), ElementsAre(PathMove{"/data", host}));
  EXPECT_THAT(Prepare("hostPath: {path: " + host + "/new, type: DirectoryOrCreate}").value(),
              ElementsAre(PathMove{"/data", host + "/new"}));
  EXPECT_THAT(Prepare("emptyDir: {}", "/, subPath: a/b").value(), ElementsAre(PathMove{"/data", own_ + "/v/a/b"}));
  EXPECT_TRUE(std::filesystem::is_directory(own_ + "/v/a/b"));
}

TEST_F(PodVolumesTest, TheLongestPathComesFirst) {
  const auto moves = volumes_->Prepare(VolumesPod("{name: v, mountPath: /a}, {name: w, mountPath: /a/b}",
                                                  "{name: v, emptyDir: {}}, {name: w, emptyDir: {}}"));
  EXPECT_THAT(moves.value(), ElementsAre(PathMove{"/a/b", own_ + "/w"}, PathMove{"/a", own_ + "/v"}));
}

TEST_F(PodVolumesTest, WhatCannotBeHadIsNamed) {
  for (const auto& [volume, mount, error] : {
           std::tuple("projected: {}", "", "spec.volumes[v]: expected emptyDir, hostPath"),
           std::tuple("hostPath: {path: relative}", "", "spec.volumes[v].hostPath.path: must be absolute"),
           std::tuple("hostPath: {path: /no/such/path}", "", "there is no '/no/such/path'"),
           std::tuple("configMap: {name: none}", "", "configmap \"none\" not found"),
           std::tuple("secret: {secretName: files, items: [{key: c, path: x}]}", "",
                      "secret \"files\" references non-existent key: c"),
           std::tuple("secret: {secretName: files, items: [{key: a, path: ../x}]}", "", "leads out of the volume"),
           std::tuple("emptyDir: {}", ", subPath: ../x", "must not lead out of the volume"),
           std::tuple("persistentVolumeClaim: {claimName: ../x}", "", "persistentVolumeClaim.claimName"),
       }) {
    const auto moves = Prepare(volume, mount);
    ASSERT_FALSE(moves.has_value()) << volume;
    EXPECT_THAT(moves.error().message(), HasSubstr(error));
  }
  EXPECT_THAT(volumes_->Prepare(VolumesPod("{name: w, mountPath: /a}", "")).error().message(),
              HasSubstr("there is no volume 'w'"));
}

}  // namespace
}  // namespace inferd::node
