// engine_first_result CACHE [DEVICE]: opens the device, PoCL's first by default, makes the kernels
// of a layer from the cache or by building, computes with them and reads the numbers back. What a
// worker does between its start and its first result.

#include "engine/opencl/runtime/cache_directory.hpp"
#include "engine/routines/gemm.hpp"
#include "engine/routines/rows.hpp"

#include <cstdio>
#include <span>
#include <vector>

namespace plimsoll {
namespace {

Result<float> first_result(const std::filesystem::path& cache, const char* address) {
    constexpr std::uint32_t kRows = 64;
    constexpr std::uint32_t kColumns = 768;
    if (auto made = opencl::use_kernel_cache(cache); !made) return fail(made.error());
    const auto parsed = opencl::parse_device_address(address);
    if (!parsed) return fail(parsed.error());
    const auto device = opencl::Device::open(*parsed);
    if (!device) return fail(device.error());
    const auto flavour = routines::flavour_for(device->info());
    opencl::Programs programs(*device, opencl::ProgramCache(cache / "programs"));
    routines::GemmPlan plan;
    if (flavour == routines::Flavour::group) plan.method = routines::Method::group_fp32;
    const std::size_t weights = packed_bytes(plan, kColumns, kColumns);
    auto a = device->allocate(kRows * kColumns * sizeof(float));
    auto b = device->allocate(kColumns * kColumns * sizeof(float));
    auto packed = device->allocate(weights);
    auto c = device->allocate(kRows * kColumns * sizeof(float));
    for (const auto* buffer : {&a, &b, &packed, &c}) {
        if (!*buffer) return fail(buffer->error());
        if (auto filled = device->fill(**buffer, std::byte{0x3f}); !filled)
            return fail(filled.error());
    }
    auto done = pack(programs, plan, *b, {kColumns, kColumns, kColumns, 1}, *packed);
    const routines::Norm norm{*b, *b, 1e-5F};
    const routines::Product product{.a = *a,
                                    .b = *packed,
                                    .c = *c,
                                    .m = kRows,
                                    .n = kColumns,
                                    .k = kColumns,
                                    .bias = &*b,
                                    .gelu = true,
                                    .residual = &*a,
                                    .norm = &norm};
    if (done) done = multiply(programs, plan, product);
    if (done) done = routines::softmax(programs, flavour, *c, *a, {kRows, kColumns});
    std::vector<float> result(kRows * kColumns);
    if (done) done = device->read(*a, std::as_writable_bytes(std::span(result)));
    if (!done) return fail(done.error());
    std::fprintf(stderr, "%lu built, %lu from the cache\n",
                 static_cast<unsigned long>(programs.built()),
                 static_cast<unsigned long>(programs.loaded()));
    return result.back();
}

}  // namespace
}  // namespace plimsoll

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) return 2;
    const auto result = plimsoll::first_result(argv[1], argc == 3 ? argv[2] : "opencl:pocl:0");
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().message.c_str());
        return 1;
    }
    std::printf("%g\n", *result);
    return 0;
}
