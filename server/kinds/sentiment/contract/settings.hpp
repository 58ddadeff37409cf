#pragma once

#include "server/jobs/records/model_requirement.hpp"
#include "server/jobs/settings.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

inline constexpr int kMaxTexts = 1024;  // of a batch

// For KindSetting::check.
Result<std::string> check_batch_size(std::string_view value);
Result<std::string> check_model_name(std::string_view value);
Result<std::string> check_hub(std::string_view value);
Result<std::string> check_switch(std::string_view value);
Result<std::string> check_market_status(std::string_view value);
Result<std::string> check_warm_up_hours(std::string_view value);

inline constexpr KindSetting kBatchSize{
    .key = "sentiment.batch_size",
    .variable = "SENTIMENT_BATCH_SIZE",
    .unit = "0..1024, texts",
    .help =
        "Largest batch of texts on a device; 0: as many as the device computes in a quarter of a "
        "second. Scores do not depend on the batch size",
    .default_value = "0",
    .check = check_batch_size,
    .readers = kWorkers};

// The model of jobs that name neither a model nor a policy.
inline constexpr KindSetting kModelName{
    .key = "sentiment.model",
    .variable = "SENTIMENT_MODEL_NAME",
    .unit = "name",
    .help = "Default model of jobs, if a worker has it; else vader",
    .default_value = "finbert",
    .check = check_model_name};
inline constexpr KindSetting kUsesModels{.key = "sentiment.uses_models",
                                         .variable = "FEATURE_ML_SENTIMENT",
                                         .unit = "0 or 1",
                                         .help = "0: jobs without a model use vader",
                                         .default_value = "1",
                                         .check = check_switch,
                                         .readers = kServer | kWorkers};
inline constexpr KindSetting kAdaptive{
    .key = "sentiment.adaptive",
    .variable = "FEATURE_ADAPTIVE_SENTIMENT",
    .unit = "0 or 1",
    .help =
        "1: jobs without a model use the policy `server`: sentiment.model_open before, during and "
        "after NYSE trading, else sentiment.model_closed",
    .default_value = "0",
    .check = check_switch,
    .readers = kServer | kWorkers,
    .needs = "sentiment.uses_models"};
inline constexpr KindSetting kModelOpen{
    .key = "sentiment.model_open",
    .variable = "SENTIMENT_MODEL_OPEN",
    .unit = "name",
    .help = "Model of the policy `server` before, during and after trading",
    .default_value = "distilbert",
    .check = check_model_name,
    .readers = kServer | kWorkers,
    .needs = "sentiment.adaptive"};
inline constexpr KindSetting kModelClosed{
    .key = "sentiment.model_closed",
    .variable = "SENTIMENT_MODEL_CLOSED",
    .unit = "name",
    .help = "Model of the policy `server` while the market is closed",
    .default_value = "vader",
    .check = check_model_name,
    .readers = kServer | kWorkers,
    .needs = "sentiment.adaptive"};
inline constexpr KindSetting kMarketStatus{
    .key = "sentiment.market_status",
    .variable = "MARKET_STATUS_OVERRIDE",
    .unit = "open, closed, extended, pre_market, regular or after_hours",
    .help = "Market state that the policy `server` assumes; empty: from the calendar",
    .default_value = "",
    .check = check_market_status,
    .readers = kServer | kWorkers,
    .needs = "sentiment.adaptive"};

inline constexpr int kMaxWarmUpHours = 24;
inline constexpr KindSetting kWarmUpHours{
    .key = "sentiment.warm_up_hours",
    .variable = "PREOPEN_WARMUP_HOURS",
    .unit = "0..24, hours",
    .help =
        "How early an idle device loads the model that a policy will switch to, before a text "
        "needs it; 0: the first text after the switch waits for the model",
    .default_value = "2",
    .check = check_warm_up_hours,
    .readers = kWorkers};

// Where models are pulled from; the token for it, HF_TOKEN, is never stored.
inline constexpr KindSetting kHub{
    .key = "models.hub",
    .variable = "PLIMSOLL_HUB",
    .unit = "https://host",
    .help = "Hub that models are pulled from; empty: HF_ENDPOINT, else https://huggingface.co",
    .default_value = "",
    .check = check_hub};
inline constexpr KindSetting kHubHosts{
    .key = "models.hub_hosts",
    .variable = "PLIMSOLL_HUB_HOSTS",
    .unit = "host, …",
    .help =
        "Other hosts that the hub may redirect to, with their subdomains, over https; empty: "
        "huggingface.co and hf.co",
    .default_value = "",
    .check = any_text};

inline constexpr std::array kSettings = {kModelsFolder, kBatchSize, kModelName,   kUsesModels,
                                         kAdaptive,     kModelOpen, kModelClosed, kMarketStatus,
                                         kWarmUpHours,  kHub,       kHubHosts};

inline constexpr std::string_view kSchedulesDecide =
    "nothing is fetched periodically; schedule jobs with `plimsoll schedules add`";
inline constexpr std::string_view kNoSuchPart =
    "there is no such component: policies choose models, and schedules are paused by hand";
inline constexpr std::array kUnusedVariables = {
    UnusedVariable{"MARKET_OPEN_CYCLE_SEC", kSchedulesDecide},
    UnusedVariable{"EXTENDED_HOURS_CYCLE_SEC", kSchedulesDecide},
    UnusedVariable{"MARKET_CLOSED_CYCLE_SEC", kSchedulesDecide},
    UnusedVariable{"CLOSED_DISABLE_LLM", kNoSuchPart},
    UnusedVariable{"CLOSED_DISABLE_CHARTS", kNoSuchPart},
    UnusedVariable{"CLOSED_DISABLE_BREAKOUT", kNoSuchPart},
};

// The values were checked.
std::size_t max_texts(const KindSettings& settings);
std::chrono::seconds warm_up_time(const KindSettings& settings);

// The model of jobs that name neither a model nor a policy, unless they follow the policy `server`.
std::string default_model(const KindSettings& settings);

// Whether jobs that name neither follow the policy `server`.
bool follows_server_policy(const KindSettings& settings);

// The policy `server` as a SentimentPolicyUpdate, from the settings.
nlohmann::json server_policy(const KindSettings& settings);

// The keys of the settings by which jobs use the model.
std::vector<std::string> settings_that_name(const KindSettings& settings, std::string_view model);

}  // namespace plimsoll::jobs::sentiment
