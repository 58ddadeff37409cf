#include "server/app/settings_table.hpp"
#include "server/jobs/registry.hpp"

#include <cstdlib>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

namespace plimsoll::app {
namespace {

class SettingsTest : public testing::Test {
  protected:
    void SetUp() override {
        for (const auto& setting : all_settings())
            unsetenv(std::string(setting.environment).c_str());
    }
    std::filesystem::path write(const std::string& yaml) {
        const auto file = std::filesystem::path(testing::TempDir()) / "plimsoll-settings-test.yaml";
        std::ofstream(file) << yaml;
        return file;
    }
};

TEST_F(SettingsTest, DefaultsListenOnThisMachineOnly) {
    const auto settings = load_settings({}, {});
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->http.host, "127.0.0.1");
    EXPECT_EQ(settings->http.port, 7272);
    EXPECT_TRUE(settings->engine.local);
}

TEST_F(SettingsTest, FlagsWinOverTheEnvironmentAndThatOverTheFile) {
    const auto file = write("http:\n  port: 1\n  host: 127.0.0.2\ndatabase:\n  connections: 7\n");
    setenv("PLIMSOLL_HTTP_PORT", "2", 1);
    setenv("PLIMSOLL_HTTP_HOST", "127.0.0.3", 1);
    const auto settings = load_settings(file, {{"http.port", "3"}});
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->http.port, 3);
    EXPECT_EQ(settings->http.host, "127.0.0.3");
    EXPECT_EQ(settings->database.connections, 7);
}

TEST_F(SettingsTest, AWrongValueNamesItsKeyItsRuleAndItsSource) {
    setenv("PLIMSOLL_HTTP_PORT", "70000", 1);
    const auto settings = load_settings({}, {});
    ASSERT_FALSE(settings);
    EXPECT_EQ(settings.error().code, Errc::invalid_input);
    EXPECT_EQ(settings.error().where, "PLIMSOLL_HTTP_PORT");
    EXPECT_EQ(settings.error().message,
              "http.port must be a whole number from 0 to 65535, not \"70000\".");
}

TEST_F(SettingsTest, DevicesWarnAtTheLimitsOfTheGuide) {
    const auto settings = load_settings({}, {});
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->devices.max_utilization, 90);
    EXPECT_EQ(settings->devices.max_temperature, 85);
    EXPECT_EQ(settings->devices.min_free_memory, 500);
    EXPECT_FALSE(settings->devices.log);
    EXPECT_TRUE(settings->devices.clean);
    EXPECT_EQ(settings->devices.clean_after, 300);
    setenv("GPU_MEMORY_CLEANUP", "0", 1);
    EXPECT_FALSE(load_settings({}, {})->devices.clean);
    setenv("GPU_PROFILING_ENABLED", "1", 1);
    EXPECT_TRUE(load_settings({}, {})->devices.log);
    EXPECT_FALSE(load_settings({}, {})->devices.second_queue);
    setenv("FEATURE_CUDA_STREAMS", "1", 1);
    EXPECT_TRUE(load_settings({}, {})->devices.second_queue);
    EXPECT_EQ(load_settings({}, {})->devices.worker_memory, 0);
    setenv("PLIMSOLL_WORKER_MEMORY_MB", "256", 1);
    EXPECT_EQ(load_settings({}, {})->devices.worker_memory, 256);
    setenv("PLIMSOLL_WORKER_MEMORY_MB", "255", 1);
    EXPECT_FALSE(load_settings({}, {}));
    unsetenv("PLIMSOLL_WORKER_MEMORY_MB");
    for (const auto* variable :
         {"GPU_MAX_UTILIZATION_WARN", "GPU_MAX_TEMPERATURE_C", "GPU_MIN_FREE_VRAM_MB",
          "GPU_PROFILING_ENABLED", "GPU_MEMORY_CLEANUP", "GPU_CLEANUP_INTERVAL_SEC",
          "FEATURE_CUDA_STREAMS", "PLIMSOLL_WORKER_MEMORY_MB"}) {
        setenv(variable, "-3", 1);
        const auto refused = load_settings({}, {});
        ASSERT_FALSE(refused) << variable;
        EXPECT_EQ(refused.error().where, variable);
        unsetenv(variable);
    }
}

TEST_F(SettingsTest, AnUnknownKeyOfTheFileIsAnError) {
    const auto settings = load_settings(write("http:\n  prot: 1\n"), {});
    ASSERT_FALSE(settings);
    EXPECT_NE(settings.error().message.find("http.prot"), std::string::npos);
    EXPECT_FALSE(load_settings(write("http: [1\n"), {}));
    EXPECT_FALSE(load_settings(write("http: 1\n"), {}));
}

TEST_F(SettingsTest, AFileThatHoldsNoSettingsIsAnError) {
    for (const auto* text : {"http.port = 7999\n", "- http\n", "7999\n"})
        EXPECT_FALSE(load_settings(write(text), {})) << text;
    EXPECT_TRUE(load_settings(write("# nothing yet\n"), {}));
}

TEST_F(SettingsTest, AnEnvFileIsReadByItsForm) {
    const auto settings = load_settings(
        write("# the guide's\nexport SENTIMENT_BATCH_SIZE=\"20\"\n\nGPU_MEMORY_CLEANUP=0  # "
              "off\nOTHERS=1\n"),
        {});
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_FALSE(settings->devices.clean);
    const auto wrong = load_settings(write("PLIMSOLL_HTTP_PORT=x\n"), {});
    EXPECT_NE(wrong.error().message.find("http.port"), std::string::npos);
}

TEST_F(SettingsTest, WhatIsPrintedCanBeFedBack) {
    const auto settings = load_settings({}, {{"http.port", "7999"}, {"http.host", "::1"}});
    const auto again = load_settings(write(print_settings(*settings)), {});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(print_settings(*again), print_settings(*settings));
}

TEST_F(SettingsTest, WhatWaitsForAnotherSettingIsANote) {
    setenv("FEATURE_ADAPTIVE_SENTIMENT", "0", 1);
    setenv("SENTIMENT_MODEL_OPEN", "distilbert", 1);
    setenv("GPU_MEMORY_CLEANUP", "0", 1);
    setenv("GPU_CLEANUP_INTERVAL_SEC", "300", 1);
    const auto usual = load_settings({}, {});
    ASSERT_TRUE(usual) << usual.error().message;
    EXPECT_EQ(usual->notes.size(), 0U) << "of the defaults";
    setenv("SENTIMENT_MODEL_OPEN", "finbert", 1);
    setenv("GPU_CLEANUP_INTERVAL_SEC", "301", 1);
    const auto settings = load_settings({}, {});
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->notes.size(), 2U);
    EXPECT_FALSE(load_settings({}, {{"sentiment.model_open", "distilbert"}}));
}

TEST_F(SettingsTest, PlainHttpBeyondLoopbackMustBeAllowedExplicitly) {
    EXPECT_FALSE(load_settings({}, {{"http.host", "0.0.0.0"}}));
    EXPECT_EQ(load_settings({}, {{"http.host", "[::1]"}})->http.host, "::1");
    EXPECT_TRUE(load_settings({}, {{"http.host", "0.0.0.0"}, {"http.insecure", "true"}}));
    EXPECT_TRUE(load_settings(
        {}, {{"http.host", "0.0.0.0"}, {"http.tls_certificate", "c"}, {"http.tls_key", "k"}}));
    EXPECT_FALSE(load_settings({}, {{"http.tls_certificate", "c"}}));
}

TEST_F(SettingsTest, MetricsHaveAnAddressOfTheirOwn) {
    EXPECT_EQ(load_settings({}, {})->metrics.listen, "");
    const auto settings = load_settings({}, {{"metrics.listen", "[::1]:9090"}});
    ASSERT_TRUE(settings);
    EXPECT_EQ(parse_host_and_port(settings->metrics.listen), std::pair(std::string("::1"), 9090));
    EXPECT_FALSE(load_settings({}, {{"metrics.listen", "9090"}}));
    EXPECT_FALSE(load_settings({}, {{"metrics.listen", "127.0.0.1:90900"}}));
    EXPECT_FALSE(load_settings({}, {{"metrics.listen", "0.0.0.0:9090"}}));
    EXPECT_TRUE(load_settings({}, {{"metrics.listen", "0.0.0.0:9090"}, {"http.insecure", "true"}}));
}

std::string refusal_of(const std::vector<Assignment>& flags, jobs::Reader reader = jobs::kServer) {
    const auto settings = load_settings({}, flags, reader);
    return settings ? "" : settings.error().message + " (" + settings.error().where + ")";
}

TEST_F(SettingsTest, ASettingWithoutEffectIsRefusedByItsSource) {
    EXPECT_EQ(refusal_of({{"webhooks.ca_file", "ca.pem"}}),
              "webhooks.ca_file has no effect without webhooks.allowed_origins. "
              "(--webhooks.ca_file)");
    setenv("PLIMSOLL_DATABASE_URL", "postgresql://db/x", 1);
    setenv("PLIMSOLL_DATABASE_DATA_DIRECTORY", "/srv", 1);
    for (const auto reader : {jobs::kServer, jobs::kMigrate, jobs::kAdmin, jobs::kDoctor}) {
        EXPECT_EQ(refusal_of({}, reader),
                  "database.data_directory has no effect with database.url. "
                  "(PLIMSOLL_DATABASE_DATA_DIRECTORY)");
    }
    EXPECT_EQ(refusal_of({}, jobs::kWorkers), "");
    EXPECT_EQ(refusal_of({{"database.data_directory", ""}}), "");
}

TEST_F(SettingsTest, AnObjectStoreNeedsAKeyAndOneSecret) {
    std::vector<Assignment> flags = {{"objects.url", "https://s3.example/bucket"}};
    EXPECT_NE(refusal_of(flags), "");
    flags.push_back({"objects.access_key", "id"});
    EXPECT_NE(refusal_of(flags), "");
    flags.push_back({"objects.secret_key_file", "/run/secrets/objects"});
    EXPECT_EQ(refusal_of(flags), "");
    flags.push_back({"objects.secret_key", "x"});
    EXPECT_NE(refusal_of(flags), "");
    EXPECT_NE(refusal_of({{"objects.prefix", "here/"}}), "") << "without a bucket";
    EXPECT_NE(refusal_of({{"objects.url", "s3://bucket"}}), "");
}

TEST_F(SettingsTest, ASettingThatIsOffNeedsNothing) {
    // Off, like what it needs.
    EXPECT_EQ(refusal_of({{"sentiment.uses_models", "0"}, {"sentiment.adaptive", "0"}}), "");
    EXPECT_EQ(refusal_of({{"webhooks.ca_file", ""}}), "");
    // Workers have no other URL.
    EXPECT_EQ(refusal_of({{"database.worker_url", "x"}}, jobs::kWorkers), "");
    EXPECT_NE(refusal_of({{"database.worker_url", "x"}}), "");
}

TEST_F(SettingsTest, SettingsOfWorkersMayBeThoseOfOtherMachinesUnlessTheyAreFlags) {
    setenv("GPU_PROFILING_ENABLED", "1", 1);
    EXPECT_EQ(refusal_of({{"engine.local", "false"}}), "");
    EXPECT_EQ(refusal_of({{"engine.local", "false"}, {"devices.log", "true"}}),
              "devices.log has no effect with engine.local false: only workers read it. "
              "(--devices.log)");
}

TEST_F(SettingsTest, EverySettingHasAReaderAndEveryNeedExists) {
    std::set<std::string_view> keys;
    for (const auto& setting : all_settings()) {
        EXPECT_NE(setting.readers, 0U) << setting.key;
        keys.insert(setting.key);
    }
    for (const auto& kind : jobs::contracts()) {
        for (const auto& setting : kind.settings)
            if (!setting.needs.empty()) EXPECT_TRUE(keys.contains(setting.needs)) << setting.key;
    }
}

TEST_F(SettingsTest, PrintingShowsEveryKeyAndNoSecret) {
    const auto settings = load_settings({}, {{"database.url", "postgresql://user:hunter2@db/x"}});
    ASSERT_TRUE(settings);
    const auto text = print_settings(*settings);
    for (const auto& setting : all_settings())
        EXPECT_NE(text.find(std::string(setting.key) + ": "), std::string::npos) << setting.key;
    EXPECT_EQ(text.find("hunter2"), std::string::npos);
    EXPECT_NE(text.find("# MARKET_OPEN_CYCLE_SEC has no effect: "), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::app
