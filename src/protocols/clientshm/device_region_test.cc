#include "protocols/clientshm/device_region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "base/device_memory.h"
#include "protocols/clientshm/registry.h"
#include "protocols/clientshm/shared_object_fixture.h"
#include "tests/support/far_memory.h"

namespace inferd::clientshm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kHandle(base::kDeviceHandleBytes, 'h');
constexpr int64_t kDevice = 1;                 // FarMemory's
constexpr std::chrono::seconds kPatience{30};  // for another thread

// One for all tests: the process never forgets devices.
support::FarMemory& Far() {
  static support::FarMemory& memory = [] -> support::FarMemory& {
    support::FarMemory& made = support::FarMemory::New();
    made.Export(kHandle, "0123456789abcdef");
    return made;
  }();
  return memory;
}

class DeviceRegionTest : public ::testing::Test {
 protected:
  DeviceRegionTest() { Far(); }

  static DeviceRegionSpec Spec(std::string name, uint64_t byte_size = 16) {
    return {.name = std::move(name), .handle = kHandle, .device = kDevice, .byte_size = byte_size};
  }
  std::string Refusal(const DeviceRegionSpec& spec) { return registry_.RegisterDevice(spec).ToString(); }

  Registry registry_{{.regions_max = 3, .region_bytes_max = 100, .bytes_max = 40}};
};

TEST_F(DeviceRegionTest, RegionsComeAndGo) {
  ASSERT_TRUE(registry_.RegisterDevice(Spec("b")).ok());
  ASSERT_TRUE(registry_.RegisterDevice(Spec("a", 8)).ok());
  EXPECT_EQ(Far().opened(), 2);
  EXPECT_THAT(registry_.AllDevices(), ElementsAre(Spec("a", 8), Spec("b")));
  EXPECT_EQ(*registry_.FindDevice("a"), Spec("a", 8));
  EXPECT_THAT(registry_.All(), IsEmpty());
  EXPECT_EQ(registry_.FindDevice("c").error().ToString(), "NOT_FOUND: Unable to find cuda shared memory region: 'c'");
  EXPECT_TRUE(registry_.Unregister("a").ok()) << "which is of the other kind, so that there is none";
  EXPECT_TRUE(registry_.UnregisterDevice("a").ok());
  EXPECT_TRUE(registry_.UnregisterDevice("a").ok());
  EXPECT_EQ(Far().opened(), 1);
  EXPECT_TRUE(registry_.UnregisterAllDevices().ok());
  EXPECT_EQ(Far().opened(), 0);
}

TEST_F(DeviceRegionTest, BytesAreTheClientsOnTheDevice) {
  ASSERT_TRUE(registry_.RegisterDevice(Spec("r", 8)).ok());
  const auto use = *registry_.Use("r");
  const base::Buffer bytes = *use->Bytes(2, 3);
  EXPECT_EQ(bytes.place(), Far().place());
  EXPECT_EQ(base::Readable(base::BufferSlice(bytes))->view(), "234");
  EXPECT_TRUE(use->Check().ok());
  EXPECT_THAT(use->Bytes(8, 1).error().message(), HasSubstr("Invalid offset for shared memory region: 'r'"));
  EXPECT_THAT(use->Bytes(7, 2).error().message(), HasSubstr("expected at most 1 bytes from byte 7 on, got 2"));
  EXPECT_THAT(use->Bytes(0, 0).error().message(), HasSubstr("expected at least 1 byte"));
}

TEST_F(DeviceRegionTest, ARegionThatARequestUsesStays) {
  ASSERT_TRUE(registry_.RegisterDevice(Spec("r")).ok());
  auto use = *registry_.Use("r");
  base::Buffer bytes = *use->Bytes(0, 16);
  use.reset();
  EXPECT_THAT(registry_.UnregisterDevice("r").message(), HasSubstr("'r', it is currently in use."));
  EXPECT_THAT(registry_.UnregisterAllDevices().message(), HasSubstr("currently in use: 'r'"));
  bytes = {};
  EXPECT_TRUE(registry_.UnregisterDevice("r").ok());
  EXPECT_EQ(Far().opened(), 0);
}

TEST_F(DeviceRegionTest, OfSeveralRuntimesTheOneThatKnowsTheHandleOpensIt) {
  Far();
  support::FarMemory& later = support::FarMemory::New();
  const std::string handle(base::kDeviceHandleBytes, 'l');
  later.Export(handle, "0123456789abcdef");
  DeviceRegionSpec spec = Spec("r");
  spec.handle = handle;
  EXPECT_EQ(Refusal(spec), "OK");
  EXPECT_EQ(later.opened(), 1);
  EXPECT_EQ(Far().opened(), 0);
  EXPECT_TRUE(registry_.UnregisterAllDevices().ok());
}

TEST_F(DeviceRegionTest, WhatCannotBeIsRefused) {
  const std::string failed = "failed to register CUDA shared memory region: 'r'";
  DeviceRegionSpec spec = Spec("r");
  spec.device = 7;
  EXPECT_EQ(Refusal(spec), "UNIMPLEMENTED: " + failed +
                               ", GPUs not supported: this server has no runtime that opens "
                               "clients' memory on device 7");
  spec.device = -1;
  EXPECT_EQ(Refusal(spec), "INVALID_ARGUMENT: " + failed + ": expected the number of a GPU, got -1");
  spec = Spec("r");
  spec.handle = "short";
  EXPECT_EQ(Refusal(spec), "INVALID_ARGUMENT: " + failed + ": it is no such handle");
  EXPECT_EQ(Refusal(Spec("r", 17)),
            "INVALID_ARGUMENT: " + failed + ": invalid args: expected at most the 16 bytes of its memory, got 17");
  EXPECT_THAT(Refusal(Spec("r", 0)), HasSubstr("expected at least 1 byte, got 0"));
  EXPECT_THAT(Refusal(Spec("r", 101)), HasSubstr("(--client-shared-memory-region-bytes-max)"));
  EXPECT_THAT(Refusal(Spec("")),
              HasSubstr("failed to register shared memory region '': invalid args: expected a name"));
  EXPECT_EQ(Far().opened(), 0);
}

TEST_F(DeviceRegionTest, NamesAndLimitsAreThoseOfAllRegions) {
  const support::SharedObject object(4096);
  const RegionSpec own{.name = "own", .key = object.key(), .offset = 0, .byte_size = 16};
  ASSERT_TRUE(registry_.Register(own).ok());
  EXPECT_THAT(Refusal(Spec("own")), HasSubstr("shared memory region 'own' already in manager"));
  ASSERT_TRUE(registry_.RegisterDevice(Spec("a")).ok());
  EXPECT_THAT(registry_.Register({.name = "a", .key = object.key(), .offset = 0, .byte_size = 1}).message(),
              HasSubstr("shared memory region 'a' already in manager"));
  EXPECT_THAT(Refusal(Spec("b")), HasSubstr("48 bytes together; at most 40"));
  ASSERT_TRUE(registry_.RegisterDevice(Spec("c", 1)).ok());
  EXPECT_THAT(Refusal(Spec("d", 1)), HasSubstr("(--client-shared-memory-regions-max)"));
  EXPECT_TRUE(registry_.UnregisterAllDevices().ok());
  EXPECT_THAT(registry_.All(), ElementsAre(own));
}

// A device's library may take long to open memory.
TEST_F(DeviceRegionTest, OtherRegionsAreUsedWhileOneIsOpened) {
  const support::SharedObject object(4096);
  const RegionSpec own{.name = "own", .key = object.key(), .offset = 0, .byte_size = 16};
  ASSERT_TRUE(registry_.Register(own).ok());
  bool used = false;
  bool registered = false;
  std::future<void> others;
  Far().DuringOpen([&] {
    others = std::async(std::launch::async, [&] {
      used = registry_.Use("own").has_value();
      registered = registry_.Register({.name = "late", .key = object.key(), .byte_size = 1}).ok();
    });
    ASSERT_EQ(others.wait_for(kPatience), std::future_status::ready);
  });
  EXPECT_EQ(Refusal(Spec("a")), "OK");
  others.get();
  EXPECT_TRUE(used);
  EXPECT_TRUE(registered);
}

TEST_F(DeviceRegionTest, APlaceThatWasTakenWhileARegionWasOpenedIsNotTakenTwice) {
  Far().DuringOpen([this] { ASSERT_EQ(Refusal(Spec("a")), "OK"); });
  EXPECT_THAT(Refusal(Spec("a")), HasSubstr("shared memory region 'a' already in manager"));
  EXPECT_EQ(Far().opened(), 1) << "the second is closed again";
  Far().DuringOpen([this] { ASSERT_EQ(Refusal(Spec("b")), "OK"); });
  EXPECT_THAT(Refusal(Spec("c")), HasSubstr("48 bytes together; at most 40"));
  EXPECT_EQ(Far().opened(), 2);
}

}  // namespace
}  // namespace inferd::clientshm
