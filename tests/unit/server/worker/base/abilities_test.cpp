#include "server/worker/base/abilities.hpp"

#include <array>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::worker {
namespace {

jobs::Abilities translate(const jobs::KindSettings& /*settings*/, bool device) {
    if (!device) return {};
    return {.names = {"language de", "language fr"}, .offer = R"({"languages":2})"};
}
jobs::Abilities count(const jobs::KindSettings& /*settings*/, bool /*device*/) {
    return {.names = {"abacus"}, .offer = ""};
}

TEST(Abilities, AreThoseOfAllKinds) {
    const std::array kinds = {jobs::Run{.name = "plain"},
                              jobs::Run{.name = "translate", .abilities = translate},
                              jobs::Run{.name = "count", .abilities = count}};
    queue::WorkerInfo info;
    describe_abilities(kinds, jobs::kUsualSettings, true, info);
    EXPECT_EQ(info.abilities, (std::vector<std::string>{"language de", "language fr", "abacus"}));
    EXPECT_EQ(nlohmann::json::parse(info.offers),
              (nlohmann::json{{"translate", {{"languages", 2}}}}));
    describe_abilities(kinds, jobs::kUsualSettings, false, info);
    EXPECT_EQ(info.abilities, (std::vector<std::string>{"abacus"}));
    EXPECT_EQ(info.offers, "");
}

}  // namespace
}  // namespace plimsoll::worker
