#include "engine/routines/gemm.hpp"

#include "engine/opencl/devices/processor.hpp"

#include <algorithm>

namespace plimsoll::routines {

namespace {

constexpr std::uint32_t kLanes = 16;
// On GPUs a work-item packs this much of a column's depth.
constexpr std::uint32_t kSlab = 32;
// Steps of K in local memory, of the 48 KiB that every NVIDIA GPU has.
constexpr std::uint32_t kStages = 3;
// Rows that tensor cores read lie at 16 bytes.
constexpr std::uint32_t kMmaUnit = 8;
// In a product that also normalizes its rows, a work-item owns whole rows; with fewer groups than
// this per compute unit some would idle, and rows are normalized afterwards.
constexpr std::uint32_t kGroupsPerUnit = 2;

// The kernels' requirements on packed B and on a launch.
struct Facts {
    std::string kernel;
    std::uint32_t depth_unit;  // K is padded to a multiple of it
    std::size_t items;         // of a work-group
    std::uint32_t tile = 0;    // rows and columns of a work-group, of group methods
};

Facts facts_of(Method method) {
    switch (method) {
        case Method::block_fp32: return {"gemm_block", 1, 1};
        case Method::block_bf16: return {"gemm_block", 2, 1};
        case Method::block_amx: return {"gemm_block", 32, 1};
        case Method::block_int8:
        case Method::block_int8_avx2: return {"gemm_block", 4, 1};
        case Method::group_fp32: return {"gemm_group", 16, 256, 64};
        case Method::group_mma: return {"gemm_mma", 32, 128, 128};
    }
    return {};
}

std::uint32_t vectors_of(const GemmPlan& plan) {
    const auto tile = facts_of(plan.method).tile;
    return tile != 0 ? tile / kLanes : plan.vectors;
}

std::uint32_t divided_up(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0 ? 1 : 0); }

std::string define(std::string_view name, std::uint32_t value) {
    return " -D" + std::string(name) + "=" + std::to_string(value);
}

std::string block_options(const GemmPlan& plan) {
    return dot_options(plan.method) + define("ROWS", plan.rows) + define("VECTORS", plan.vectors) +
           define("DEPTH", plan.depth) + define("PANELS", plan.row_panels) +
           define("DEPTH_UNIT", facts_of(plan.method).depth_unit);
}

}  // namespace

Result<void> check(const GemmPlan& plan) {
    if (flavour_of(plan.method) == Flavour::group) return {};
    const auto within = [](std::uint32_t value, std::uint32_t min, std::uint32_t max) {
        return value >= min && value <= max;
    };
    const bool amx = plan.method == Method::block_amx;
    if (amx ? plan.rows != 32 || plan.vectors != 2
            : !within(plan.rows, 1, 16) || !within(plan.vectors, 1, 6)) {
        return fail(Errc::invalid_input,
                    "A micro-tile must have 1 to 16 rows and 1 to 6 vectors; with AMX, 32 and 2.");
    }
    if (plan.depth % 32 != 0 || !within(plan.depth, 32, 4096))
        return fail(Errc::invalid_input, "A plan's depth must be a multiple of 32, at most 4096.");
    // A work-item's rows of A are on its stack.
    if (!within(plan.row_panels, 1, 256) || !within(plan.column_panels, 1, 1U << 20) ||
        plan.row_panels * plan.rows * (plan.depth + kLanes) > 1U << 19) {
        return fail(Errc::invalid_input, "A work-item can keep at most 2 MiB of A.");
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
    } else if (!processor_has(opencl::Instructions::avx512)) {
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
    const auto panels = divided_up(n, wide);
    const auto form = form_of(plan.method);
    // A scale and a correction for each column.
    const std::size_t behind = form == Form::int8 ? panels * wide * 2 * sizeof(float) : 0;
    return panels * depth * wide * bytes_of_number(form) + behind;
}

Result<void> pack(opencl::Programs& programs, const GemmPlan& plan, const opencl::Buffer& b,
                  const MatrixB& matrix, const opencl::Buffer& packed) {
    const auto facts = facts_of(plan.method);
    const auto vectors = vectors_of(plan);
    const auto form = form_of(plan.method);
    const bool group = flavour_of(plan.method) == Flavour::group;
    const auto options = row_options(Flavour::block) + define("VECTORS", vectors) +
                         define("DEPTH_UNIT", facts.depth_unit) +
                         define("SLAB", group ? kSlab : 0) + " -DPLAIN=0 -DPAIRS=1 -DMMA=2" +
                         define("LAYOUT", form != Form::bf16 ? 0
                                          : group            ? 2
                                                             : 1);
    const auto kernel =
        form == Form::int8
            ? programs.get("gemm_pack_int8", options,
                           [] { return row_source({"rotate", "gemm_pack_int8"}); })
            : programs.get("gemm_pack", options, [] { return row_source({"gemm_pack"}); });
    if (!kernel) return fail(kernel.error());
    const auto wide = kLanes * vectors;
    const std::size_t panels = divided_up(matrix.n, wide);
    const auto slabs = divided_up(divided_up(matrix.k, facts.depth_unit) * facts.depth_unit, kSlab);
    const auto range =
        group ? opencl::Range{panels * slabs * wide, wide} : opencl::Range{panels, 1};
    return opencl::invoke(programs.device(), **kernel, range, b, packed, matrix.k, matrix.n,
                          matrix.depth_stride, matrix.column_stride);
}

namespace {

Result<void> check_numbers(const GemmPlan& plan, const Product& product) {
    const auto refuse = [](std::string why) { return fail(Errc::invalid_input, std::move(why)); };
    const auto form = form_of(plan.method);
    if (product.k == 0) return refuse("K must be at least 1.");
    if (!product.packed && plan.method != Method::block_fp32)
        return refuse("Only fp32 products on CPUs support B in rows.");
    if (form == Form::int8 && !(product.narrow_a && product.scales_of_a != nullptr))
        return refuse("Products in int8 require narrow rows with their scales.");
    const bool narrow = product.narrow_a || product.narrow_c || product.copy != nullptr;
    if (narrow && form == Form::fp32) return refuse("This method does not support narrow rows.");
    if (plan.method == Method::group_mma &&
        (!product.narrow_a || product.k % kMmaUnit != 0 || product.n % kMmaUnit != 0)) {
        return refuse("Tensor cores require narrow rows, and K and N must be multiples of 8.");
    }
    if (product.narrow_a && product.k * bytes_of_number(form) % sizeof(float) != 0)
        return refuse("Narrow rows must have a multiple of 2 numbers in bf16, and of 4 in int8.");
    const bool at_once = flavour_of(plan.method) == Flavour::group || product.k <= plan.depth;
    if (product.narrow_c && (form != Form::bf16 || product.norm != nullptr || !at_once)) {
        return refuse(
            "A narrow C must be bf16 and have no norm, and K must be at most the plan's depth.");
    }
    return {};
}

// Processes C's rows once they are computed, in separate launches.
Result<void> finish(opencl::Programs& programs, Method method, const Product& product) {
    const Shape shape{product.m, product.n};
    const auto flavour = flavour_of(method);
    const bool together = flavour == Flavour::group && product.copy != nullptr;
    Result<void> done;
    if (product.norm != nullptr) {
        done = layer_norm(programs, flavour, product.c, nullptr, *product.norm, product.c, shape,
                          together ? &product.copy->numbers : nullptr);
        if (together) return done;
    }
    if (!done || product.copy == nullptr) return done;
    return narrow(programs, method, product.c, *product.copy, shape);
}

}  // namespace

Result<void> multiply(opencl::Programs& programs, const GemmPlan& plan, const Product& product) {
    TRY_DO(check(plan));
    TRY_DO(check_numbers(plan, product));
    const auto facts = facts_of(plan.method);
    const bool block = flavour_of(plan.method) == Flavour::block;
    const auto& [a, b, c, m, n, k, bias, gelu, residual, norm, packed, narrow_a, scales_of_a,
                 narrow_c, copy] = product;
    const bool mma = plan.method == Method::group_mma;
    const auto row_tile = block ? plan.rows * plan.row_panels : facts.tile;
    const auto panels = divided_up(n, kLanes * vectors_of(plan));
    // The work-item that computed a row finishes it.
    const bool whole_rows =
        block && (norm != nullptr || copy != nullptr) &&
        divided_up(m, row_tile) >= kGroupsPerUnit * programs.device().info().compute_units;
    const auto kernel = programs.get(
        facts.kernel,
        row_options(flavour_of(plan.method)) + (block ? block_options(plan) : "") +
            define("BIAS", bias != nullptr) + define("GELU", gelu) +
            define("RESIDUAL", residual != nullptr) +
            define("NORM", whole_rows && norm != nullptr) +
            (block ? define("COPY", whole_rows && copy != nullptr) + define("NARROW", narrow_a) +
                         define("PACKED", packed)
                   : "") +
            define("NARROW_C", narrow_c) + (mma ? define("STAGES", kStages) : ""),
        [&] {
            if (block)
                return row_source({"dot", "rotate", "narrow_row", "gemm_epilogue", facts.kernel});
            return row_source({mma ? "mma" : "gemm_epilogue", facts.kernel});
        });
    if (!kernel) return fail(kernel.error());
    const auto mine = block ? (whole_rows ? panels : plan.column_panels) : 1;
    const auto groups =
        std::size_t{divided_up(m, row_tile)} * divided_up(panels, std::max(mine, 1U));
    const auto launch = [&](const auto&... more) {
        return opencl::invoke(programs.device(), **kernel, {groups * facts.items, facts.items}, a,
                              b, c, bias != nullptr ? *bias : a,
                              residual != nullptr ? *residual : a, norm != nullptr ? norm->gain : a,
                              norm != nullptr ? norm->shift : a,
                              norm != nullptr ? norm->epsilon : 0.0F, m, n, k, mine, more...);
    };
    const bool scaled = copy != nullptr && form_of(plan.method) == Form::int8;
    auto launched = block ? launch(scales_of_a != nullptr ? *scales_of_a : a,
                                   copy != nullptr ? copy->numbers : a, scaled ? copy->scales : a)
                          : launch();
    if (!launched || whole_rows) return launched;
    return finish(programs, plan.method, product);
}

}  // namespace plimsoll::routines
