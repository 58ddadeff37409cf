#include "engine/opencl/probing/probe.hpp"
#include "server/kinds/profile/run/figures.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <stdlib.h>

namespace plimsoll::jobs::profile {
namespace {

namespace fs = std::filesystem;
using profiling::Rate;

constexpr const char* kOperations = "GFLOP/s";
constexpr const char* kBytes = "GB/s";

// A folder that is removed with this object.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        auto name = (fs::temp_directory_path() / "plimsoll-profile-XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

class EngineArea final : public Area {
  public:
    EngineArea(const Request& request, opencl::Device& device, opencl::Capability capability,
               const fs::path& cache, Watch watch)
        : limits_(limits_of(request)),
          capability_(std::move(capability)),
          programs_(device, opencl::ProgramCache(cache / "programs")),
          plans_(device.info()),
          subject_{programs_, capability_, plans_, std::move(watch)} {
        // Without plans that were tuned on this machine the defaults are measured, as jobs run
        // them.
        (void)plans_.read(tuning::plans_file(cache, device.info().address));
        report_["tuned_plans"] = plans_.size();
        for (const auto* member : {"peak", "products", "rows", "attention"})
            report_[member] = Json::array();
        for (const auto* member : {"batches", "launches", "overlap"}) report_[member] = nullptr;
    }

    Result<PartResult> measure(std::string_view part) override {
        if (part == "peak") return peak();
        if (part == "launches") return launches();
        if (part == "overlap") return overlap();
        if (!peak_) return fail(Errc::internal, "The device's peak could not be measured.");
        if (part == "batches") return batches();
        if (part == "products") return rates(part, measure_products(subject_, *peak_), kOperations);
        if (part == "rows") return rates(part, measure_rows(subject_, *peak_), kBytes);
        return rates(part, measure_attention(subject_, *peak_), kOperations);
    }

    Json report() const override { return report_; }

  private:
    Result<PartResult> peak() {
        TRY(auto peak, measure_peak(subject_));
        report_["peak"] = {rate_json(peak.fma, kOperations, Statistic::fastest),
                           rate_json(peak.copy, kBytes, Statistic::fastest)};
        peak_ = std::move(peak);
        return PartResult{rate_row(report_["peak"][0])};
    }

    // The row shows the fastest.
    Result<PartResult> rates(std::string_view part, const Result<std::vector<Rate>>& measured,
                             const char* unit) {
        if (!measured) return fail(measured.error());
        const auto best = std::ranges::max_element(*measured, {}, &Rate::per_second);
        for (const auto& rate : *measured)
            report_[std::string(part)].push_back(rate_json(rate, unit));
        return PartResult{rate_row(rate_json(*best, unit))};
    }

    Result<PartResult> batches() {
        TRY(const auto search, measure_product_knee(subject_, limits_));
        const double work = 2.0 * profiling::kKneeColumns * profiling::kKneeDepth;
        report_["batches"] = curve_json(search, "one layer, 3072 x 768, by rows", "rows",
                                        peak_->fma.max_per_second() / work);
        return PartResult{curve_row(report_["batches"])};
    }

    Result<PartResult> launches() {
        const TemporaryFolder cache;
        TRY(const auto cost, measure_launches(subject_, cache.path()));
        report_["launches"] = {{"waited_us", cost.waited.median * 1e6},
                               {"waited_p95_us", cost.waited.p95 * 1e6},
                               {"queued_us", cost.queued * 1e6},
                               {"cold_build_ms", cost.cold_build * 1e3},
                               {"warm_build_ms", cost.warm_build * 1e3}};
        PartResult result{timing_json(cost.waited)};
        result.row.erase("warm_up_runs");
        result.row["name"] = "one synchronous launch";
        result.row["value"] = cost.waited.median * 1e6;
        result.row["unit"] = "us";
        return result;
    }

    Result<PartResult> overlap() {
        TRY(const auto overlap, measure_overlap(subject_));
        const auto& device = programs_.device();
        report_["overlap"] =
            overlap_json(overlap, has_own_memory(device.info()), device.copies_apart());
        return PartResult{{{"name", "computing and copying at the same time"},
                           {"value", overlap.speedup()},
                           {"unit", "x"}}};
    }

    profiling::BatchLimits limits_;
    opencl::Capability capability_;
    opencl::Programs programs_;
    tuning::Plans plans_;
    profiling::Subject subject_;
    std::optional<profiling::Peak> peak_;
    Json report_ = Json::object();
};

// Where there is no device.
class NoDevice final : public Area {
  public:
    Result<PartResult> measure(std::string_view /*part*/) override {
        return fail(Errc::not_found, "This worker has no OpenCL device.");
    }
    Json report() const override { return nullptr; }
};

}  // namespace

std::unique_ptr<Area> engine_area(const Request& request, const RunContext& context, Watch watch) {
    if (!request.engine || context.device == nullptr) return no_engine_area();
    return std::make_unique<EngineArea>(
        request, *context.device,
        context.capability != nullptr ? *context.capability : opencl::assess(*context.device),
        context.settings.cache, std::move(watch));
}

std::unique_ptr<Area> no_engine_area() { return std::make_unique<NoDevice>(); }

}  // namespace plimsoll::jobs::profile
