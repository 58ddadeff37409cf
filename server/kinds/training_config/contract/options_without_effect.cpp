#include "server/kinds/training_config/contract/options_without_effect.hpp"

#include "engine/base/json.hpp"
#include "engine/training/advice/diagnosis.hpp"
#include "server/kinds/training_config/contract/options.hpp"

#include <algorithm>
#include <string>

namespace plimsoll::jobs::training_config {
namespace {

// Nothing is requested: the answer is the same, and true.
bool says_off(const json& value) {
    return value == false || value == 0 || value == "none" || value == "ddp" ||
           (value.is_array() && value.empty());
}

bool is_harmless(const Option& option, const json& value) {
    // There, false would be wrong, too.
    if (option.pointer == "/training/padded") return false;
    const bool counts =
        option.pointer.starts_with("/workload/") || option.pointer.starts_with("/cluster/");
    return says_off(value) || (counts && value == 1);
}

// As for the same option of the whole run.
void check_stages(const Given& given, FieldErrors& errors) {
    const auto& rule = option_at("/training/negatives")->no_effect.front();
    if (!rule.applies(given)) return;
    const json stages = given.args.value("stages", json::array());
    for (std::size_t i = 0; i < stages.size(); ++i) {
        for (const char* name : {"positives", "negatives"}) {
            if (stages[i].value(name, 0) == 0) continue;
            errors.push_back({"/stages/" + std::to_string(i) + "/" + name, "no_effect", rule.text});
        }
    }
}

void check_custom_gpus(const json& args, FieldErrors& errors) {
    const auto named = args.find("gpus");
    const auto described = args.find("custom_gpus");
    if (named == args.end() || described == args.end()) return;
    for (std::size_t i = 0; i < described->size(); ++i) {
        const auto id = (*described)[i].value("id", std::string(kCustomGpu));
        const bool used = std::ranges::any_of(
            *named, [&](const json& name) { return name == id || name == "all"; });
        if (used) continue;
        errors.push_back({"/custom_gpus/" + std::to_string(i), "no_effect",
                          "The list of GPUs to estimate lacks \"" + id + "\"."});
    }
}

}  // namespace

FieldErrors options_without_effect(const json& args, const Request& request) {
    FieldErrors errors;
    const Given given{args, request.report};
    for (const auto& option : options()) {
        const auto* value = find(args, option.pointer);
        if (value == nullptr || is_harmless(option, *value)) continue;
        const auto* rule = std::ranges::find_if(option.no_effect, [&](const Rule& one) {
            return one.applies != nullptr && one.applies(given);
        });
        if (rule != option.no_effect.end())
            errors.push_back({std::string(option.pointer), "no_effect", rule->text});
    }
    if (request.observed) {
        for (const auto& unused :
             ::plimsoll::training::unused_observations(*request.observed, true)) {
            errors.push_back(
                {"/observed/" + std::string(unused.member), "no_effect", std::string(unused.why)});
        }
    }
    check_stages(given, errors);
    check_custom_gpus(args, errors);
    return errors;
}

bool is_inside(std::string_view pointer, std::string_view place) {
    return pointer.starts_with(place) &&
           (pointer.size() == place.size() || pointer[place.size()] == '/');
}

std::string pointer_of(std::string_view engine_place) {
    for (const char* group : {"/training", "/cluster"}) {
        auto pointer = std::string(group).append(engine_place);
        const bool is_known = std::ranges::any_of(options(), [&](const Option& option) {
            return is_inside(pointer, option.pointer) || is_inside(option.pointer, pointer);
        });
        if (is_known) return pointer;
    }
    return std::string(engine_place);
}

const json* find(const json& args, std::string_view pointer) {
    const json* value = &args;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const auto name = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(name.size());
        const auto member = value->find(name);
        if (member == value->end()) return nullptr;
        value = &*member;
    }
    return value;
}

}  // namespace plimsoll::jobs::training_config
