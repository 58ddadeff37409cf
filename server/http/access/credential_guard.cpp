#include "server/http/access/credential_guard.hpp"

namespace plimsoll::http {

Outcome<void> CredentialGuard::admit(const std::string& address, const std::string& credential,
                                     Clock::time_point now) const {
    auto may = failures_.admit(address, now);
    if (!may && good_.contains(credential)) return {};
    return may;
}

void CredentialGuard::was_good(const std::string& credential, Clock::time_point now) {
    if (now >= forget_at_) {
        forget_at_ = now + limits::kGoodCredential;
        std::erase_if(good_, [now](const auto& entry) {
            return now - entry.second >= limits::kGoodCredential;
        });
    }
    if (good_.size() < limits::kGoodCredentials || good_.contains(credential)) {
        good_[credential] = now;
    }
}

void CredentialGuard::was_nobodys(const std::string& address, const std::string& credential,
                                  Clock::time_point now) {
    good_.erase(credential);
    failures_.failed(address, now);
}

}  // namespace plimsoll::http
