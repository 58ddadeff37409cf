#pragma once

#include "server/jobs/kind.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::profile {

inline constexpr std::string_view kName = "profile";
inline constexpr int kVersion = 1;

inline constexpr std::string_view kVader = "vader";

struct Request {
    bool engine = false;     // the device itself
    bool sentiment = false;  // a sentiment model on it
    std::string mode;
    std::string sentiment_model;
    std::string device_class;  // empty: whichever suits the mode
    std::int64_t largest_batch = 4096;
    std::optional<double> latency_ms;
    std::optional<double> memory_mb;  // 1e6 bytes
};

// From arguments that passed the kind's schema.
tl::expected<Request, FieldErrors> parse_request(const nlohmann::json& args);

// What is measured, one item each, in order: "engine/peak", "sentiment/short".
std::vector<std::string> parts_of(const Request& request);

}  // namespace plimsoll::jobs::profile
