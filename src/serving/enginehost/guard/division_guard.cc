#include "serving/enginehost/guard/division_guard.h"

#include <ucontext.h>

#include <mutex>

extern "C" {
// The bounds of the program's own code, defined by the linker.
extern const char __executable_start;
extern const char etext;
}

namespace inferd::enginehost {

namespace {

constinit thread_local DivisionScope* current = nullptr;
std::atomic<uint64_t> refused_elsewhere{0};
std::atomic<int> pools{0};

constexpr int kPrefixesMax = 14;

bool IsPrefix(uint8_t byte) {
  switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf2:
    case 0xf3: return true;
    default: return (byte & 0xf0) == 0x40;  // REX
  }
}

// Returns the length of the ModRM byte at `modrm`, a SIB byte and a displacement. In 64-bit code, the address size does
// not change it.
int OperandLength(const uint8_t* modrm) {
  const int mode = modrm[0] >> 6;
  const int base = modrm[0] & 7;
  if (mode == 3) return 1;
  int length = 1;
  if (base == 4) {
    ++length;
    if (mode == 0 && (modrm[1] & 7) == 5) length += 4;
  }
  if (mode == 0 && base == 5) length += 4;
  if (mode == 1) length += 1;
  if (mode == 2) length += 4;
  return length;
}

#if defined(__x86_64__)

bool InProgram(const uint8_t* code) {
  const auto* address = reinterpret_cast<const char*>(code);
  return address >= &__executable_start && address < &etext;
}

// Sets quotient and remainder to 0, which is harmless as an index or a size.
void Complete(const DivisionInstruction& division, greg_t* registers) {
  constexpr greg_t kLow16 = 0xffff;
  switch (division.operand_size) {
    case 1: registers[REG_RAX] &= ~kLow16; break;  // AL and AH
    case 2:
      registers[REG_RAX] &= ~kLow16;
      registers[REG_RDX] &= ~kLow16;
      break;
    default: registers[REG_RAX] = registers[REG_RDX] = 0; break;  // 32-bit results clear the upper half
  }
  registers[REG_RIP] += division.length;
}

bool Resume(ucontext_t* context) {
  greg_t* registers = context->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const uint8_t*>(registers[REG_RIP]);
  if (InProgram(code)) return false;
  const DivisionInstruction division = DecodeDivision(code);
  if (division.length == 0 || !DivisionScope::Tell()) return false;
  Complete(division, registers);
  return true;
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  if (info->si_code == FPE_INTDIV && Resume(static_cast<ucontext_t*>(context))) return;
  // Behave as without this handler: the instruction faults again, and a signal that was sent is sent again.
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0) static_cast<void>(raise(signal));
}

#endif

}  // namespace

DivisionScope::DivisionScope(Threads threads)
    : threads_(threads),
      outer_(current),
      before_(threads == Threads::kPool ? refused_elsewhere.load(std::memory_order_acquire) : 0) {
  if (threads == Threads::kPool) pools.fetch_add(1, std::memory_order_relaxed);
  current = this;
}

DivisionScope::~DivisionScope() {
  current = outer_;
  if (threads_ == Threads::kPool) pools.fetch_sub(1, std::memory_order_relaxed);
}

const DivisionScope* DivisionScope::Current() { return current; }

bool DivisionScope::suspected() const {
  return threads_ == Threads::kPool && refused_elsewhere.load(std::memory_order_acquire) != before_;
}

bool DivisionScope::Tell() {
  if (current != nullptr) {
    current->refused_ = 1;
    return true;
  }
  if (pools.load(std::memory_order_relaxed) == 0) return false;
  refused_elsewhere.fetch_add(1, std::memory_order_release);
  return true;
}

DivisionInstruction DecodeDivision(const uint8_t* code) {
  bool wide = false;
  bool narrow = false;
  int at = 0;
  for (; at < kPrefixesMax && IsPrefix(code[at]); ++at) {
    const bool rex = (code[at] & 0xf0) == 0x40;
    wide = rex && (code[at] & 8) != 0;  // a REX prefix counts only as the last one
    narrow |= code[at] == 0x66;
  }
  const uint8_t opcode = code[at];
  if (opcode != 0xf6 && opcode != 0xf7) return {};
  const uint8_t* modrm = code + at + 1;
  if (((modrm[0] >> 3) & 7) < 6) return {};  // 6: div, 7: idiv
  const int length = at + 1 + OperandLength(modrm);
  if (opcode == 0xf6) return {length, 1};
  return {length, wide ? 8 : narrow ? 2 : 4};
}

void GuardDivisions() {
#if defined(__x86_64__)
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGFPE, &action, nullptr);
  });
#endif
}

}  // namespace inferd::enginehost
