#pragma once

#include "server/kinds/training_config/contract/request.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {

// What rules about options look at.
struct Given {
    const nlohmann::json& args;
    const ::plimsoll::training::ReportRequest& report;
};

struct Rule {
    bool (*applies)(const Given&) = nullptr;
    const char* text = nullptr;
};

// How an option is read into a request, and read back from it.
struct Field {
    void (*set)(Request& request, const nlohmann::json& value) = nullptr;
    nlohmann::json (*get)(const Request& request) = nullptr;
    bool is_of_step = false;  // a setting of the training step, which reports repeat
};

// An argument of the kind, as openapi.yaml describes it: type, range, default, description, label
// and flag are there. See "Adding an option" in ../README.md.
struct Option {
    std::string_view pointer;  // into the arguments
    Field field = {};          // none: a parser of its own reads it
    // How the head of a report names it, if it is not at its default; {} is the value.
    std::string_view headline = {};
    std::array<Rule, 2> no_effect = {};  // when it changes nothing, and why
    Rule limit = {};                     // what an estimate with it leaves out
};

std::span<const Option> options();

// Whether a place of the arguments is this one, or a part of it.
bool is_inside(std::string_view pointer, std::string_view place);

// The option at this place, or the one whose value it is part of; nullptr if there is none.
const Option* option_at(std::string_view pointer);

// The engine names a setting as the contract does, without the group: "/offload".
std::string pointer_of(std::string_view engine_place);

// The value at a place of the arguments; nullptr if it is omitted.
const nlohmann::json* find(const nlohmann::json& args, std::string_view pointer);

}  // namespace plimsoll::jobs::training_config
