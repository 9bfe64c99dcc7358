#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <string_view>

// Guards against integer divisions that the processor refuses: by zero, and of the smallest number by -1. x86-64 raises
// SIGFPE, which ends the process, and a client's input may be what a model divides by. With the guard, the division
// results in 0, the library goes on, and the execution that divided fails. Other processors refuse no division; the
// guard does nothing there.

namespace inferd::enginehost {

inline constexpr std::string_view kDivisionRefused =
    "the model cannot run on these inputs: it divides an integer by zero, or the smallest integer by -1";

// The error for an execution that cannot be told apart from the one that divided.
inline constexpr std::string_view kPerhapsRefused =
    "an execution beside this one divided an integer by zero, and this one cannot be repeated alone: try again";

inline constexpr std::string_view kDivisionWhileLoading =
    "an integer was divided by zero while the model was loaded: by the model, or by a request to another one; load it "
    "again to tell which";

// Installs the guard, for divisions in libraries. Once per process; further calls do nothing. A division in the
// program's own code, or one for which there is no DivisionScope, still ends the process. Thread-safe.
void GuardDivisions();

// Marks a call into an engine's library on the calling thread. Lives on the stack. Scopes may nest; the innermost one
// counts.
class DivisionScope final {
 public:
  enum class Threads { kOne, kPool };

  // `threads`: kOne if the call computes on this thread alone, kPool if it also uses threads that other calls share.
  explicit DivisionScope(Threads threads);
  ~DivisionScope();
  DivisionScope(const DivisionScope&) = delete;
  DivisionScope& operator=(const DivisionScope&) = delete;

  // Returns the scope of the calling thread. Null if there is none.
  static const DivisionScope* Current();

  // Returns true if the processor refused a division of this thread since the scope began.
  bool refused() const { return refused_ != 0; }

  // Returns true if a division was refused on a thread without a scope, which works for this call or for another one
  // with kPool. Always false with kOne.
  bool suspected() const;

  // Notes a refused division in the scope of the calling thread, or in all kPool scopes. Returns false if there is
  // none. For the signal handler.
  static bool Tell();

 private:
  const Threads threads_;
  DivisionScope* const outer_;
  const uint64_t before_;
  volatile std::sig_atomic_t refused_ = 0;
};

// Decodes the `div` or `idiv` at `code`: its length and the size of its operand, in bytes. 0 for other instructions.
// Reads at most 15 bytes, and none after the instruction.
struct DivisionInstruction {
  int length = 0;
  int operand_size = 0;
};
DivisionInstruction DecodeDivision(const uint8_t* code);

}  // namespace inferd::enginehost
