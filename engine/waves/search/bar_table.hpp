#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace plimsoll::waves {

// An index beyond every bar: "not within the data".
inline constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

// The ends of simple waves in one direction from one bar. A simple wave ("monowave") runs to the
// end of a run of rising highs; by skipping smaller swings it extends to the next higher peak, and
// so on: the ends of all waves from a bar form a chain. The chain after a peak does not depend on
// the start, so one table serves every start and every window of a series.
struct Link {
    std::int32_t first = kNever;  // end of the shortest wave that starts at this bar
    std::int32_t first_known =
        kNever;                  // the bar that must be in the window for that end to be final
    std::int32_t next = kNever;  // the next longer end of a wave that ends at this bar
    std::int32_t next_known = kNever;  // likewise
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

// The series as it is and mirrored (prices negated), so that every pattern is defined once, as if
// it began with a rise. Memory: 160 bytes per bar; built in linear time.
class BarTable {
  public:
    // Reuses the memory of the previous series. Both spans have the same length; all values are
    // finite and every high is at least the low of its bar.
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
