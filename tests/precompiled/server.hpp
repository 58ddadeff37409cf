#pragma once

// What most unit tests of the server include, parsed once for the release build.
#include "deploy/build/precompiled/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
