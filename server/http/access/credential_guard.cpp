#include "server/http/access/credential_guard.hpp"

namespace plimsoll::http {

Outcome<void> CredentialGuard::admit(const std::string& address, const std::string& credential,
                                     Clock::time_point now) const {
    auto may = failures_.admit(address, now);
    if (!may && valid_.contains(credential)) return {};
    return may;
}

void CredentialGuard::record_valid(const std::string& credential, Clock::time_point now) {
    if (now >= forget_at_) {
        forget_at_ = now + limits::kValidCredentialMemory;
        std::erase_if(valid_, [now](const auto& entry) {
            return now - entry.second >= limits::kValidCredentialMemory;
        });
    }
    if (valid_.size() < limits::kValidCredentials || valid_.contains(credential)) {
        valid_[credential] = now;
    }
}

void CredentialGuard::record_unknown(const std::string& address, const std::string& credential,
                                     Clock::time_point now) {
    valid_.erase(credential);
    failures_.failed(address, now);
}

}  // namespace plimsoll::http
