#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <string_view>

// Integer divisions that the processor refuses: by zero, and of the smallest number by -1. x86-64 answers them with
// SIGFPE, which ends the process; what a client sends may be what a model divides by. Here the division has the result
// 0 instead, the library goes on, and the execution that asked for it is told to fail. Other processors refuse no
// division; nothing is done there.

namespace inferd::enginehost {

inline constexpr std::string_view kDivisionRefused =
    "the model cannot run on these inputs: it divides an integer by zero, or the smallest integer by -1";

// To an execution that cannot be told apart from the one that asked for such a division.
inline constexpr std::string_view kPerhapsRefused =
    "an execution beside this one divided an integer by zero, and this one cannot be repeated alone: try again";

inline constexpr std::string_view kDivisionWhileLoading =
    "an integer was divided by zero while the model was loaded: by the model, or by a request to another one; load it "
    "again to tell which";

// Sees to such divisions in libraries from now on. Once per process; more calls do nothing. A division of the program's
// own, and one that no DivisionScope is told of, ends the process as ever. Thread-safe.
void GuardDivisions();

// A call into an engine's library, on the thread that makes it. Lives on the stack; scopes may nest, the innermost
// counts.
class DivisionScope final {
 public:
  enum class Threads { kOne, kPool };

  // `threads`: where the call may compute: on this thread alone, or on others as well, which other calls share.
  explicit DivisionScope(Threads threads);
  ~DivisionScope();
  DivisionScope(const DivisionScope&) = delete;
  DivisionScope& operator=(const DivisionScope&) = delete;

  // The scope of the calling thread; null: none.
  static const DivisionScope* Current();

  // Whether a division of this thread was refused since the scope began.
  bool refused() const { return refused_ != 0; }

  // Whether one was on a thread without a scope, on behalf of this call or of another that uses such threads. Always
  // false where the call computes on one thread.
  bool suspected() const;

  // Tells the scope of the calling thread, or the suspects. False: there is none. For the signal's handler.
  static bool Tell();

 private:
  const Threads threads_;
  DivisionScope* const outer_;
  const uint64_t before_;
  volatile std::sig_atomic_t refused_ = 0;
};

// How many bytes the `div` or `idiv` at `code` has, and the size of its operand in bytes. 0: it is something else.
// Reads at most 15 bytes, and none behind the instruction.
struct DivisionInstruction {
  int length = 0;
  int operand_size = 0;
};
DivisionInstruction DecodeDivision(const uint8_t* code);

}  // namespace inferd::enginehost
