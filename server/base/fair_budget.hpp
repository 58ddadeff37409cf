#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace plimsoll {

// A fixed amount shared by many, with a share per caller and team, so that no caller can starve the
// others. A reservation that would exceed a limit is refused immediately; nothing waits.
// Single-threaded. Reservations must not outlive the budget.
class FairBudget {
  public:
    struct Limits {
        std::size_t total;
        std::size_t team;
        std::size_t caller;
    };
    // Holders with the same name share one reservation limit; an empty team has no share.
    struct Holder {
        std::string caller;
        std::string team;
    };

    class Reservation {
      public:
        Reservation(Reservation&& other) noexcept
            : budget_(other.budget_),
              holder_(std::move(other.holder_)),
              amount_(std::exchange(other.amount_, 0)) {}
        Reservation& operator=(Reservation&&) = delete;
        ~Reservation() { budget_->release(holder_, amount_); }

        // Raises the amount to at least `amount`. False, with the amount as it was, if that would
        // exceed a limit.
        bool grow_to(std::size_t amount) {
            if (amount <= amount_) return true;
            if (!budget_->take(holder_, amount - amount_)) return false;
            amount_ = amount;
            return true;
        }
        std::size_t amount() const { return amount_; }

      private:
        friend class FairBudget;
        Reservation(FairBudget& budget, Holder holder)
            : budget_(&budget), holder_(std::move(holder)) {}
        FairBudget* budget_;
        Holder holder_;
        std::size_t amount_ = 0;
    };

    explicit FairBudget(Limits limits) : limits_(limits) {}
    // Without shares.
    explicit FairBudget(std::size_t total) : FairBudget({total, total, total}) {}

    // An empty reservation, to be grown.
    Reservation open(Holder holder) { return {*this, std::move(holder)}; }
    std::optional<Reservation> reserve(Holder holder, std::size_t amount) {
        auto reservation = open(std::move(holder));
        if (!reservation.grow_to(amount)) return std::nullopt;
        return reservation;
    }
    std::size_t used() const { return used_; }

  private:
    using Shares = std::unordered_map<std::string, std::size_t>;

    static std::size_t share_of(const Shares& shares, const std::string& name) {
        const auto share = shares.find(name);
        return share == shares.end() ? 0 : share->second;
    }
    static void give_back(Shares& shares, const std::string& name, std::size_t amount) {
        const auto share = shares.find(name);
        share->second -= amount;
        if (share->second == 0) shares.erase(share);
    }

    bool take(const Holder& holder, std::size_t amount) {
        const auto fits = [amount](std::size_t used, std::size_t most) {
            return used <= most && amount <= most - used;
        };
        const bool team = !holder.team.empty();
        if (!fits(used_, limits_.total) ||
            !fits(share_of(callers_, holder.caller), limits_.caller) ||
            (team && !fits(share_of(teams_, holder.team), limits_.team))) {
            return false;
        }
        used_ += amount;
        callers_[holder.caller] += amount;
        if (team) teams_[holder.team] += amount;
        return true;
    }
    void release(const Holder& holder, std::size_t amount) {
        if (amount == 0) return;
        used_ -= amount;
        give_back(callers_, holder.caller, amount);
        if (!holder.team.empty()) give_back(teams_, holder.team, amount);
    }

    Limits limits_;
    std::size_t used_ = 0;
    Shares callers_;
    Shares teams_;
};

}  // namespace plimsoll
