#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::profile {

inline constexpr std::string_view kExactForm = "fp32";

// A published model that a worker can measure, and in which forms: all that its device computes,
// proven or not.
struct OfferedModel {
    std::string name;
    std::string hash;
    std::uint64_t parameters = 0;
    std::vector<std::string> forms;

    bool operator==(const OfferedModel&) const = default;
};

// What workers say of theirs (Abilities::offer), and what all say together, by name: each name and
// hash once, with the forms of all. Texts as of Knowledge::offers.
std::string offer_of(const std::vector<OfferedModel>& models);
std::vector<OfferedModel> models_of(std::span<const std::string> offers);

// What a worker needs that measures it; Requirement::capability.
std::string capability_of(std::string_view name, std::string_view hash, std::string_view form);

}  // namespace plimsoll::jobs::profile
