#include "config/options/served_model.h"

#include <gtest/gtest.h>

namespace inferd::config {
namespace {

TEST(ServedModelTest, BasePathsAreAbsolute) {
  EXPECT_TRUE(CheckBasePath("m", "/models/m").ok());
  EXPECT_EQ(CheckBasePath("m", "models/m"),
            base::InvalidArgument("Expected model m to have an absolute path or URI; got base_path()=models/m"));
  EXPECT_FALSE(CheckBasePath("m", "").ok());
  EXPECT_EQ(
      CheckBasePath("m", "gs://bucket/m"),
      base::InvalidArgument("base path gs://bucket/m of model m: only folders of this machine are served (/PATH or "
                            "file:///PATH). Mount the bucket, or copy the model to one"));
}

}  // namespace
}  // namespace inferd::config
