#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace plimsoll::waves {

// A bar index that no bar has: "not within the data".
inline constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

// Where simple waves in one direction lead, seen from one bar. A simple wave ("monowave") runs to
// the end of a run of ever higher highs; skipping smaller swings it runs on to the next higher
// peak, and so on: the ends of all waves from a bar are a chain. The chain behind a peak is the
// same for whoever arrives there, so one table serves every start and every window of a series.
struct Link {
    std::int32_t first = kNever;        // end of the shortest wave that starts at this bar
    std::int32_t first_known = kNever;  // the bar that must be in the window for it to be known
    std::int32_t next = kNever;         // for a wave that ends at this bar: its next longer end
    std::int32_t next_known = kNever;   // likewise
};

struct Bar {
    double low = 0;
    double high = 0;
    Link rise;                         // waves from this bar's low to later highs
    Link fall;                         // waves from this bar's high to later lows
    std::int32_t undercut = kNever;    // the first later bar with a lower low
    std::int32_t overshoot = kNever;   // the first later bar with a higher high
    std::uint8_t rise_first_skip = 0;  // swings that the shortest wave already skips: 0 or 1
    std::uint8_t fall_first_skip = 0;
};

// The same series twice: as it is, and upside down (prices negated), so that every pattern is
// written down once, as if it began with a rise. Memory: 160 bytes a bar; built in linear time.
class BarTable {
  public:
    // Reuses the memory of the series before. Both spans have one length; every high is at least
    // the low of its bar, all are finite.
    void build(std::span<const double> lows, std::span<const double> highs);

    std::span<const Bar> upright() const { return upright_; }
    std::span<const Bar> mirrored() const { return mirrored_; }
    std::span<const Bar> seen(bool rising) const { return rising ? upright_ : mirrored_; }
    std::int32_t size() const { return static_cast<std::int32_t>(upright_.size()); }

  private:
    // Fills `links` and `first_skip` with the rising waves over these lows and highs.
    void link(std::span<const double> lows, std::span<const double> highs, std::vector<Link>& links,
              std::vector<std::uint8_t>& first_skip, std::vector<std::int32_t>& higher);

    std::vector<Bar> upright_, mirrored_;
    std::vector<double> negated_lows_, negated_highs_;
    std::vector<Link> rises_, falls_;
    std::vector<std::uint8_t> rise_skips_, fall_skips_;
    std::vector<std::int32_t> overshoots_, undercuts_;
    std::vector<std::int32_t> run_end_, as_high_;  // working memory of link()
};

}  // namespace plimsoll::waves
