#pragma once

#include "server/base/fair_budget.hpp"

#include <algorithm>

namespace plimsoll {

// A fair budget in two parts: the first `small` of every reservation come from a separate reserve,
// so that small requests continue while large ones hold everything else.
class TieredBudget {
  public:
    struct Limits {
        std::size_t small;  // of one reservation
        FairBudget::Limits of_small;
        FairBudget::Limits of_large;
    };

    class Reservation {
      public:
        // Raises the amount to at least `amount`. False if that would exceed a limit.
        bool grow_to(std::size_t amount) {
            const auto first = std::min(amount, small_amount_);
            return small_.grow_to(first) && large_.grow_to(amount - first);
        }
        std::size_t amount() const { return small_.amount() + large_.amount(); }

      private:
        friend class TieredBudget;
        Reservation(std::size_t small_amount, FairBudget::Reservation small,
                    FairBudget::Reservation large)
            : small_amount_(small_amount), small_(std::move(small)), large_(std::move(large)) {}
        std::size_t small_amount_;
        FairBudget::Reservation small_;
        FairBudget::Reservation large_;
    };

    explicit TieredBudget(const Limits& limits)
        : limits_(limits), small_(limits.of_small), large_(limits.of_large) {}

    // An empty reservation, to be grown.
    Reservation open(const FairBudget::Holder& holder) {
        return {limits_.small, small_.open(holder), large_.open(holder)};
    }
    // The most that one reservation can hold.
    std::size_t most() const { return limits_.small + limits_.of_large.caller; }

  private:
    Limits limits_;
    FairBudget small_;
    FairBudget large_;
};

}  // namespace plimsoll
