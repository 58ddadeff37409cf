#include "server/postgres/identity/principal_cache.hpp"

namespace plimsoll::postgres {

std::optional<PrincipalCache::Found> PrincipalCache::find(const Credential& credential,
                                                          Clock::time_point now) const {
    const auto known = entries_.find(credential);
    if (known == entries_.end() || known->second.until <= now) return std::nullopt;
    return known->second.found;
}

void PrincipalCache::keep(const Credential& credential, const Found& found, Question question) {
    if (question.changes != changes_) return;
    // An error says nothing about the credential, unless it is this one.
    if (!found && found.error().code != Errc::unauthenticated) return;
    const auto asked = question.asked;
    if (entries_.size() >= kMost && asked - tidied_at_ >= kLifetime) {
        tidied_at_ = asked;
        std::erase_if(entries_, [&](const auto& entry) { return entry.second.until <= asked; });
    }
    if (entries_.size() >= kMost && !entries_.contains(credential)) return;
    entries_.insert_or_assign(credential, Entry{found, asked + kLifetime});
}

void PrincipalCache::forget() {
    entries_.clear();
    ++changes_;
}

}  // namespace plimsoll::postgres
