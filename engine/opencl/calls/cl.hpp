#pragma once

// The oldest API level that covers what this folder needs, so that any driver will do.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
