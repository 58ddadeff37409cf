#include "engine/opencl/calls/status.hpp"

#include "engine/opencl/calls/cl.hpp"

#include <gtest/gtest.h>

namespace plimsoll::opencl {
namespace {

TEST(Status, NamesTheCallAndTheStatus) {
    const auto error = status_error("clFinish", CL_OUT_OF_RESOURCES, "opencl:nv:0");
    EXPECT_EQ(error.message, "clFinish failed with CL_OUT_OF_RESOURCES.");
    EXPECT_EQ(error.where, "opencl:nv:0");
    EXPECT_EQ(error.code, Errc::exhausted);
}

TEST(Status, KeepsTheNumberOfAnUnknownStatus) {
    EXPECT_EQ(status_name(-9999), "CL status -9999");
}

TEST(Status, DistinguishesShortageAbsenceAndBugs) {
    EXPECT_EQ(status_error("c", CL_MEM_OBJECT_ALLOCATION_FAILURE).code, Errc::exhausted);
    EXPECT_EQ(status_error("c", CL_INVALID_BUFFER_SIZE).code, Errc::too_large);
    EXPECT_EQ(status_error("c", -1001).code, Errc::not_found);
    EXPECT_EQ(status_error("c", CL_INVALID_KERNEL_ARGS).code, Errc::internal);
}

}  // namespace
}  // namespace plimsoll::opencl
