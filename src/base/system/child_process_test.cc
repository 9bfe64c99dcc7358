#include "base/system/child_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <thread>

namespace inferd::base {
namespace {

using std::chrono::steady_clock;
using testing::HasSubstr;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    reading = FileDescriptor(ends[0]);
    writing = FileDescriptor(ends[1]);
  }
  // Reads until the last writer closes the pipe.
  std::string ReadAll() {
    writing.Close();
    std::string text;
    std::array<char, 256> part{};
    for (ssize_t got; (got = read(reading.get(), part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<size_t>(got));
    }
    return text;
  }
  FileDescriptor reading, writing;
};

Result<ChildProcess> Shell(const std::string& script, std::span<const int> descriptors = {},
                           std::vector<std::string> environment_changes = {}) {
  return ChildProcess::Start({.program = "sh",
                              .arguments = {"sh", "-c", script},
                              .environment_changes = std::move(environment_changes),
                              .descriptors = descriptors});
}

TEST(ChildProcessTest, TellsHowItEnded) {
  auto left = Shell("exit 3");
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->WaitForEnd(), "left with status 3");
  EXPECT_TRUE(left->ended());
  auto killed = Shell("kill -SEGV $$");
  ASSERT_TRUE(killed.has_value());
  EXPECT_EQ(killed->WaitForEnd(), "was ended by signal 11 (Segmentation fault)");
}

TEST(ChildProcessTest, ItsOutputGoesWhereItIsWantedWithOrWithoutItsErrors) {
  for (const bool own_errors : {false, true}) {
    Pipe pipe;
    auto child = ChildProcess::Start({.program = "sh",
                                      .arguments = {"sh", "-c", "echo out; echo errors >&2"},
                                      .output = pipe.writing.get(),
                                      .own_errors = own_errors});
    ASSERT_TRUE(child.has_value());
    EXPECT_EQ(pipe.ReadAll(), own_errors ? "out\n" : "out\nerrors\n");
  }
}

TEST(ChildProcessTest, AnEnvironmentTakesThePlaceOfOurs) {
  Pipe pipe;
  setenv("CHILD_PROCESS_TEST_OURS", "1", 1);
  auto child = ChildProcess::Start({.program = "/usr/bin/env",
                                    .arguments = {"env"},
                                    .environment = {{"A=1", "B=2", "C=3"}},
                                    .environment_changes = {"B=4", "C", "D=5"},
                                    .output = pipe.writing.get()});
  unsetenv("CHILD_PROCESS_TEST_OURS");
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(pipe.ReadAll(), "A=1\nB=4\nD=5\n");
}

TEST(ChildProcessTest, SaysWhyItCannotStart) {
  const auto none = ChildProcess::Start({.program = "/no/such/program", .arguments = {"x"}});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(none.error().message()), HasSubstr("No such file"));
}

// The descriptors may have any numbers here: those that they get in the child, in another order, or others.
TEST(ChildProcessTest, DescriptorsKeepTheirOrder) {
  for (const int first : {3, 100, 101}) {
    std::array<Pipe, 3> pipes;
    std::array<FileDescriptor, 3> taken;
    // The last one has the lowest number: a copy in place would overwrite another descriptor before that is copied.
    for (const size_t i : {2, 0, 1}) taken[i] = FileDescriptor(fcntl(pipes[i].writing.get(), F_DUPFD_CLOEXEC, first));
    for (Pipe& pipe : pipes) pipe.writing.Close();
    const std::array numbers = {taken[0].get(), taken[1].get(), taken[2].get()};
    auto child = Shell("echo a >&3; echo b >&4; echo c >&5", numbers);
    ASSERT_TRUE(child.has_value());
    for (FileDescriptor& descriptor : taken) descriptor.Close();
    EXPECT_EQ(pipes[0].ReadAll() + pipes[1].ReadAll() + pipes[2].ReadAll(), "a\nb\nc\n") << first;
    EXPECT_EQ(child->WaitForEnd(), "left with status 0");
  }
}

TEST(ChildProcessTest, OtherDescriptorsStayHere) {
  Pipe output;
  const FileDescriptor other(fcntl(output.reading.get(), F_DUPFD, 50));  // without close-on-exec
  const std::array numbers = {output.writing.get()};
  auto child = Shell(
      "if [ -e /proc/$$/fd/" + std::to_string(other.get()) + " ]; then echo there; else echo gone; fi >&3", numbers);
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(output.ReadAll(), "gone\n");
  EXPECT_EQ(child->WaitForEnd(), "left with status 0");
}

TEST(ChildProcessTest, ChangesTheEnvironment) {
  setenv("INFERD_TEST_GONE", "here", 1);
  setenv("INFERD_TEST_OTHER", "old", 1);
  Pipe output;
  const std::array numbers = {output.writing.get()};
  auto child = Shell("echo ${INFERD_TEST_GONE-gone} $INFERD_TEST_OTHER >&3", numbers,
                     {"INFERD_TEST_GONE", "INFERD_TEST_OTHER=new"});
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(output.ReadAll(), "gone new\n");
}

TEST(ChildProcessTest, EndsWhenItIsKilledOrLetGo) {
  pid_t pid = 0;
  {
    auto child = Shell("exec sleep 1000");
    ASSERT_TRUE(child.has_value());
    EXPECT_FALSE(child->EndsBefore(steady_clock::now()));
    child->Kill();
    EXPECT_TRUE(child->EndsBefore(steady_clock::now() + std::chrono::minutes(1)));
    EXPECT_EQ(child->WaitForEnd(), "was ended by signal 9 (Killed)");
    auto let_go = Shell("exec sleep 1000");
    ASSERT_TRUE(let_go.has_value());
    pid = let_go->pid();
  }
  EXPECT_NE(kill(pid, 0), 0);
}

TEST(ChildProcessTest, OneThatEndsWithItsThreadIsKilledThen) {
  std::optional<ChildProcess> child;
  std::thread([&] {
    auto started = ChildProcess::Start(
        {.program = "sh", .arguments = {"sh", "-c", "exec sleep 1000"}, .apart = true, .ends_with_thread = true});
    ASSERT_TRUE(started.has_value());
    EXPECT_EQ(getpgid(started->pid()), started->pid());
    child.emplace(*std::move(started));
  }).join();
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(child->WaitForEnd(), "was ended by signal 9 (Killed)");
}

TEST(ChildProcessTest, OneThatEndsWithItsThreadIsAsOthersElse) {
  const auto none = ChildProcess::Start({.program = "/no/such/program", .arguments = {"x"}, .ends_with_thread = true});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(none.error().message()), HasSubstr("No such file"));
  setenv("INFERD_TEST_OTHER", "old", 1);
  Pipe output;
  Pipe printed;
  const FileDescriptor other(fcntl(output.reading.get(), F_DUPFD, 50));  // without close-on-exec
  const std::array numbers = {output.writing.get()};
  const std::string script =
      "if [ -e /proc/$$/fd/" + std::to_string(other.get()) +
      " ]; then echo there; else echo gone; fi >&3; echo $INFERD_TEST_OTHER; exec ls /proc/self/fd";
  auto child = ChildProcess::Start({.program = "sh",
                                    .arguments = {"sh", "-c", script},
                                    .environment_changes = {"INFERD_TEST_OTHER=new"},
                                    .descriptors = numbers,
                                    .output = printed.writing.get(),
                                    .ends_with_thread = true});
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(output.ReadAll(), "gone\n");
  EXPECT_EQ(printed.ReadAll(), "new\n0\n1\n2\n3\n4\n") << "4 is the folder that is listed";
  EXPECT_EQ(child->WaitForEnd(), "left with status 0");
}

// The pipe stands in for the kernel's file, which moves the process that writes "0" to the group.
TEST(ChildProcessTest, JoinsAControlGroupFirst) {
  Pipe group;
  auto child = ChildProcess::Start(
      {.program = "true", .arguments = {"true"}, .ends_with_thread = true, .control_group = group.writing.get()});
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(group.ReadAll(), "0");
  const auto none = ChildProcess::Start(
      {.program = "true", .arguments = {"true"}, .ends_with_thread = true, .control_group = group.reading.get()});
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(std::string(none.error().message()), HasSubstr("Bad file descriptor"));
}

TEST(ChildProcessTest, OneThatIsApartHeedsSignalsAndLeadsAGroup) {
  auto child = ChildProcess::Start({.program = "/bin/sh", .arguments = {"sh", "-c", "exec sleep 1000"}, .apart = true});
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(getpgid(child->pid()), child->pid());
  child->Terminate();
  EXPECT_EQ(child->WaitForEnd(), "was ended by signal 15 (Terminated)");
  auto ours = Shell("exec sleep 1000");
  ASSERT_TRUE(ours.has_value());
  EXPECT_EQ(getpgid(ours->pid()), getpgid(0));
  ours->Terminate();
  EXPECT_FALSE(ours->EndsBefore(steady_clock::now() + std::chrono::milliseconds(50)));
}

}  // namespace
}  // namespace inferd::base
