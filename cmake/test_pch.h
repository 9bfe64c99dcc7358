// The precompiled header of the tests: that of the sources, and the test framework.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/pch.h"
