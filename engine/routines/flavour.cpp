#include "engine/routines/flavour.hpp"

#include "engine/kernels/embedded.hpp"

namespace plimsoll::routines {

namespace {

// Rows per work-group on processors; fixed, since drivers recompile for every size.
constexpr std::size_t kBlockRows = 16;
constexpr std::size_t kGroupItems = 64;

}  // namespace

Flavour flavour_for(const opencl::DeviceInfo& info) {
    return info.type == opencl::DeviceType::cpu ? Flavour::block : Flavour::group;
}

std::string row_source(const std::vector<std::string_view>& names) {
    std::string source(kernels::source("vector_math"));
    source += kernels::source("rows");
    for (const auto name : names) source += kernels::source(name);
    return source;
}

std::string row_options(Flavour flavour) {
    if (flavour == Flavour::block) return "-DWIDTH=16 -DGROUP_FLAVOUR=0";
    return "-DWIDTH=1 -DGROUP_FLAVOUR=1 -DGROUP=" + std::to_string(kGroupItems);
}

Result<const opencl::Kernel*> row_kernel(opencl::Programs& programs, Flavour flavour,
                                         const std::string& name, const std::string& options) {
    return programs.get(name, row_options(flavour) + " " + options,
                        [&] { return row_source({name}); });
}

opencl::Range row_range(Flavour flavour, std::size_t rows) {
    if (flavour == Flavour::block) return {rows, kBlockRows};
    return {rows * kGroupItems, kGroupItems};
}

}  // namespace plimsoll::routines
