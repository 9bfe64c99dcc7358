#include "serving/repository/load/checksums.h"

#include <gtest/gtest.h>

#include <fstream>

#include "config/model/model_config_parser.h"
#include "tests/support/temp_dir.h"

namespace inferd::repository {
namespace {

config::ModelConfig ConfigWith(const std::string& key, const std::string& digest) {
  return config::ParseModelConfig(
             "name: \"m\" backend: \"fake\" model_repository_agents { agents { name: \"checksum\" "
             "parameters { key: \"" +
                 key + "\" value: \"" + digest + "\" } } }",
             "config.pbtxt")
      .value();
}

class ChecksumsTest : public ::testing::Test {
 protected:
  ChecksumsTest() {
    std::filesystem::create_directories(dir_.path() / "1");
    std::ofstream(dir_.path() / "1" / "model.bin") << "abc";
  }
  base::Status Verify(const std::string& key, const std::string& digest) const {
    return VerifyChecksums(ConfigWith(key, digest), dir_.path());
  }

  const support::TempDir dir_;
};

// The checksums of "abc" from RFC 1321 and FIPS 180-2.
TEST_F(ChecksumsTest, FilesAsTheyShouldBe) {
  EXPECT_TRUE(Verify("MD5:1/model.bin", "900150983CD24FB0d6963f7d28e17f72").ok());
  EXPECT_TRUE(Verify("SHA256:1/model.bin", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad").ok());
  EXPECT_TRUE(VerifyChecksums(config::ParseModelConfig("", "config.pbtxt").value(), dir_.path()).ok());
}

TEST_F(ChecksumsTest, OtherFiles) {
  const std::string zeros(32, '0');
  const base::Status other = Verify("MD5:1/model.bin", zeros);
  EXPECT_EQ(other.code(), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(other.message(), "Mismatched MD5 hash for file " + (dir_.path() / "1/model.bin").string() +
                                 ", expect: " + zeros + ", got: 900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Verify("MD5:1/none", zeros).code(), base::StatusCode::kNotFound);
  EXPECT_EQ(Verify("MD5:1", zeros).code(), base::StatusCode::kInvalidArgument) << "a folder";
}

}  // namespace
}  // namespace inferd::repository
