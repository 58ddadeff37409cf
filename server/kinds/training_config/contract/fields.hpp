#pragma once

#include "server/kinds/training_config/contract/options.hpp"
#include "server/kinds/training_config/contract/words.hpp"

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

// Where an option lands in a request: a path of members, and how its value is read.
namespace plimsoll::jobs::training_config::fields {

// The member at the end of a path of members.
template <auto First, auto... Rest, class Root>
auto& member(Root& root) {
    if constexpr (sizeof...(Rest) == 0)
        return root.*First;
    else
        return member<Rest...>(root.*First);
}

template <class Value>
void read(const nlohmann::json& from, Value& value) {
    from.get_to(value);
}
template <class Value>
void read(const nlohmann::json& from, std::optional<Value>& value) {
    value = from.get<Value>();
}
template <class Value>
nlohmann::json written(const Value& value) {
    return value;
}
template <class Value>
nlohmann::json written(const std::optional<Value>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

template <auto... Path>
constexpr Field report = {
    [](Request& request, const nlohmann::json& value) {
        read(value, member<Path...>(request.report));
    },
    [](const Request& request) { return written(member<Path...>(request.report)); }};

constexpr Field of_step(Field field) {
    field.is_of_step = true;
    return field;
}

template <auto... Path>
constexpr Field setting = of_step(report<&tr::ReportRequest::settings, Path...>);

template <auto Member>
constexpr Field beside = report<&tr::ReportRequest::settings, &tr::TrainingSettings::vllm, Member>;

template <const auto& words, auto... Path>
constexpr Field report_word = {
    [](Request& request, const nlohmann::json& value) {
        auto& field = member<Path...>(request.report);
        field = value_of(words, value.get<std::string>()).value_or(field);
    },
    [](const Request& request) {
        return nlohmann::json(text_of(words, member<Path...>(request.report)));
    }};

template <const auto& words, auto... Path>
constexpr Field setting_word = of_step(report_word<words, &tr::ReportRequest::settings, Path...>);

// Bytes, which the arguments count in larger units.
template <double unit, auto... Path>
constexpr Field report_bytes = {
    [](Request& request, const nlohmann::json& value) {
        member<Path...>(request.report) = static_cast<std::int64_t>(value.get<double>() * unit);
    },
    [](const Request& request) {
        return nlohmann::json(static_cast<double>(member<Path...>(request.report)) / unit);
    }};

template <auto Member>
constexpr Field observed = {
    [](Request& request, const nlohmann::json& value) { read(value, (*request.observed).*Member); },
    [](const Request& request) {
        return request.observed ? written((*request.observed).*Member) : nlohmann::json();
    }};

inline constexpr Field kPrecision = of_step(
    {[](Request& request, const nlohmann::json& value) {
         auto& r = request.report;
         r.adapts_precision = value == "auto";
         r.settings.precision =
             value_of(kPrecisions, value.get<std::string>()).value_or(tr::Precision::bf16_autocast);
     },
     [](const Request& request) {
         const auto& r = request.report;
         return nlohmann::json(r.adapts_precision ? "auto"
                                                  : text_of(kPrecisions, r.settings.precision));
     }});

inline constexpr Field kLoraModules = {
    [](Request& request, const nlohmann::json& value) {
        auto& lora = request.report.settings.lora;
        lora.targets = tr::Lora::Targets::modules;
        value.get_to(lora.modules);
        if (lora.modules != std::vector<std::string>{"all-linear"}) return;
        lora.targets = tr::Lora::Targets::all_linear;
        lora.modules.clear();
    },
    nullptr};

}  // namespace plimsoll::jobs::training_config::fields
