#include "server/base/time.hpp"
#include "server/kinds/profile/run/figures.hpp"
#include "server/kinds/profile/run/models.hpp"
#include "server/kinds/profile/run/parts.hpp"
#include "server/kinds/profile/run/system.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::jobs::profile {
namespace {

class SentimentArea final : public Area {
  public:
    SentimentArea(const Request& request, const RunContext& context, Watch watch)
        : request_(request),
          context_(context),
          limits_(limits_of(request)),
          watch_(std::move(watch)) {}

    Result<PartResult> measure(std::string_view part) override {
        if (auto loaded = load(); !loaded) return fail(std::move(loaded.error()));
        const auto& lengths = model_->model.lengths;
        const auto length = std::ranges::find(lengths, part, &profiling::LengthBucket::name);
        if (length == lengths.end()) {
            return fail(Errc::corrupt, "Unknown text length.", std::string(part));
        }
        const auto search = measure_length(*length, request_.batch_sizes, limits_, {}, watch_);
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
        return {{"model_name", model_->model.name},
                {"model_type", model_->model.type},
                {"model_hash", text_or_null(request_.model_hash)},
                {"form", text_or_null(request_.form)},
                {"timestamp", to_rfc3339(SystemClock().now())},
                {"load_time_ms", load_->first_seconds * 1e3},
                {"warm_load_time_ms", load_->again.median * 1e3},
                {"inference_time_ms", first_.timing.median * 1e3},
                {"items_per_second", first.at("best_items_per_second")},
                {"vram_used_mb", on_device_ / 1e6},
                {"vram_total_mb", uses_device() ? device_memory(*context_.device) / 1e6 : 0.0},
                {"predicted_vram_mb",
                 uses_device() ? static_cast<double>(model_->held_bytes()) / 1e6 : 0.0},
                {"host_memory_mb", on_host_ / 1e6},
                {"batch_results", first.at("points")},
                {"notes", first.at("reason")},
                {"recommended_batch", first.at("recommended_batch")},
                {"lengths", curves_}};
    }

  private:
    static Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
    bool uses_device() const { return model_ && model_->held_bytes != nullptr; }

    // Measures what loading adds to the memory in use: allocations of others on the device count,
    // too, if the driver does not report memory by process.
    Result<void> load() {
        if (load_) return {};
        const double host = resident_bytes();
        auto model = sentiment_model(request_, context_);
        if (!model) return fail(std::move(model.error()));
        const bool on_device = model->held_bytes != nullptr;
        const double device = on_device ? memory_in_use(*context_.device) : 0;
        auto times = measure_load(model->model, {}, watch_);
        if (!times) return fail(std::move(times.error()));
        on_host_ = std::max(0.0, resident_bytes() - host);
        if (on_device) on_device_ = std::max(0.0, memory_in_use(*context_.device) - device);
        model_ = std::move(*model);
        load_ = *times;
        return {};
    }

    Request request_;
    const RunContext& context_;
    profiling::BatchLimits limits_;
    Watch watch_;
    std::optional<SentimentModel> model_;
    std::optional<profiling::LoadTimes> load_;
    profiling::BatchPoint first_;
    double on_host_ = 0;  // bytes
    double on_device_ = 0;
    Json curves_ = Json::array();
};

// Of a job whose task nobody could run.
class NoSentiment final : public Area {
  public:
    Result<PartResult> measure(std::string_view /*part*/) override {
        return fail(Errc::internal, "No model is measured.");
    }
    Json report() const override { return nullptr; }
};

}  // namespace

std::unique_ptr<Area> sentiment_area(const Request& request, const RunContext& context,
                                     Watch watch) {
    return std::make_unique<SentimentArea>(request, context, std::move(watch));
}

std::unique_ptr<Area> no_sentiment_area() {
    return std::make_unique<NoSentiment>();
}

}  // namespace plimsoll::jobs::profile
