// The precompiled header of the tests: the sources', and the test framework.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmake/pch.h"
