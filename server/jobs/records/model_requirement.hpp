#pragma once

#include "server/jobs/kind.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

// Published models as tasks need them from their worker, for all kinds that use them.
namespace plimsoll::jobs {

inline constexpr std::string_view kExactForm = "fp32";

// A hash as capabilities name it.
std::string_view shown_hash(std::string_view hash);

// The model of a capability: "model finbert 0123456789ab bf16", or "measure …" for a measurement of
// it. None: it is another ability.
std::optional<Lack::Model> model_of_capability(std::string_view capability);

// For Contract::explain_lack.
std::optional<Lack> explain_missing_models(std::span<const std::string> missing,
                                           std::span<const std::string> instead);

}  // namespace plimsoll::jobs
