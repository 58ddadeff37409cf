#include "engine/routines/gemm.hpp"

#include "engine/opencl/devices/processor.hpp"

#include <algorithm>

namespace plimsoll::routines {

namespace {

constexpr std::uint32_t kLanes = 16;
constexpr std::uint32_t kGroupTile = 64;
// A product that also normalises its rows has a work-item own whole rows; with fewer groups than
// this for each compute unit some would idle, and rows are normalised afterwards.
constexpr std::uint32_t kGroupsPerUnit = 2;

// The kernels' requirements on packed B and on a launch.
struct Facts {
    std::string_view name;
    std::string kernel;
    Flavour flavour;
    bool bf16;
    std::uint32_t depth_unit;  // K is padded to a multiple of it
    std::size_t items;         // of a work-group
};

Facts facts_of(Method method) {
    switch (method) {
        case Method::block_fp32:
            return {"block_fp32", "gemm_block", Flavour::block, false, 1, 1};
        case Method::block_bf16:
            return {"block_bf16", "gemm_block", Flavour::block, true, 2, 1};
        case Method::block_amx:
            return {"block_amx", "gemm_block", Flavour::block, true, 32, 1};
        case Method::group_fp32:
            return {"group_fp32", "gemm_group", Flavour::group, false, 16, 256};
        case Method::group_mma:
            return {"group_mma", "gemm_mma", Flavour::group, true, 32, 128};
    }
    return {};
}

std::uint32_t vectors_of(const GemmPlan& plan) {
    return facts_of(plan.method).flavour == Flavour::group ? kGroupTile / kLanes : plan.vectors;
}

std::uint32_t divided_up(std::uint32_t a, std::uint32_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

std::string define(std::string_view name, std::uint32_t value) {
    return " -D" + std::string(name) + "=" + std::to_string(value);
}

std::string block_options(const GemmPlan& plan) {
    return dot_options(plan.method) + define("ROWS", plan.rows) + define("VECTORS", plan.vectors) +
           define("DEPTH", plan.depth) + define("PANELS", plan.row_panels) +
           define("DEPTH_UNIT", facts_of(plan.method).depth_unit);
}

}  // namespace

std::string dot_options(Method method) {
    static constexpr std::string_view kMethods[] = {"FP32", "BF16", "AMX"};
    return " -DFP32=0 -DBF16=1 -DAMX=2 -DMETHOD=" + std::string(kMethods[static_cast<int>(method)]);
}

std::string_view to_string(Method method) {
    return facts_of(method).name;
}

Method method_for(const opencl::Capability& capability, Precision precision) {
    using opencl::Feature;
    const bool bf16 = precision == Precision::bf16;
    if (flavour_for(capability.info) == Flavour::group) {
        return bf16 && capability.has(Feature::mma_bf16) ? Method::group_mma : Method::group_fp32;
    }
    if (bf16 && capability.has(Feature::amx_bf16)) return Method::block_amx;
    return bf16 && capability.has(Feature::avx512_bf16) ? Method::block_bf16 : Method::block_fp32;
}

Result<void> check(const GemmPlan& plan) {
    if (facts_of(plan.method).flavour == Flavour::group) return {};
    const auto within = [](std::uint32_t value, std::uint32_t least, std::uint32_t most) {
        return value >= least && value <= most;
    };
    const bool amx = plan.method == Method::block_amx;
    if (amx ? plan.rows != 32 || plan.vectors != 2
            : !within(plan.rows, 1, 16) || !within(plan.vectors, 1, 6)) {
        return fail(Errc::invalid_input,
                    "A micro-tile has 1 to 16 rows and 1 to 6 vectors, that of AMX 32 and 2.");
    }
    if (plan.depth % 32 != 0 || !within(plan.depth, 32, 4096)) {
        return fail(Errc::invalid_input, "A plan's depth is a multiple of 32 up to 4096.");
    }
    // A work-item's rows of A are on its stack.
    if (!within(plan.row_panels, 1, 256) || !within(plan.column_panels, 1, 1U << 20) ||
        plan.row_panels * plan.rows * (plan.depth + kLanes) > 1U << 19) {
        return fail(Errc::invalid_input, "A work-item keeps at most 2 MiB of A.");
    }
    return {};
}

GemmPlan default_plan(Method method, std::uint32_t compute_units, std::uint32_t m,
                      std::uint32_t n) {
    GemmPlan plan{.method = method};
    if (method == Method::block_amx) {
        plan.rows = 32;
        plan.vectors = 2;
        plan.row_panels = 2;
    } else if (!opencl::processor_has_avx512()) {
        // 16 registers of 8 numbers: 6 x 16 sums are 12 of them, and a panel fits the first-level
        // cache.
        plan.rows = 6;
        plan.vectors = 1;
        plan.depth = 384;
    }
    // Two work-items per core, so that the last one to finish does not delay the others for long.
    const auto row_blocks = std::max(divided_up(m, plan.rows * plan.row_panels), 1U);
    const auto panels = divided_up(n, kLanes * plan.vectors);
    const auto column_blocks = std::max(divided_up(2 * compute_units, row_blocks), 1U);
    plan.column_panels = std::clamp(divided_up(panels, column_blocks), 1U, plan.column_panels);
    return plan;
}

std::size_t packed_bytes(const GemmPlan& plan, std::uint32_t k, std::uint32_t n) {
    const auto facts = facts_of(plan.method);
    const auto wide = kLanes * vectors_of(plan);
    const std::size_t depth = std::size_t{divided_up(k, facts.depth_unit)} * facts.depth_unit;
    return divided_up(n, wide) * depth * wide * (facts.bf16 ? 2 : 4);
}

Result<void> pack(opencl::Programs& programs, const GemmPlan& plan, const opencl::Buffer& b,
                  const MatrixB& matrix, const opencl::Buffer& packed) {
    const auto facts = facts_of(plan.method);
    const auto vectors = vectors_of(plan);
    const auto kernel =
        row_kernel(programs, Flavour::block, "gemm_pack",
                   define("VECTORS", vectors) + define("DEPTH_UNIT", facts.depth_unit) +
                       define("BF16", facts.bf16 ? 1 : 0));
    if (!kernel) return fail(kernel.error());
    return opencl::invoke(programs.device(), **kernel, {divided_up(matrix.n, kLanes * vectors), 1},
                          b, packed, matrix.k, matrix.n, matrix.depth_stride, matrix.column_stride);
}

Result<void> multiply(opencl::Programs& programs, const GemmPlan& plan, const Product& product) {
    if (auto sound = check(plan); !sound) return sound;
    if (product.k == 0) return fail(Errc::invalid_input, "A product needs a K of at least 1.");
    const auto facts = facts_of(plan.method);
    const bool block = facts.flavour == Flavour::block;
    const auto& [a, b, c, m, n, k, bias, gelu, residual, norm, packed] = product;
    if (!packed && plan.method != Method::block_fp32) {
        return fail(Errc::invalid_input, "Only products in fp32 on processors take B in rows.");
    }
    const auto row_tile = block ? plan.rows * plan.row_panels : kGroupTile;
    const auto panels = divided_up(n, kLanes * vectors_of(plan));
    const bool fused =
        block && norm != nullptr &&
        divided_up(m, row_tile) >= kGroupsPerUnit * programs.device().info().compute_units;
    const auto kernel =
        programs.get(facts.kernel,
                     row_options(facts.flavour) + (block ? block_options(plan) : "") +
                         define("BIAS", bias != nullptr) + define("GELU", gelu) +
                         define("RESIDUAL", residual != nullptr) + define("NORM", fused) +
                         (block ? define("PACKED", packed) : ""),
                     [&] {
                         if (block) return row_source({"dot", "gemm_epilogue", facts.kernel});
                         return row_source({"gemm_epilogue", facts.kernel});
                     });
    if (!kernel) return fail(kernel.error());
    // The work-item that computed a row normalises it.
    const auto mine = block ? (fused ? panels : plan.column_panels) : 1;
    const auto groups =
        std::size_t{divided_up(m, row_tile)} * divided_up(panels, std::max(mine, 1U));
    const auto launched =
        opencl::invoke(programs.device(), **kernel, {groups * facts.items, facts.items}, a, b, c,
                       bias != nullptr ? *bias : a, residual != nullptr ? *residual : a,
                       norm != nullptr ? norm->gain : a, norm != nullptr ? norm->shift : a,
                       norm != nullptr ? norm->epsilon : 0.0F, m, n, k, mine);
    if (!launched || fused || norm == nullptr) return launched;
    return layer_norm(programs, facts.flavour, c, nullptr, *norm, c, {m, n});
}

}  // namespace plimsoll::routines
