// One program for all targets: the variable PLIMSOLL_FUZZ_TARGET names the one to give inputs to.
#include "tests/fuzz/parsers/targets.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

const plimsoll::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
    const char* name = std::getenv("PLIMSOLL_FUZZ_TARGET");
    chosen = plimsoll::fuzz::find_target(name == nullptr ? "" : name);
    if (chosen != nullptr) return 0;
    std::fputs("PLIMSOLL_FUZZ_TARGET names no target\n", stderr);
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen->give({reinterpret_cast<const char*>(data), size});
    return 0;
}
