#include "kserve/node/resources/control_group_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "kserve/node/resources/control_group_fixture.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

using std::filesystem::path;
using ::testing::HasSubstr;

// A folder like the kernel's, with plain files.
class ControlGroupTreeTest : public ::testing::Test {
 protected:
  ControlGroupTreeTest() { create_directories(own_); }

  void Write(const path& file, const std::string& text) const { std::ofstream(file) << text; }
  static std::string Read(const path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  base::Result<std::unique_ptr<ControlGroupTree>> Open(const std::string& controllers, const path& mount) const {
    Write(folder_.path() / "membership", "1:name=systemd:/other\n0::/own\n");
    Write(mount / "cgroup.controllers", controllers);
    Write(mount / "own" / "cgroup.controllers", controllers);
    return ControlGroupTree::Open({.membership = folder_.path() / "membership", .mount = folder_.path()},
                                  RemoveStandIn);
  }

  const support::TempDir folder_;
  const path own_ = folder_.path() / "own";
  const path below_ = own_ / ("inferd." + std::to_string(getpid()));
};

TEST_F(ControlGroupTreeTest, IsBelowThisProcesssGroup) {
  const auto tree = Open("cpuset cpu memory\n", folder_.path());
  ASSERT_TRUE(tree.has_value()) << tree.error().message();
  EXPECT_EQ(Read(below_ / "controller/cgroup.procs"), std::to_string(getpid()));
  EXPECT_EQ(Read(own_ / "cgroup.subtree_control"), "+cpu +memory ");
  EXPECT_EQ(Read(below_ / "cgroup.subtree_control"), "+cpu +memory ");
}

TEST_F(ControlGroupTreeTest, BesideVersion1ItHasAFolderOfItsOwn) {
  const path unified = folder_.path() / "unified";
  create_directories(unified / "own");
  const auto tree = Open("memory", unified);
  ASSERT_TRUE(tree.has_value());
  EXPECT_FALSE((*tree)->controllers().cpu);
  EXPECT_TRUE((*tree)->controllers().memory);
  EXPECT_EQ(Read(unified / "own/cgroup.subtree_control"), "+memory ");
}

TEST_F(ControlGroupTreeTest, IsNoneWithoutControllers) {
  const auto tree = Open("hugetlb pids\n", folder_.path());
  ASSERT_FALSE(tree.has_value());
  EXPECT_EQ(tree.error().message(), "its control group has no controller of CPUs or memory");
  EXPECT_FALSE(exists(below_));
  const auto none = ControlGroupTree::Open({.membership = "/none", .mount = "/none"});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message(), "there are no control groups of version 2");
}

// The kernel answers so if the group has other processes or belongs to another user.
TEST_F(ControlGroupTreeTest, WhatCannotBeDividedStaysAsItWas) {
  create_directory(own_ / "cgroup.subtree_control");
  const auto tree = Open("cpu memory", folder_.path());
  ASSERT_FALSE(tree.has_value());
  EXPECT_THAT(std::string(tree.error().message()), HasSubstr("has other processes, or is not its own"));
  EXPECT_EQ(Read(own_ / "cgroup.procs"), std::to_string(getpid()));
  EXPECT_FALSE(exists(below_));
}

TEST_F(ControlGroupTreeTest, WhatAProcessHasLeftIsRemoved) {
  const path left = own_ / "inferd.999999999";
  const path running = own_ / ("inferd." + std::to_string(getppid()));
  create_directories(left / "x.1");
  create_directories(running);
  create_directories(own_ / "other");
  ASSERT_TRUE(Open("cpu", folder_.path()).has_value());
  EXPECT_FALSE(exists(left));
  EXPECT_TRUE(exists(running));
  EXPECT_TRUE(exists(own_ / "other"));
}

TEST_F(ControlGroupTreeTest, AGroupHasItsContainersLimits) {
  struct Case {
    const char* controllers;
    ContainerResources resources;
    std::vector<std::pair<const char*, const char*>> files;  // "" for none
  };
  const std::vector<Case> cases = {
      {"cpu memory",
       {.memory_limit_bytes = 1 << 20, .cpu_limit_milli = 1500, .cpu_request_milli = 1000},
       {{"memory.max", "1048576"}, {"memory.oom.group", "1"}, {"cpu.max", "150000 100000"}, {"cpu.weight", "39"}}},
      {"cpu memory", {.cpu_request_milli = 100}, {{"memory.max", ""}, {"cpu.max", ""}, {"cpu.weight", "4"}}},
      {"cpu memory", {.cpu_limit_milli = 1, .cpu_request_milli = 1}, {{"cpu.max", "1000 100000"}, {"cpu.weight", "1"}}},
      {"cpu memory", {.cpu_request_milli = INT64_MAX}, {{"cpu.weight", "10000"}}},
      {"memory",
       {.memory_limit_bytes = 5, .cpu_limit_milli = 1000, .cpu_request_milli = 1000},
       {{"memory.max", "5"}, {"cpu.max", ""}, {"cpu.weight", ""}}},
      {"cpu", {.memory_limit_bytes = 5, .cpu_limit_milli = 1000}, {{"memory.max", ""}, {"cpu.max", "100000 100000"}}},
  };
  for (const Case& each : cases) {
    const auto tree = Open(each.controllers, folder_.path());
    ASSERT_TRUE(tree.has_value());
    {
      const auto group = (*tree)->Make("iris", each.resources);
      ASSERT_TRUE(group.has_value()) << group.error().message();
      EXPECT_GE(group->join(), 0);
      for (const auto& [file, text] : each.files) EXPECT_EQ(Read(below_ / "iris.1" / file), text) << file;
    }
    EXPECT_FALSE(exists(below_ / "iris.1"));
    remove_all(below_);
  }
}

TEST_F(ControlGroupTreeTest, TheKernelsKillsAreCounted) {
  const auto tree = Open("memory", folder_.path());
  const auto group = (*tree)->Make("iris", {.memory_limit_bytes = 1});
  const auto killed = [&](const std::string& events) {
    Write(below_ / "iris.1" / "memory.events", events);
    return group->KilledForMemory();
  };
  EXPECT_FALSE(killed(""));
  EXPECT_FALSE(killed("low 0\nhigh 0\nmax 7\noom 2\noom_kill 0\noom_group_kill 0\n"));
  EXPECT_TRUE(killed("low 0\nhigh 0\nmax 7\noom 2\noom_kill 3\n"));
}

TEST_F(ControlGroupTreeTest, OnesOfOneNameAreApart) {
  const auto tree = Open("memory", folder_.path());
  const auto one = (*tree)->Make("iris", {});
  const auto other = (*tree)->Make("iris", {});
  EXPECT_TRUE(exists(below_ / "iris.1"));
  EXPECT_TRUE(exists(below_ / "iris.2"));
  remove_all(below_);
  const auto none = (*tree)->Make("iris", {});
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(std::string(none.error().message()), HasSubstr("iris.3: No such file"));
}

}  // namespace
}  // namespace inferd::node
