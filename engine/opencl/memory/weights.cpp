#include "engine/opencl/memory/weights.hpp"

#include <algorithm>
#include <iterator>

namespace plimsoll::opencl {

Weights::Pin::~Pin() {
    if (set_ == nullptr) return;
    if (--set_->pins == 0) set_->idle_since = owner_->now_();
}

Result<Weights::Pin> Weights::pin(const std::string& name, std::size_t bytes,
                                  const std::function<Result<void>(const Buffer&)>& load) {
    const auto known = std::ranges::find(sets_, name, &Set::name);
    if (known != sets_.end()) {
        sets_.splice(sets_.begin(), sets_, known);
        return Pin(*this, sets_.front());
    }
    for (;;) {
        auto slice = arena_.take(bytes);
        if (!slice) {
            if (slice.error().code == Errc::exhausted && release_oldest()) continue;
            auto error = slice.error();
            error.where = name;
            return fail(std::move(error));
        }
        if (auto loaded = load(slice->buffer()); !loaded) return fail(loaded.error());
        sets_.push_front({name, std::move(*slice), 0, now_()});
        return Pin(*this, sets_.front());
    }
}

bool Weights::release_oldest() {
    const auto oldest =
        std::find_if(sets_.rbegin(), sets_.rend(), [](const Set& set) { return set.pins == 0; });
    if (oldest == sets_.rend()) return false;
    sets_.erase(std::next(oldest).base());
    return true;
}

std::uint64_t Weights::release_idle(Clock::duration unused_for) {
    const auto before = arena_.free();
    const auto now = now_();
    sets_.remove_if(
        [&](const Set& set) { return set.pins == 0 && now - set.idle_since >= unused_for; });
    return arena_.free() - before;
}

std::vector<std::string> Weights::names() const {
    std::vector<std::string> names;
    for (const auto& set : sets_) names.push_back(set.name);
    return names;
}

}  // namespace plimsoll::opencl
