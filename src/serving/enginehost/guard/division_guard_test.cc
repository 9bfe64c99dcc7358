#include "serving/enginehost/guard/division_guard.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

#include "serving/enginehost/guard/execution_gate.h"

namespace inferd::enginehost {
namespace {

using Code = std::vector<uint8_t>;

DivisionInstruction Decode(Code code) {
  code.resize(20, 0x90);
  return DecodeDivision(code.data());
}

void ExpectDivision(const Code& code, int operand_size) {
  const DivisionInstruction division = Decode(code);
  EXPECT_EQ(division.length, static_cast<int>(code.size()));
  EXPECT_EQ(division.operand_size, operand_size);
}

TEST(DivisionGuardTest, EveryFormOfTheInstructionHasItsLength) {
  ExpectDivision({0xf7, 0xf9}, 4);                                      // idiv ecx
  ExpectDivision({0xf7, 0xf1}, 4);                                      // div ecx
  ExpectDivision({0x48, 0xf7, 0xf9}, 8);                                // idiv rcx
  ExpectDivision({0x49, 0xf7, 0xf8}, 8);                                // idiv r8
  ExpectDivision({0x41, 0xf7, 0xf8}, 4);                                // idiv r8d
  ExpectDivision({0x66, 0xf7, 0xf9}, 2);                                // idiv cx
  ExpectDivision({0xf6, 0xf9}, 1);                                      // idiv cl
  ExpectDivision({0x40, 0xf6, 0xfe}, 1);                                // idiv sil
  ExpectDivision({0xf7, 0x3e}, 4);                                      // idiv [rsi]
  ExpectDivision({0xf7, 0x7e, 0x10}, 4);                                // idiv [rsi+16]
  ExpectDivision({0x48, 0xf7, 0xbe, 0, 1, 0, 0}, 8);                    // idiv [rsi+256]
  ExpectDivision({0xf7, 0x3c, 0x8e}, 4);                                // idiv [rsi+rcx*4]
  ExpectDivision({0x43, 0xf7, 0x3c, 0x88}, 4);                          // idiv [r8+r9*4]
  ExpectDivision({0xf7, 0x7c, 0x8e, 0x10}, 4);                          // idiv [rsi+rcx*4+16]
  ExpectDivision({0xf7, 0xbc, 0x8e, 0, 1, 0, 0}, 4);                    // idiv [rsi+rcx*4+256]
  ExpectDivision({0xf7, 0x3c, 0x8d, 0, 1, 0, 0}, 4);                    // idiv [rcx*4+256]
  ExpectDivision({0xf7, 0x3d, 0, 1, 0, 0}, 4);                          // idiv [rip+256]
  ExpectDivision({0x64, 0x66, 0x67, 0x45, 0xf7, 0xb8, 0, 0, 0, 0}, 2);  // with prefixes
  EXPECT_EQ(Decode({0xf7, 0xd9}).length, 0) << "neg";
  EXPECT_EQ(Decode({0xf7, 0xe9}).length, 0) << "imul";
  EXPECT_EQ(Decode({0x0f, 0xaf, 0xc1}).length, 0) << "imul, two operands";
  EXPECT_EQ(Decode({0xdc, 0x31}).length, 0) << "a division of the floating-point unit";
}

#if defined(__x86_64__)

// A function of a library: for the guard, code outside of the program.
class Library final {
 public:
  using Function = int64_t (*)(int64_t dividend, int64_t divisor);

  explicit Library(const Code& code) {
    memory_ = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memcpy(static_cast<char*>(memory_) + kBegin, code.data(), code.size());
    mprotect(memory_, kSize, PROT_READ | PROT_EXEC);
  }
  ~Library() { munmap(memory_, kSize); }

  int64_t operator()(int64_t dividend, int64_t divisor) const {
    return reinterpret_cast<Function>(static_cast<char*>(memory_) + kBegin)(dividend, divisor);
  }

 private:
  static constexpr size_t kSize = 4096;
  static constexpr size_t kBegin = 64;  // sanitizers read bytes before a function that they call
  void* memory_;
};

// mov eax, edi; cdq; idiv esi; ret
const Code kDivide32 = {0x89, 0xf8, 0x99, 0xf7, 0xfe, 0xc3};
// Returns the remainder: as above, with mov eax, edx before the return.
const Code kModulo32 = {0x89, 0xf8, 0x99, 0xf7, 0xfe, 0x89, 0xd0, 0xc3};
// mov rax, rdi; cqo; push rsi; idiv qword [rsp]; pop rsi; ret
const Code kDivide64 = {0x48, 0x89, 0xf8, 0x48, 0x99, 0x56, 0x48, 0xf7, 0x3c, 0x24, 0x5e, 0xc3};
// movsx eax, dil; idiv sil; movsx rax, al; ret
const Code kDivide8 = {0x40, 0x0f, 0xbe, 0xc7, 0x40, 0xf6, 0xfe, 0x48, 0x0f, 0xbe, 0xc0, 0xc3};

constexpr int64_t kMin32 = std::numeric_limits<int32_t>::min();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr auto kOne = DivisionScope::Threads::kOne;
constexpr auto kPool = DivisionScope::Threads::kPool;

TEST(DivisionGuardTest, ARefusedDivisionGivesZeroAndTellsItsScope) {
  GuardDivisions();
  struct Case {
    const Code& code;
    int64_t dividend, divisor;
  };
  for (const Case& each :
       {Case{kDivide32, 7, 0}, Case{kDivide32, kMin32, -1}, Case{kModulo32, 7, 0}, Case{kModulo32, kMin32, -1},
        Case{kDivide64, 7, 0}, Case{kDivide64, kMin64, -1}, Case{kDivide8, 7, 0}, Case{kDivide8, -128, -1}}) {
    const Library library(each.code);
    const DivisionScope scope(kOne);
    EXPECT_EQ(library(6, 3), &each.code == &kModulo32 ? 0 : 2);
    EXPECT_FALSE(scope.refused());
    EXPECT_EQ(library(each.dividend, each.divisor) & 0xff, 0);
    EXPECT_TRUE(scope.refused());
    EXPECT_FALSE(scope.suspected());
  }
}

TEST(DivisionGuardTest, TheNextScopeOfTheThreadKnowsNothing) {
  GuardDivisions();
  const Library divide(kDivide32);
  const DivisionScope outer(kOne);
  {
    const DivisionScope scope(kOne);
    divide(1, 0);
  }
  EXPECT_FALSE(outer.refused());
  EXPECT_EQ(DivisionScope::Current(), &outer);
}

TEST(DivisionGuardTest, AThreadWithoutAScopeMakesSuspectsOfAllThatUsePools) {
  GuardDivisions();
  const Library divide(kDivide32);
  const DivisionScope lone(kOne);
  const DivisionScope first(kPool);
  const DivisionScope second(kPool);
  EXPECT_FALSE(first.suspected());
  std::thread([&] { EXPECT_EQ(divide(1, 0), 0); }).join();
  EXPECT_TRUE(first.suspected() && second.suspected());
  EXPECT_FALSE(first.refused() || second.refused() || lone.refused() || lone.suspected());
  EXPECT_FALSE(DivisionScope(kPool).suspected());
}

using DivisionGuardDeathTest = ::testing::Test;

TEST(DivisionGuardDeathTest, WithoutAScopeTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        GuardDivisions();
        Library{kDivide32}(1, 0);
      },
      ::testing::KilledBySignal(SIGFPE), "");
}

TEST(DivisionGuardDeathTest, ASignalThatIsSentEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        GuardDivisions();
        const DivisionScope scope(kOne);
        raise(SIGFPE);
      },
      ::testing::KilledBySignal(SIGFPE), "");
}

#endif

TEST(ExecutionGateTest, ExecutionsPassSideBySideUntilOneIsAlone) {
  ExecutionGate gate;
  gate.Enter();
  gate.Enter();
  EXPECT_FALSE(gate.EnterAlone(std::chrono::steady_clock::now()));
  gate.Leave();
  gate.Leave();
  ASSERT_TRUE(gate.EnterAlone(std::chrono::steady_clock::now() + std::chrono::seconds(60)));
  std::atomic<bool> entered{false};
  std::thread other([&] {
    gate.Enter();
    entered = true;
    gate.Leave();
  });
  EXPECT_FALSE(gate.EnterAlone(std::chrono::steady_clock::now())) << "one alone at a time";
  EXPECT_FALSE(entered);
  gate.LeaveAlone();
  other.join();
  EXPECT_TRUE(entered);
}

TEST(ExecutionGateTest, NoTwoAreAloneTogether) {
  ExecutionGate gate;
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 500; ++round) {
        if (i % 2 == 0) {
          gate.Enter();
          inside.fetch_add(1);
          inside.fetch_sub(1);
          gate.Leave();
        } else if (gate.EnterAlone(std::chrono::steady_clock::now() + std::chrono::seconds(60))) {
          EXPECT_EQ(inside.load(), 0);
          gate.LeaveAlone();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace inferd::enginehost
