#include "server/worker/loop/kind_settings.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace plimsoll::worker::kind_settings_test {
namespace {

constexpr const char* kVariable = "PLIMSOLL_TEST_KIND_LIMIT";

Result<std::string> check(std::string_view value) {
    return jobs::whole_number(value, 1, 600);
}

constexpr jobs::KindSetting kLimit{"test.limit", kVariable, "1..600", "A limit", "15", check};
constexpr jobs::Run kKinds[] = {{.name = "without"}, {.name = "with", .settings = {&kLimit, 1}}};

class KindSettingsTest : public testing::Test {
  protected:
    void SetUp() override { unsetenv(kVariable); }
    void TearDown() override { unsetenv(kVariable); }
};

TEST_F(KindSettingsTest, WithoutItsVariableASettingHasItsDefault) {
    const auto settings = kind_settings(kKinds, "/somewhere");
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->text(kLimit), "15");
    EXPECT_EQ(settings->cache, "/somewhere");
    setenv(kVariable, "", 1);
    EXPECT_EQ(kind_settings(kKinds, {})->text(kLimit), "15");
}

TEST_F(KindSettingsTest, AVariableTakesEffect) {
    setenv(kVariable, "600", 1);
    EXPECT_EQ(kind_settings(kKinds, {})->text(kLimit), "600");
}

TEST_F(KindSettingsTest, AWrongValueNamesItsVariable) {
    for (const auto* value : {"0", "601", "soon"}) {
        setenv(kVariable, value, 1);
        const auto settings = kind_settings(kKinds, {});
        ASSERT_FALSE(settings) << value;
        EXPECT_EQ(settings.error().where, kVariable);
        EXPECT_NE(settings.error().message.find(value), std::string::npos);
    }
}

}  // namespace
}  // namespace plimsoll::worker::kind_settings_test
