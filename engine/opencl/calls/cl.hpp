#pragma once

// The oldest API level that covers our needs, so that any driver works.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
