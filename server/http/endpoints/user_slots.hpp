#pragma once

#include "server/base/id.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>

namespace plimsoll::http::endpoints {

// Limits long-running requests (streams, downloads) per user. Single-threaded.
class UserSlots {
    using Open = std::map<UserId, std::size_t>;

  public:
    // Occupied until destroyed; may outlive the UserSlots.
    class Slot {
      public:
        Slot(std::shared_ptr<Open> open, UserId user) : open_(std::move(open)), user_(user) {
            ++(*open_)[user_];
        }
        Slot(Slot&&) = default;
        Slot& operator=(Slot&&) = delete;
        ~Slot() {
            if (open_ && --(*open_)[user_] == 0) open_->erase(user_);
        }

      private:
        std::shared_ptr<Open> open_;  // none: moved from
        UserId user_;
    };

    explicit UserSlots(std::size_t most) : most_(most) {}

    // nullopt: the user is at the limit.
    std::optional<Slot> take(UserId user) const {
        const auto open = open_->find(user);
        if (open != open_->end() && open->second >= most_) return std::nullopt;
        return Slot(open_, user);
    }

  private:
    std::size_t most_;
    std::shared_ptr<Open> open_ = std::make_shared<Open>();
};

}  // namespace plimsoll::http::endpoints
