#pragma once

// What most unit tests of the engine include, parsed once for the release build.
#include "deploy/build/precompiled/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
