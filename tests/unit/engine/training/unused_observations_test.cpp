// Whatever is said of a run is used by a rule of the diagnosis, or refused.
#include "engine/training/advice/diagnosis.hpp"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::training {
namespace {

// A member, left out by its first setter and given by the others.
struct Member {
    std::string name;
    std::vector<std::function<void(Observation&)>> values;
};

template <class Value>
Member member(const char* name, Value Observation::* field, Value none, std::vector<Value> values) {
    Member out{name, {[=](Observation& o) { o.*field = none; }}};
    for (const Value value : values)
        out.values.emplace_back([=](Observation& o) { o.*field = value; });
    return out;
}

std::vector<Member> members() {
    using Percent = std::optional<double>;
    return {
        member<Percent>("gpu_percent", &Observation::gpu_percent, {}, {20.0, 60.0, 90.0}),
        member<Percent>("cpu_percent", &Observation::cpu_percent, {}, {20.0, 90.0}),
        member<Percent>("memory_percent", &Observation::memory_percent, {}, {20.0, 80.0, 97.0}),
        member<bool>("out_of_memory", &Observation::out_of_memory, false, {true}),
        member<int>("batch", &Observation::batch, 0, {4, 90}),
        member<int>("accumulation", &Observation::accumulation, 1, {8}),
        member<std::optional<bool>>("checkpointing", &Observation::checkpointing, {}, {true}),
        member<int>("loader_workers", &Observation::loader_workers, -1, {0, 7, 16}),
        member<int>("cpu_cores", &Observation::cpu_cores, 0, {8}),
        member<std::int64_t>("max_batch", &Observation::max_batch, 0, {8, 64}),
        member<Percent>("step_seconds", &Observation::step_seconds, {}, {2.0}),
    };
}

std::string told(const Observation& seen) {
    std::string out;
    const auto causes = diagnose(seen);
    for (const auto& cause : *causes) out += cause.cause + cause.change + cause.gain + "\n";
    return out;
}

// Every choice of values for the members of a set, the others left out.
void each_observation(const std::vector<Member>& all, unsigned given, Observation seen,
                      std::size_t index, const std::function<void(const Observation&)>& visit) {
    if (index == all.size()) return visit(seen);
    if ((given >> index & 1U) == 0) {
        all[index].values[0](seen);
        return each_observation(all, given, seen, index + 1, visit);
    }
    for (std::size_t i = 1; i < all[index].values.size(); ++i) {
        all[index].values[i](seen);
        each_observation(all, given, seen, index + 1, visit);
    }
}

// Which members of the set change an answer for some values.
unsigned used_of(const std::vector<Member>& all, unsigned given) {
    unsigned used = 0;
    each_observation(all, given, {}, 0, [&](const Observation& seen) {
        const auto answer = told(seen);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((given >> i & 1U) == 0 || (used >> i & 1U) != 0) continue;
            auto less = seen;
            all[i].values[0](less);
            if (told(less) != answer) used |= 1U << i;
        }
    });
    return used;
}

TEST(UnusedObservations, AreExactlyThoseThatChangeNothing) {
    const auto all = members();
    for (unsigned given = 1; given < 1U << all.size(); ++given) {
        Observation seen;
        each_observation(all, given, {}, 0, [&](const Observation& one) { seen = one; });
        unsigned refused = 0;
        for (const auto& unused : unused_observations(seen, false)) {
            for (std::size_t i = 0; i < all.size(); ++i)
                if (all[i].name == unused.member) refused |= 1U << i;
        }
        const auto used = used_of(all, given);
        std::string set;
        for (std::size_t i = 0; i < all.size(); ++i)
            if ((given >> i & 1U) != 0) set += " " + all[i].name;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((given >> i & 1U) == 0) continue;
            EXPECT_NE((used >> i & 1U) != 0, (refused >> i & 1U) != 0)
                << all[i].name << " of" << set
                << ((used >> i & 1U) != 0 ? ": used and refused" : ": neither used nor refused");
        }
    }
}

}  // namespace
}  // namespace plimsoll::training
