#include "server/base/time.hpp"
#include "server/jobs/profile/run/figures.hpp"
#include "server/jobs/profile/run/models.hpp"
#include "server/jobs/profile/run/parts.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include <unistd.h>

namespace plimsoll::jobs::profile {
namespace {

// Bytes of this process in memory: the second number of /proc/self/statm, in pages.
double resident_bytes() {
    std::ifstream in("/proc/self/statm");
    double size = 0;
    double resident = 0;
    in >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

class SentimentArea final : public Area {
  public:
    SentimentArea(const Request& request, Watch watch)
        : limits_(limits_of(request)), watch_(std::move(watch)), name_(request.sentiment_model) {}

    Result<PartResult> measure(std::string_view part) override {
        if (auto loaded = load(); !loaded) return fail(std::move(loaded.error()));
        const auto length =
            std::ranges::find(model_->lengths, part, &profiling::LengthBucket::name);
        if (length == model_->lengths.end()) {
            return fail(Errc::corrupt, "Unknown text length.", std::string(part));
        }
        const auto search = measure_length(*length, limits_, {}, watch_);
        if (!search) return fail(search.error());
        auto curve = curve_json(*search, length->name, "texts", {});
        curve["words"] = length->words;
        PartResult result{curve_row(curve)};
        if (curves_.empty()) first_ = search->points.front();
        curves_.push_back(std::move(curve));
        return result;
    }

    // An entry of the guide's `results`: its keys first, its batch_results of the first length.
    Json report() const override {
        if (curves_.empty()) return nullptr;
        const Json& first = curves_.front();
        return {{"model_name", model_->name},
                {"model_type", model_->type},
                {"timestamp", to_rfc3339(SystemClock().now())},
                {"load_time_ms", load_->first_seconds * 1e3},
                {"warm_load_time_ms", load_->again.median * 1e3},
                {"inference_time_ms", first_.timing.median * 1e3},
                {"items_per_second", first.at("best_items_per_second")},
                {"vram_used_mb", 0.0},
                {"vram_total_mb", 0.0},
                {"host_memory_mb", memory_bytes_ / 1e6},
                {"batch_results", first.at("points")},
                {"notes", first.at("reason")},
                {"recommended_batch", first.at("recommended_batch")},
                {"lengths", curves_}};
    }

  private:
    Result<void> load() {
        if (load_) return {};
        const double before = resident_bytes();
        auto model = sentiment_model(name_);
        if (!model) return fail(std::move(model.error()));
        auto times = measure_load(*model, {}, watch_);
        if (!times) return fail(std::move(times.error()));
        memory_bytes_ = std::max(0.0, resident_bytes() - before);
        model_ = std::move(*model);
        load_ = *times;
        return {};
    }

    profiling::BatchLimits limits_;
    Watch watch_;
    std::string name_;
    std::optional<profiling::Model> model_;
    std::optional<profiling::LoadTimes> load_;
    profiling::BatchPoint first_;
    double memory_bytes_ = 0;
    Json curves_ = Json::array();
};

}  // namespace

std::unique_ptr<Area> sentiment_area(const Request& request, Watch watch) {
    return std::make_unique<SentimentArea>(request, std::move(watch));
}

}  // namespace plimsoll::jobs::profile
