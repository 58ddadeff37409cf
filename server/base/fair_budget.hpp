#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace plimsoll {

// A fixed amount shared by many, with a share per caller and team, so that no caller can starve the
// others. A reservation that would exceed a limit is refused immediately; nothing waits.
// Single-threaded. Reservations may outlive the budget.
class FairBudget {
    struct State;

  public:
    static constexpr auto kUnlimited = std::numeric_limits<std::size_t>::max();
    struct Limits {
        std::size_t total = kUnlimited;
        std::size_t team = kUnlimited;
        std::size_t caller = kUnlimited;
    };
    // Holders with the same name share one reservation limit; an empty name has no share.
    struct Holder {
        std::string caller;
        std::string team;
    };

    enum class Share { none, caller, team, total };
    static bool shares(Share share, const Holder& a, const Holder& b) {
        return share == Share::total || (share == Share::caller && a.caller == b.caller) ||
               (share == Share::team && a.team == b.team);
    }

    class Reservation {
      public:
        Reservation(Reservation&& other) noexcept
            : state_(std::move(other.state_)),
              holder_(std::move(other.holder_)),
              amount_(std::exchange(other.amount_, 0)) {}
        Reservation& operator=(Reservation&&) = delete;
        ~Reservation() {
            if (amount_ > 0) state_->release(holder_, amount_);
        }

        // Raises the amount to at least `amount`. False, with the amount as it was, if that would
        // exceed a limit.
        bool grow_to(std::size_t amount) {
            if (amount <= amount_) return true;
            if (!state_->take(holder_, amount - amount_)) return false;
            amount_ = amount;
            return true;
        }
        // The share in which `amount` does not fit.
        Share lacking(std::size_t amount) const {
            return amount <= amount_ ? Share::none : state_->lacking(holder_, amount - amount_);
        }
        std::size_t amount() const { return amount_; }
        const Holder& holder() const { return holder_; }

      private:
        friend class FairBudget;
        Reservation(std::shared_ptr<State> state, Holder holder)
            : state_(std::move(state)), holder_(std::move(holder)) {}
        std::shared_ptr<State> state_;
        Holder holder_;
        std::size_t amount_ = 0;
    };

    explicit FairBudget(Limits limits) : state_(std::make_shared<State>(limits)) {}

    // An empty reservation, to be grown.
    Reservation open(Holder holder) const { return {state_, std::move(holder)}; }
    std::optional<Reservation> reserve(Holder holder, std::size_t amount) const {
        auto reservation = open(std::move(holder));
        if (!reservation.grow_to(amount)) return std::nullopt;
        return reservation;
    }
    std::size_t used() const { return state_->used; }

  private:
    using Shares = std::unordered_map<std::string, std::size_t>;

    struct State {
        explicit State(Limits max) : limits(max) {}

        Share lacking(const Holder& holder, std::size_t amount) const {
            const auto fits = [amount](std::size_t taken, std::size_t max) {
                return taken <= max && amount <= max - taken;
            };
            if (!fits(share_of(callers, holder.caller), limits.caller)) return Share::caller;
            if (!fits(share_of(teams, holder.team), limits.team)) return Share::team;
            return fits(used, limits.total) ? Share::none : Share::total;
        }
        bool take(const Holder& holder, std::size_t amount) {
            if (lacking(holder, amount) != Share::none) return false;
            used += amount;
            if (!holder.caller.empty()) callers[holder.caller] += amount;
            if (!holder.team.empty()) teams[holder.team] += amount;
            return true;
        }
        void release(const Holder& holder, std::size_t amount) {
            used -= amount;
            if (!holder.caller.empty()) give_back(callers, holder.caller, amount);
            if (!holder.team.empty()) give_back(teams, holder.team, amount);
        }

        Limits limits;
        std::size_t used = 0;
        Shares callers;
        Shares teams;
    };

    static std::size_t share_of(const Shares& shares, const std::string& name) {
        const auto share = shares.find(name);
        return share == shares.end() ? 0 : share->second;
    }
    static void give_back(Shares& shares, const std::string& name, std::size_t amount) {
        const auto share = shares.find(name);
        share->second -= amount;
        if (share->second == 0) shares.erase(share);
    }

    std::shared_ptr<State> state_;
};

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
    std::size_t max() const { return limits_.small + limits_.of_large.caller; }

  private:
    Limits limits_;
    FairBudget small_;
    FairBudget large_;
};

}  // namespace plimsoll
