#include "server/worker/base/abilities.hpp"

#include "engine/opencl/probing/capability.hpp"

#include <array>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::worker {
namespace {

jobs::Abilities translate(const jobs::KindSettings& /*settings*/,
                          const opencl::Capability* device) {
    if (device == nullptr) return {};
    return {.names = {"language de", "language fr"}, .offer = R"({"languages":2})"};
}
jobs::Abilities count(const jobs::KindSettings& /*settings*/,
                      const opencl::Capability* /*device*/) {
    return {.names = {"abacus"}, .offer = ""};
}

TEST(Abilities, AreThoseOfAllKinds) {
    const std::array kinds = {jobs::Run{.name = "plain"},
                              jobs::Run{.name = "translate", .abilities = translate},
                              jobs::Run{.name = "count", .abilities = count}};
    queue::WorkerInfo info;
    opencl::Capability capability;
    capability.info.address = {"pocl", 0};
    info.capability = to_json(capability);
    describe_abilities(kinds, jobs::kUsualSettings, info);
    EXPECT_EQ(info.abilities, (std::vector<std::string>{"language de", "language fr", "abacus"}));
    EXPECT_EQ(nlohmann::json::parse(info.offers),
              (nlohmann::json{{"translate", {{"languages", 2}}}}));
    info.capability = R"({"device":"host","state":"ready"})";
    describe_abilities(kinds, jobs::kUsualSettings, info);
    EXPECT_EQ(info.abilities, (std::vector<std::string>{"abacus"}));
    EXPECT_EQ(info.offers, "");
}

}  // namespace
}  // namespace plimsoll::worker
