// What the kernels of the waves share: the table of wave ends of engine/waves/search/bar_table.hpp on
// a device. A series has two sides, as it is and upside down; a bar of a side has two prices and
// twelve whole numbers, 64 bytes. With COLUMNS equal members of all bars lie side by side, which
// suits devices that load for many work-items at once; without, the members of a bar do.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// Scores must agree with the processor's to the last bit.
#pragma OPENCL FP_CONTRACT OFF

#define NEVER 2147483647

#ifdef COLUMNS
#define PRICE(member, bar) table[(member) * (size_t)bars + (bar)]
#define WHOLE(member, bar) ((__global int*)table)[((member) + 4) * (size_t)bars + (bar)]
#else
#define PRICE(member, bar) table[(size_t)(bar) * 8 + (member)]
#define WHOLE(member, bar) ((__global int*)table)[(size_t)(bar) * 16 + 4 + (member)]
#endif

#define LOW(bar) PRICE(0, bar)
#define HIGH(bar) PRICE(1, bar)
// Of a link: its first end, the bar that must be seen for it, its next end, likewise.
#define RISE(member, bar) WHOLE(member, bar)
#define FALL(member, bar) WHOLE(4 + (member), bar)
#define UNDERCUT(bar) WHOLE(8, bar)
#define OVERSHOOT(bar) WHOLE(9, bar)
#define RISE_FIRST_SKIP(bar) WHOLE(10, bar)
#define FALL_FIRST_SKIP(bar) WHOLE(11, bar)
