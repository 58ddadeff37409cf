#pragma once

#include "engine/waves/ranking/pool.hpp"
#include "engine/waves/scoring/compatible_score.hpp"
#include "engine/waves/scoring/rarity.hpp"
#include "engine/waves/scoring/standard_score.hpp"
#include "engine/waves/scoring/unfinished.hpp"
#include "engine/waves/search/descent.hpp"

namespace plimsoll::waves {

inline constexpr double kNoScore = -1;  // below every score

template <std::size_t N>
constexpr std::array<double, N> no_scores() {
    std::array<double, N> scores{};
    scores.fill(kNoScore);
    return scores;
}

// Scores every count and keeps the best. The costly part of a score is skipped if a bound shows
// that the count can neither enter the pool nor become the best of its kind.
template <const auto& F, class Score>
class Collector : public SinkDefaults {
    static constexpr std::size_t kPatterns = F.patterns.size();

  public:
    static constexpr bool kWantsOpen = [] {
        for (const Pattern& pattern : F.patterns)
            if (pattern.open_from > 0) return true;
        return false;
    }();

    Collector(Score score, const Rarity& rarity, bool rising, Pool& counts, Pool& open)
        : score_(score), rarity_(rarity), rising_(rising), counts_(counts), open_(open) {
        set_floors();
    }

    // `to_the_end`: the window ends with the data, so counts may be unfinished.
    void enter_window(std::int32_t begin, std::int32_t end, bool to_the_end) {
        begin_ = begin;
        end_ = end;
        to_the_end_ = to_the_end;
    }
    const std::array<double, kPatterns>& best() const { return best_; }

    template <int K>
    unsigned enter(const Path&, unsigned alive) {
        if constexpr (K == Score::kHead) heads_ = 0;
        return alive;
    }

    template <std::size_t P>
    void complete(const Path& path) {
        constexpr const Pattern& kPattern = F.patterns[P];
        constexpr Shape kShape = kPattern.shape;
        if constexpr (kPattern.waves > Score::kHead) {
            if ((heads_ & (1u << P)) == 0) {
                heads_ |= 1u << P;
                score_.template head<kShape>(path);
                bounds_[P] = score_.template bound<kShape>();
            }
            if (bounds_[P] < floors_[P] && bounds_[P] <= best_[P]) return;
        }
        const double needed = std::min(floors_[P], best_[P]);
        const double score = score_.template complete<kShape>(kPattern, path, needed);
        best_[P] = std::max(best_[P], score);
        if (score < floors_[P]) return;
        counts_.add(found(kShape, kPattern.waves, path, score));
        if (counts_.threshold() != threshold_) set_floors();
    }

    template <std::size_t P, int K>
    void open(const Path& path) {
        if (!to_the_end_) return;
        constexpr const Pattern& kPattern = F.patterns[P];
        if (!may_go_on(kPattern, path, K, end_)) return;
        const double score = score_.total_of(unfinished_parts<kPattern.shape>(kPattern, path, K));
        open_.add(found(kPattern.shape, K, path, score));
    }

  private:
    // The scores below which no count of a pattern enters the pool.
    void set_floors() {
        threshold_ = counts_.threshold();
        for (std::size_t p = 0; p < kPatterns; ++p)
            floors_[p] = rarity_.least_score(F.patterns[p].shape, F.patterns[p].waves, threshold_);
    }

    Found found(Shape shape, int waves, const Path& path, double score) const {
        Found it{.score = score,
                 .standing = rarity_.standing(shape, waves, score),
                 .window_begin = begin_,
                 .window_end = end_,
                 .shape = shape,
                 .rising = rising_,
                 .waves = static_cast<std::uint8_t>(waves)};
        std::copy_n(path.at.begin(), waves + 1, it.at.begin());
        return it;
    }

    Score score_;
    const Rarity& rarity_;
    bool rising_;
    Pool& counts_;
    Pool& open_;
    double threshold_ = 0;  // the pool's threshold when the floors were set
    std::array<double, kPatterns> floors_{};
    std::int32_t begin_ = 0;
    std::int32_t end_ = 0;
    bool to_the_end_ = false;
    unsigned heads_ = 0;  // patterns whose bounds are set for the current head
    std::array<double, kPatterns> bounds_{};
    std::array<double, kPatterns> best_ = no_scores<kPatterns>();
};

// Keeps only the best score of each pattern; prunes branches that cannot beat it.
template <const auto& F, class Score>
class BestOnly : public SinkDefaults {
    static constexpr std::size_t kPatterns = F.patterns.size();

  public:
    explicit BestOnly(Score score) : score_(score) {}

    void enter_window(std::int32_t, std::int32_t, bool) {}
    const std::array<double, kPatterns>& best() const { return best_; }

    template <int K>
    unsigned enter(const Path& path, unsigned alive) {
        plan::each<kPatterns>([&](auto p) __attribute__((always_inline)) {
            constexpr std::size_t P = p;
            constexpr Shape kShape = F.patterns[P].shape;
            if ((alive & (1u << P)) == 0) return;
            if constexpr (K == Score::kEarly) {
                if (!score_.template may_beat_early<kShape>(path, best_[P])) alive &= ~(1u << P);
            } else if constexpr (K == Score::kHead && F.patterns[P].waves > K) {
                if (!score_.template may_beat<kShape>(path, best_[P])) alive &= ~(1u << P);
            }
        });
        return alive;
    }

    template <std::size_t P>
    void complete(const Path& path) {
        constexpr Shape kShape = F.patterns[P].shape;
        best_[P] =
            std::max(best_[P], score_.template complete<kShape>(F.patterns[P], path, best_[P]));
    }

  private:
    Score score_;
    std::array<double, kPatterns> best_ = no_scores<kPatterns>();
};

}  // namespace plimsoll::waves
