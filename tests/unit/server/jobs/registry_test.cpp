#include "server/jobs/registry.hpp"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace plimsoll::jobs {
namespace {

TEST(Registry, EveryContractHasARunOfTheSameNameAndVersion) {
    ASSERT_FALSE(contracts().empty());
    EXPECT_EQ(contracts().size(), runs().size());
    for (const Contract& contract : contracts()) {
        const jobs::Run* run = find_run(contract.name, contract.version);
        ASSERT_NE(run, nullptr) << contract.name;
        EXPECT_NE(run->run, nullptr);
        EXPECT_NE(run->merge, nullptr);
        EXPECT_NE(contract.plan, nullptr);
        EXPECT_NE(contract.failed_rows, nullptr);
        EXPECT_FALSE(contract.columns.empty());
        EXPECT_EQ(find_contract(contract.name), &contract);
    }
}

TEST(Registry, NamesAreUniqueAndUnknownOnesAreNotFound) {
    std::set<std::string_view> names;
    for (const Contract& contract : contracts()) EXPECT_TRUE(names.insert(contract.name).second);
    EXPECT_EQ(find_contract("no-such-kind"), nullptr);
    EXPECT_EQ(find_run("sentiment", 0), nullptr);
}

}  // namespace
}  // namespace plimsoll::jobs
