#include "engines/torch/function/error_text.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::torchscript {
namespace {

TEST(ErrorTextTest, OfAModelsErrorTheLastLine) {
  EXPECT_EQ(ErrorText("The following operation failed in the TorchScript interpreter.\n"
                      "Traceback of TorchScript, serialized code (most recent call last):\n"
                      "  File \"code/__torch__.py\", line 9, in forward\n"
                      "    _0 = torch.matmul(x, w)\n"
                      "         ~~~~~~~~~~~~ <--- HERE\n"
                      "    return _0\n\n"
                      "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x3 and 784x256)\n"),
            "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x3 and 784x256)");
}

TEST(ErrorTextTest, OfSeveralLinesAllOfTheMessage) {
  EXPECT_EQ(ErrorText("Traceback of TorchScript (most recent call last):\n  File \"m.py\", line 1, in forward\n"
                      "def forward(self, x):\n  raise <--- HERE\n"
                      "torch.jit.Error: first\n  second\n"),
            "torch.jit.Error: first second");
}

TEST(ErrorTextTest, OfTheLibrarysErrorWhatStandsBeforeItsStack) {
  EXPECT_EQ(ErrorText("PytorchStreamReader failed reading zip archive: failed finding central directory\n"
                      "Exception raised from valid at inline_container.cc:178 (most recent call first):\n"
                      "frame #0: c10::Error::Error(...)\n"),
            "PytorchStreamReader failed reading zip archive: failed finding central directory");
  EXPECT_EQ(ErrorText("\nUnknown builtin op: my::op.\nCould not find any similar ops to my::op.\n:\n"
                      "  File \"code/m.py\", line 3\n    return my.op(x)\n           ~~~~~ <--- HERE\n"),
            "Unknown builtin op: my::op. Could not find any similar ops to my::op.");
  EXPECT_EQ(ErrorText("\nundefined value X:\n  File \"m\", line 1\n"), "undefined value X");
}

TEST(ErrorTextTest, IsNeverEmptyNorEndless) {
  EXPECT_EQ(ErrorText(""), "the library does not say why");
  EXPECT_EQ(ErrorText("\n:\n"), "the library does not say why");
  EXPECT_EQ(ErrorText(std::string(5000, 'x')), std::string(2000, 'x') + "...");
  EXPECT_EQ(ErrorText("Traceback of TorchScript\n  nothing more"), "Traceback of TorchScript nothing more");
}

}  // namespace
}  // namespace inferd::torchscript
