#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace plimsoll {

// A fixed amount shared by many users. A reservation beyond it fails immediately instead of
// waiting. Single-threaded. Reservations must not outlive the budget.
class Budget {
  public:
    class Reservation {
      public:
        Reservation(Reservation&& other) noexcept
            : budget_(other.budget_), amount_(std::exchange(other.amount_, 0)) {}
        Reservation& operator=(Reservation&&) = delete;
        ~Reservation() { budget_->used_ -= amount_; }

      private:
        friend class Budget;
        Reservation(Budget& budget, std::size_t amount) : budget_(&budget), amount_(amount) {
            budget.used_ += amount;
        }
        Budget* budget_;
        std::size_t amount_;
    };

    explicit Budget(std::size_t total) : total_(total) {}

    std::optional<Reservation> reserve(std::size_t amount) {
        if (amount > total_ - used_) return std::nullopt;
        return Reservation(*this, amount);
    }
    std::size_t used() const { return used_; }

  private:
    std::size_t total_;
    std::size_t used_ = 0;
};

}  // namespace plimsoll
