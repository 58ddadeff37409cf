#include "engine/training/advice/guide_batch.hpp"

#include "engine/training/guides/gpu_profiles_guide.hpp"
#include "engine/training/guides/utilisation.hpp"

#include <algorithm>

namespace plimsoll::training {
namespace {

constexpr int kTweetTokens = 128;
constexpr int kPositives = 32;  // no term of the guide's memory depends on them

GuideBatch naics_batch(const ReportRequest& r, const GpuProfile& gpu) {
    const auto s = naics::suggest(naics_model(r.shape, r.settings), naics_search(r, gpu),
                                  kPositives, r.settings.negatives, "");
    return {"NAICS memory guide", s.batch, s.accumulation};
}

// The guide's table if it names the card and the texts are as long as its tweets, else its rule by
// memory.
GuideBatch utilisation_batch(const ReportRequest& r, const GpuProfile& gpu) {
    constexpr auto title = "training utilization guide";
    const auto tweets = utilisation::tweet_batches();
    const auto row = std::ranges::find(tweets, gpu.id, &utilisation::TweetBatch::profile_id);
    const auto rule = utilisation::batch_for(gpu.total_bytes());
    if (row == tweets.end() || r.settings.sequence != kTweetTokens)
        return {title, rule.batch, rule.accumulation};
    return {title, row->recommended, row->recommended == rule.batch ? rule.accumulation : 1};
}

}  // namespace

bool has_guide(const ModelShape& shape) {
    return shape.family == Family::naics || shape.family == Family::temporal || shape.reads_text();
}

std::optional<GuideBatch> guide_batch(const ReportRequest& r, const GpuProfile& gpu) {
    if (r.shape.family == Family::naics) return naics_batch(r, gpu);
    if (r.shape.family != Family::temporal) return utilisation_batch(r, gpu);
    if (!gpu.guide) return std::nullopt;
    return GuideBatch{"GPU profile guide", gpu_guide::batch_size(*gpu.guide, r.interval), 1};
}

naics::Model naics_model(const ModelShape& shape, const TrainingSettings& settings) {
    naics::Model m;
    m.channels = shape.channels;
    m.hidden = shape.hidden;
    m.max_length = settings.sequence;
    m.layers = shape.layers;
    m.experts = shape.experts;
    m.top_k = shape.experts_per_row;
    m.expert_hidden = shape.expert_hidden;
    if (settings.lora.rank > 0) m.lora_rank = settings.lora.rank;
    return m;
}

naics::Search naics_search(const ReportRequest& r, const GpuProfile& gpu) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    naics::Search search;
    search.gpu_gib = static_cast<double>(gpu.total_bytes()) / gib;
    search.safety = r.search.safety;
    search.target_effective_batch =
        static_cast<int>(std::min<std::int64_t>(r.target_effective_batch, 1 << 30));
    return search;
}

}  // namespace plimsoll::training
