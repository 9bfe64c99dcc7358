#include "base/device_memory.h"

#include <gtest/gtest.h>

#include "tests/support/far_memory.h"

namespace inferd::base {
namespace {

using inferd::support::FarMemory;

TEST(DeviceMemoryTest, BytesGoToADeviceAndBack) {
  FarMemory& device = FarMemory::New();
  EXPECT_EQ(FindDeviceMemory(device.place().runtime), &device);
  EXPECT_FALSE(device.place().readable());
  Buffer there = *device.Allocate(device.place(), 5);
  EXPECT_EQ(there.place(), device.place());
  const Buffer here = Buffer::CopyOf("bytes");
  EXPECT_TRUE(here.place().readable());
  ASSERT_TRUE(CopyBytes(here.data(), {}, there.data(), there.place(), 5).ok());
  const auto back = Readable(BufferSlice(there));
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(back->place().readable());
  EXPECT_EQ(back->view(), "bytes");
  EXPECT_EQ(device.copies(), 2);
}

TEST(DeviceMemoryTest, WhatIsReadableStays) {
  const BufferSlice here(Buffer::CopyOf("bytes"));
  EXPECT_EQ(Readable(here)->data(), here.data());
}

TEST(DeviceMemoryTest, APartOfABufferHasItsPlace) {
  FarMemory& device = FarMemory::New();
  const BufferSlice part = device.SliceOf("some bytes").Sub(5, 5);
  EXPECT_EQ(part.place(), device.place());
  EXPECT_EQ(Readable(part)->view(), "bytes");
}

TEST(DeviceMemoryTest, TwoRuntimesMeetOnTheCpu) {
  FarMemory& first = FarMemory::New();
  FarMemory& second = FarMemory::New();
  EXPECT_NE(first.place().runtime, second.place().runtime);
  const BufferSlice from = first.SliceOf("bytes");
  Buffer to = *second.Allocate(second.place(), 5);
  ASSERT_TRUE(CopyBytes(from.data(), from.place(), to.data(), to.place(), 5).ok());
  EXPECT_EQ(second.Read(BufferSlice(to)), "bytes");
  EXPECT_EQ(first.copies(), 1);
  EXPECT_EQ(second.copies(), 1);
}

TEST(DeviceMemoryTest, AnUnknownDeviceIsAnErrorAndNotTouched) {
  const MemoryPlace unknown{.kind = MemoryKind::kGpu, .runtime = 0, .device = 3};
  std::byte here[4] = {};
  auto* const there = reinterpret_cast<std::byte*>(uintptr_t{4096});
  EXPECT_EQ(CopyBytes(there, unknown, here, {}, 4).code(), StatusCode::kInternal);
  EXPECT_EQ(CopyBytes(here, {}, there, unknown, 4).code(), StatusCode::kInternal);
  EXPECT_TRUE(CopyBytes(here, {}, there, unknown, 0).ok());
}

}  // namespace
}  // namespace inferd::base
