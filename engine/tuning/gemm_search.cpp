#include "engine/tuning/gemm_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>

namespace plimsoll::tuning {

namespace {

using routines::Form;
using routines::GemmPlan;
using routines::Method;
using Clock = std::chrono::steady_clock;
using Floats = std::vector<float>;

constexpr int kMaxRounds = 25;
constexpr std::uint32_t kCheckedRows = 4;

Floats random_floats(std::size_t count, unsigned seed) {
    std::mt19937 bits(seed);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    Floats values(count);
    for (auto& value : values) value = uniform(bits);
    return values;
}

// A few micro-tiles, depths and divisions; which suits a processor's caches and cores best cannot
// be predicted.
std::vector<GemmPlan> candidates(const Bucket& bucket, const SearchLimits& limits,
                                 std::uint32_t compute_units) {
    const auto plan = limits.packed_as.value_or(
        routines::default_plan(bucket.method, compute_units, bucket.m, bucket.n));
    std::vector<GemmPlan> plans{plan};
    const auto add = [&](const GemmPlan& other) {
        if (limits.packed_as && other.vectors != plan.vectors) return;
        if (check(other) && std::ranges::find(plans, other) == plans.end()) plans.push_back(other);
    };
    if (bucket.method == Method::group_fp32 || bucket.method == Method::group_mma) return plans;
    using Tile = std::pair<std::uint32_t, std::uint32_t>;
    // Sums in 24 of AVX-512's 32 registers, or in 12 or 8 of AVX2's 16.
    const auto tiles = bucket.method == Method::block_amx
                           ? std::vector<Tile>{{32, 2}}
                           : std::vector<Tile>{{8, 3}, {12, 2}, {6, 1}, {4, 1}};
    // Every tile early; the remaining time is for the other plans.
    for (const auto depth : {plan.depth, 768U, 384U}) {
        for (const auto row_panels : {8U, 4U, 16U}) {
            for (const auto column_panels : {plan.column_panels, 16U, 4U})
                for (const auto [rows, vectors] : tiles)
                    add({bucket.method, rows, vectors, depth, row_panels, column_panels});
        }
    }
    return plans;
}

bool takes_narrow_rows(Method method) { return form_of(method) != Form::fp32; }

double tolerance_of(Method method) {
    switch (form_of(method)) {
        case Form::fp32: return 1e-5;
        case Form::bf16: return 1e-2;
        case Form::int8: return 3e-2;
    }
    return 0;
}

tl::unexpected<Error> stopped() { return fail(Errc::cancelled, "The search was stopped."); }

// The buffers and expected results of one search.
class Bench {
  public:
    static Result<Bench> create(opencl::Programs& programs, const Bucket& bucket) {
        Bench bench(programs, bucket);
        const auto& device = programs.device();
        for (const auto& [buffer, values] :
             {std::pair{&bench.a_, &bench.host_a_}, std::pair{&bench.b_, &bench.host_b_}}) {
            const auto bytes = std::as_bytes(std::span(*values));
            TRY(auto made, device.allocate(bytes.size()));
            TRY_DO(device.write(made, bytes));
            *buffer = std::move(made);
        }
        TRY(bench.c_, device.allocate(std::size_t{bucket.m} * bucket.n * sizeof(float)));
        TRY_DO(bench.narrow_rows());
        return bench;
    }

    Result<opencl::Buffer> packed_for(const GemmPlan& plan) const {
        auto packed = programs_.device().allocate(packed_bytes(plan, bucket_.k, bucket_.n));
        if (!packed) return packed;
        const routines::MatrixB matrix{bucket_.k, bucket_.n, bucket_.n, 1};
        TRY_DO(pack(programs_, plan, b_, matrix, *packed));
        return packed;
    }

    // Seconds of one product.
    Result<double> run(const GemmPlan& plan, const opencl::Buffer& packed) const {
        const auto start = Clock::now();
        const bool narrow = takes_narrow_rows(bucket_.method);
        const bool scaled = narrow_.scales.bytes != 0;
        auto done = multiply(programs_, plan,
                             {.a = narrow ? narrow_.numbers : a_,
                              .b = packed,
                              .c = c_,
                              .m = bucket_.m,
                              .n = bucket_.n,
                              .k = bucket_.k,
                              .narrow_a = narrow,
                              .scales_of_a = scaled ? &narrow_.scales : nullptr});
        if (done) done = programs_.device().finish();
        if (!done) return fail(done.error());
        return std::chrono::duration<double>(Clock::now() - start).count();
    }

    // Checks a product into poisoned memory: some rows against double precision, all against NaN.
    Result<double> error_of(const GemmPlan& plan, const opencl::Buffer& packed) const {
        TRY_DO(programs_.device().fill(c_, std::byte{0xff}));
        TRY_DO(run(plan, packed));
        Floats c(std::size_t{bucket_.m} * bucket_.n);
        TRY_DO(programs_.device().read(c_, std::as_writable_bytes(std::span(c))));
        if (std::ranges::any_of(c, [](float x) { return std::isnan(x); }))
            return std::numeric_limits<double>::infinity();
        double worst = 0;
        double max = 0;
        for (std::size_t i = 0; i < expected_.size(); ++i) {
            const auto row = row_checked(i / bucket_.n);
            worst = std::max(worst, std::abs(c[row * bucket_.n + i % bucket_.n] - expected_[i]));
            max = std::max(max, std::abs(expected_[i]));
        }
        return worst / max;
    }

  private:
    Bench(opencl::Programs& programs, const Bucket& bucket)
        : programs_(programs),
          bucket_(bucket),
          host_a_(random_floats(std::size_t{bucket.m} * bucket.k, 1)),
          host_b_(random_floats(std::size_t{bucket.k} * bucket.n, 2)),
          expected_(std::size_t{kCheckedRows} * bucket.n, 0.0) {
        for (std::size_t row = 0; row < kCheckedRows; ++row) {
            for (std::size_t d = 0; d < bucket.k; ++d) {
                const double factor = host_a_[row_checked(row) * bucket.k + d];
                for (std::size_t j = 0; j < bucket.n; ++j)
                    expected_[row * bucket.n + j] += factor * host_b_[d * bucket.n + j];
            }
        }
    }

    // A as models have it between their products.
    Result<void> narrow_rows() {
        if (!takes_narrow_rows(bucket_.method)) return {};
        const auto form = form_of(bucket_.method);
        for (const auto& [buffer, bytes] :
             {std::pair{&narrow_.numbers, bucket_.k * bytes_of_number(form)},
              {&narrow_.scales, bytes_of_scale(form)}}) {
            if (bytes == 0) continue;
            TRY(*buffer, programs_.device().allocate(bucket_.m * bytes));
        }
        return narrow(programs_, bucket_.method, a_, narrow_, {bucket_.m, bucket_.k});
    }

    // The first, the last and between.
    std::size_t row_checked(std::size_t i) const {
        return i * (bucket_.m - 1) / (kCheckedRows - 1);
    }

    opencl::Programs& programs_;
    Bucket bucket_;
    Floats host_a_;
    Floats host_b_;
    std::vector<double> expected_;
    opencl::Buffer a_;
    opencl::Buffer b_;
    opencl::Buffer c_;
    routines::NarrowRows narrow_;
};

struct Entrant {
    Candidate candidate;
    opencl::Buffer packed;
    std::vector<double> seconds;
};

}  // namespace

Result<SearchResult> search(opencl::Programs& programs, const Bucket& bucket,
                            const SearchLimits& limits) {
    const auto deadline = Clock::now() + limits.budget;
    TRY(const auto bench, Bench::create(programs, bucket));
    const double tolerance = tolerance_of(bucket.method);
    std::vector<Entrant> entrants;
    // Half of the time is for compiling and checking: the default and what fits.
    for (const auto& plan : candidates(bucket, limits, programs.device().info().compute_units)) {
        if (!entrants.empty() && Clock::now() + limits.budget / 2 > deadline) break;
        if (entrants.size() >= limits.plans) break;
        if (limits.stop.stop_requested()) return stopped();
        TRY(auto packed, bench.packed_for(plan));
        const auto error = bench.error_of(plan, packed);
        if (!error && entrants.empty()) return fail(error.error());
        if (!error) continue;  // skip a plan that cannot run
        entrants.push_back({{plan, 0, *error, *error <= tolerance}, std::move(packed), {}});
    }
    for (int round = 0; round < kMaxRounds && (round == 0 || Clock::now() < deadline); ++round) {
        for (auto& entrant : entrants) {
            if (limits.stop.stop_requested()) return stopped();
            if (!entrant.candidate.accurate) continue;
            TRY(const auto seconds, bench.run(entrant.candidate.plan, entrant.packed));
            entrant.seconds.push_back(seconds);
        }
    }
    SearchResult result;
    const Candidate* best = nullptr;
    for (auto& entrant : entrants) {
        auto& [candidate, packed, seconds] = entrant;
        if (candidate.accurate) {
            // Other load only slows a device down: the fastest run is the most accurate.
            candidate.seconds = std::ranges::min(seconds);
            if (best == nullptr || candidate.seconds < best->seconds) best = &candidate;
        }
        result.tried.push_back(candidate);
    }
    if (best == nullptr) {
        return fail(Errc::corrupt, "No plan computes this product accurately.",
                    std::string(to_string(bucket.method)));
    }
    const auto& first = result.tried.front();  // the default
    const bool pays = !first.accurate || best->seconds < kWorthLeavingTheDefault * first.seconds;
    result.best = pays ? best->plan : first.plan;
    return result;
}

std::uint64_t search_bytes(const Bucket& bucket, std::size_t plans) {
    const GemmPlan widest{.method = bucket.method, .vectors = 6};
    const std::uint64_t numbers = std::uint64_t{2} * bucket.m * bucket.k +
                                  std::uint64_t{bucket.k} * bucket.n +
                                  std::uint64_t{bucket.m} * bucket.n;
    return numbers * sizeof(float) + plans * packed_bytes(widest, bucket.k, bucket.n);
}

}  // namespace plimsoll::tuning
