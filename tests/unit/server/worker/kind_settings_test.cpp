#include "server/worker/loop/kind_settings.hpp"

#include <cstdlib>
#include <utility>

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

constexpr const char* kEndpoints = "LLM_ENDPOINT_URL";
constexpr const char* kModel = "LLM_MODEL_NAME";
constexpr const char* kTimeout = "LLM_TIMEOUT_SECS";

class KindSettingsTest : public testing::Test {
  protected:
    void SetUp() override { forget(); }
    void TearDown() override { forget(); }
    static void forget() {
        for (const auto* variable : {kEndpoints, kModel, kTimeout}) unsetenv(variable);
    }
};

TEST_F(KindSettingsTest, WithoutVariablesNoModelIsAsked) {
    const auto settings = kind_settings("/somewhere");
    ASSERT_TRUE(settings);
    EXPECT_TRUE(settings->llm.endpoints.empty());
    EXPECT_EQ(settings->llm.model, "mistral");
    EXPECT_EQ(settings->llm.timeout_seconds, 15);
    EXPECT_EQ(settings->cache, "/somewhere");
}

TEST_F(KindSettingsTest, EachVariableActs) {
    setenv(kEndpoints, "http://a/api/generate,https://b/v1/chat/completions", 1);
    setenv(kModel, "tiny", 1);
    setenv(kTimeout, "600", 1);
    const auto settings = kind_settings({});
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->llm.endpoints.size(), 2U);
    EXPECT_EQ(settings->llm.model, "tiny");
    EXPECT_EQ(settings->llm.timeout_seconds, 600);
}

TEST_F(KindSettingsTest, AWrongValueNamesItsVariable) {
    for (const auto& [variable, value] : {std::pair{kEndpoints, "ftp://a/api/generate"},
                                          {kTimeout, "0"},
                                          {kTimeout, "601"},
                                          {kTimeout, "soon"}}) {
        setenv(variable, value, 1);
        const auto settings = kind_settings({});
        ASSERT_FALSE(settings) << variable << value;
        EXPECT_EQ(settings.error().where, variable);
        EXPECT_NE(settings.error().message.find(value), std::string::npos);
        unsetenv(variable);
    }
}

}  // namespace
}  // namespace plimsoll::worker
