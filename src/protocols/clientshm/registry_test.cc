#include "protocols/clientshm/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>

#include "protocols/clientshm/shared_object_fixture.h"

namespace inferd::clientshm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kBytes = 8192;

std::string Text(const base::Status& status) { return status.ToString(); }

class RegistryTest : public ::testing::Test {
 protected:
  support::SharedObject object_{kBytes};
  Registry registry_{Limits{}};

  RegionSpec Spec(std::string name, uint64_t offset = 0, uint64_t byte_size = kBytes) const {
    return {.name = std::move(name), .key = object_.key(), .offset = offset, .byte_size = byte_size};
  }
};

TEST_F(RegistryTest, RegionsComeAndGo) {
  ASSERT_TRUE(registry_.Register(Spec("b")).ok());
  ASSERT_TRUE(registry_.Register(Spec("a", 64, 100)).ok());
  EXPECT_THAT(registry_.All(), ElementsAre(Spec("a", 64, 100), Spec("b")));
  EXPECT_EQ(*registry_.Find("a"), Spec("a", 64, 100));
  EXPECT_EQ(Text(registry_.Find("c").error()), "NOT_FOUND: Unable to find system shared memory region: 'c'");
  EXPECT_EQ(Text(registry_.Use("c").error()), "NOT_FOUND: Unable to find shared memory region: 'c'");
  EXPECT_EQ(Text(registry_.Register(Spec("a"))), "ALREADY_EXISTS: shared memory region 'a' already in manager");
  EXPECT_TRUE(registry_.Unregister("c").ok());
  EXPECT_TRUE(registry_.Unregister("a").ok());
  EXPECT_THAT(registry_.All(), ElementsAre(Spec("b")));
  EXPECT_TRUE(registry_.UnregisterAll().ok());
  EXPECT_THAT(registry_.All(), IsEmpty());
}

TEST_F(RegistryTest, BytesAreTheClientsOwn) {
  ASSERT_TRUE(registry_.Register(Spec("r", 100, 4096)).ok());
  const auto use = *registry_.Use("r");
  base::Buffer bytes = *use->Bytes(10, 20);
  ASSERT_EQ(bytes.size(), 20u);
  object_.bytes()[110] = std::byte{7};
  EXPECT_EQ(bytes.data()[0], std::byte{7});
  bytes.data()[19] = std::byte{9};
  EXPECT_EQ(object_.bytes()[129], std::byte{9});
}

TEST_F(RegistryTest, WhatIsOutsideOfTheRegionIsRefused) {
  ASSERT_TRUE(registry_.Register(Spec("r", 0, 100)).ok());
  const auto use = *registry_.Use("r");
  EXPECT_TRUE(use->Bytes(99, 1).has_value());
  EXPECT_EQ(Text(use->Bytes(100, 1).error()), "INVALID_ARGUMENT: Invalid offset for shared memory region: 'r'");
  EXPECT_EQ(Text(use->Bytes(99, 2).error()),
            "INVALID_ARGUMENT: Invalid offset + byte size for shared memory region: 'r': expected at most 1 bytes from "
            "byte 99 on, got 2");
  EXPECT_THAT(Text(use->Bytes(1, UINT64_MAX).error()), HasSubstr("Invalid offset + byte size"));
  EXPECT_THAT(Text(use->Bytes(UINT64_MAX, 1).error()), HasSubstr("Invalid offset for"));
  EXPECT_THAT(Text(use->Bytes(0, 0).error()), HasSubstr("expected at least 1 byte"));
}

TEST_F(RegistryTest, RegionsMustBeInTheirObject) {
  const auto refusal = [&](uint64_t offset, uint64_t byte_size) {
    return Text(registry_.Register(Spec("r", offset, byte_size)));
  };
  EXPECT_THAT(refusal(0, 0), HasSubstr("invalid args: expected at least 1 byte, got 0"));
  EXPECT_THAT(refusal(kBytes, 0), HasSubstr("invalid args: expected at least 1 byte, got 0"));
  EXPECT_THAT(refusal(0, kBytes + 1),
              HasSubstr("failed to register shared memory region 'r': invalid args: expected at most the 8192 bytes"));
  EXPECT_THAT(refusal(1, kBytes), HasSubstr("invalid args"));
  EXPECT_THAT(refusal(kBytes, 1), HasSubstr("invalid args"));
  EXPECT_THAT(refusal(UINT64_MAX, 1), HasSubstr("invalid args"));
  EXPECT_THAT(refusal(UINT64_MAX - 1, 4), HasSubstr("invalid args"));
  EXPECT_THAT(registry_.All(), IsEmpty());
}

TEST_F(RegistryTest, KeysAreNamesOfObjects) {
  const auto refusal = [&](const std::string& key) {
    return Text(registry_.Register({.name = "r", .key = key, .byte_size = 1}));
  };
  for (const std::string key : {"", "/", ".", "/..", "/../etc/passwd", "//x", "/a/b", "a/"}) {
    EXPECT_THAT(refusal(key), HasSubstr("INVALID_ARGUMENT: expected a key as '/name'")) << key;
  }
  EXPECT_THAT(refusal(std::string("/a\0b", 4)), HasSubstr("expected a key as '/name'"));
  EXPECT_THAT(refusal("/" + std::string(256, 'x')), HasSubstr("expected a key as '/name'"));
  EXPECT_THAT(refusal("/inferd-test-nothing"),
              HasSubstr("INVALID_ARGUMENT: Unable to open shared memory region: '/inferd-test-nothing'"));
  EXPECT_THAT(refusal("/triton_python_backend_shm_region_1"), HasSubstr("contains the reserved prefix"));
  EXPECT_THAT(Text(registry_.Register({.name = "", .key = object_.key(), .byte_size = 1})),
              HasSubstr("expected a name"));
  // The slash makes no difference.
  EXPECT_TRUE(registry_.Register({.name = "r", .key = object_.key().substr(1), .byte_size = 1}).ok());
}

TEST_F(RegistryTest, LinksAndPipesAreNoObjects) {
  const std::string name = "/inferd-test-link-" + std::to_string(getpid());
  const std::string path = "/dev/shm" + name;
  ASSERT_EQ(symlink("/etc/passwd", path.c_str()), 0);
  EXPECT_THAT(Text(registry_.Register({.name = "r", .key = name, .byte_size = 1})), HasSubstr("Unable to open"));
  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(Text(registry_.Register({.name = "r", .key = name, .byte_size = 1})), HasSubstr("is no memory"));
  ASSERT_EQ(unlink(path.c_str()), 0);
}

TEST_F(RegistryTest, ObjectsOfOthersAreForThoseWhoAllowThem) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give objects away";
  ASSERT_EQ(chown(("/dev/shm" + object_.key()).c_str(), 65534, 65534), 0);
  EXPECT_THAT(Text(registry_.Register(Spec("r"))), HasSubstr("PERMISSION_DENIED"));
  Registry any({.own_only = false});
  EXPECT_TRUE(any.Register(Spec("r")).ok());
}

TEST_F(RegistryTest, ThePrefixIsOfTheKey) {
  Registry registry({.key_prefix = "/app-"});
  EXPECT_THAT(Text(registry.Register(Spec("r"))),
              HasSubstr("PERMISSION_DENIED: expected a key that begins with '/app-'"));
  const support::SharedObject app(kBytes, "app-");
  EXPECT_TRUE(registry.Register({.name = "r", .key = app.key(), .byte_size = 1}).ok());
  EXPECT_TRUE(registry.Register({.name = "s", .key = app.key().substr(1), .byte_size = 1}).ok());
}

TEST_F(RegistryTest, LimitsHoldAndRoomComesBack) {
  Registry registry({.regions_max = 2, .region_bytes_max = 5000, .bytes_max = 7000});
  EXPECT_THAT(Text(registry.Register(Spec("a", 0, 5001))), HasSubstr("RESOURCE_EXHAUSTED"));
  ASSERT_TRUE(registry.Register(Spec("a", 0, 5000)).ok());
  EXPECT_THAT(Text(registry.Register(Spec("b", 0, 2001))), HasSubstr("client-shared-memory-bytes-max"));
  ASSERT_TRUE(registry.Register(Spec("b", 0, 2000)).ok());
  EXPECT_THAT(Text(registry.Register(Spec("c", 0, 1))), HasSubstr("as many shared memory regions as there may be, 2"));
  ASSERT_TRUE(registry.Unregister("a").ok());
  EXPECT_TRUE(registry.Register(Spec("c", 0, 5000)).ok());
}

TEST_F(RegistryTest, WhatIsInUseStays) {
  ASSERT_TRUE(registry_.Register(Spec("a")).ok());
  ASSERT_TRUE(registry_.Register(Spec("b")).ok());
  std::optional<base::Buffer> bytes;
  {
    const auto use = *registry_.Use("a");
    bytes = *use->Bytes(0, 8);
  }
  // A buffer counts as a use.
  EXPECT_EQ(Text(registry_.Unregister("a")),
            "FAILED_PRECONDITION: Cannot unregister shared memory region 'a', it is currently in use.");
  EXPECT_THAT(Text(registry_.UnregisterAll()), HasSubstr("in use: 'a'"));
  EXPECT_THAT(registry_.All(), ElementsAre(Spec("a")));
  bytes.reset();
  EXPECT_TRUE(registry_.Unregister("a").ok());
}

TEST_F(RegistryTest, MemoryOutlivesARegionThatIsNoLongerUsed) {
  ASSERT_TRUE(registry_.Register(Spec("a")).ok());
  const auto use = *registry_.Use("a");
  base::Buffer bytes = *use->Bytes(0, 8);
  use->End();
  EXPECT_TRUE(registry_.Unregister("a").ok());
  bytes.data()[0] = std::byte{5};
  EXPECT_EQ(object_.bytes()[0], std::byte{5});
}

TEST_F(RegistryTest, ASmallerObjectFailsItsUsers) {
  ASSERT_TRUE(registry_.Register(Spec("r")).ok());
  const auto use = *registry_.Use("r");
  base::Buffer bytes = *use->Bytes(0, kBytes);
  EXPECT_TRUE(use->Check().ok());
  object_.Resize(4096);
  EXPECT_EQ(Text(use->Check()),
            "FAILED_PRECONDITION: the object of shared memory region 'r' was made smaller: it has 4096 bytes");
  EXPECT_THAT(Text((*registry_.Use("r"))->Bytes(4096, 1).error()), HasSubstr("was made smaller"));
  EXPECT_TRUE((*registry_.Use("r"))->Bytes(0, 4096).has_value());
  // Touching missing memory does no harm, and is remembered after the object has grown again.
  bytes.data()[5000] = std::byte{1};
  EXPECT_EQ(bytes.data()[5001], std::byte{0});
  object_.Resize(kBytes);
  EXPECT_THAT(Text(use->Check()), HasSubstr("lost its memory while it was in use"));
  EXPECT_THAT(Text((*registry_.Use("r"))->Bytes(0, 1).error()), HasSubstr("lost its memory while it was in use"));
  // After a new registration it is complete.
  use->End();
  ASSERT_TRUE(registry_.Unregister("r").ok());
  ASSERT_TRUE(registry_.Register(Spec("r")).ok());
  EXPECT_TRUE((*registry_.Use("r"))->Bytes(0, kBytes).has_value());
}

// Looking up a region must not query the object's size, since others would wait meanwhile.
TEST_F(RegistryTest, AnObjectIsMeasuredWhenItsBytesAreAskedFor) {
  ASSERT_TRUE(registry_.Register(Spec("r")).ok());
  const auto use = *registry_.Use("r");
  object_.Resize(4096);
  EXPECT_THAT(Text(use->Bytes(4096, 1).error()), HasSubstr("was made smaller"));
  object_.Resize(kBytes);
  EXPECT_FALSE(use->Bytes(4096, 1).has_value()) << "once for a use";
}

TEST_F(RegistryTest, ALittlePastTheEndIsReadable) {
  ASSERT_TRUE(registry_.Register(Spec("r")).ok());
  const base::Buffer bytes = *(*registry_.Use("r"))->Bytes(0, kBytes);
  const std::byte* behind = bytes.data() + kBytes;
  EXPECT_EQ(behind[base::kBufferSlack - 1], std::byte{0});
}

}  // namespace
}  // namespace inferd::clientshm
