#include "server/kinds/training_config/command/place_names.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {
namespace {

struct Flag {
    std::string_view place;
    const char* name;
};
constexpr Flag kFlags[] = {
    {"/gpus", "--gpu"},
    {"/model/preset", "--preset"},
    {"/model/config", "--config"},
    {"/training/sequence_length", "--sequence-length"},
    {"/training/batch", "--batch"},
    {"/training/precision", "--precision"},
    {"/training/optimizer", "--optimizer"},
    {"/training/lora/rank", "--lora"},
    {"/training/lora/modules", "--lora-modules"},
    {"/training/quantization", "--quantization"},
    {"/training/lora/dora", "--dora"},
    {"/training/attention", "--attention"},
    {"/training/packed", "--packed"},
    {"/training/fused_loss", "--fused-loss"},
    {"/training/target_length", "--target-length"},
    {"/training/checkpointing", "--checkpointing"},
    {"/target_effective_batch", "--target-effective-batch"},
    {"/goal", "--goal"},
    {"/safety_margin", "--safety-margin"},
    {"/what_ifs", "--what-ifs"},
};

bool is_inside(std::string_view pointer, std::string_view place) {
    return pointer.starts_with(place) &&
           (pointer.size() == place.size() || pointer[place.size()] == '/');
}

std::string place_of(const std::string& setting) {
    return setting.substr(0, setting.find('='));
}

const Flag* flag_for(std::string_view pointer) {
    // Of adapters that the model cannot have.
    if (pointer == "/training/lora") pointer = "/training/lora/rank";
    const auto* found = std::ranges::find_if(
        kFlags, [&](const Flag& flag) { return is_inside(pointer, flag.place); });
    return found == std::end(kFlags) ? nullptr : found;
}

// "--config (num_heads)": for a pasted config.json its member is named, too; for a list of cards
// the item's number is not.
std::string with_member(const Flag& flag, std::string_view pointer) {
    if (flag.place == "/gpus" || pointer.size() <= flag.place.size()) return flag.name;
    return std::string(flag.name) + " (" + std::string(pointer.substr(flag.place.size() + 1)) + ")";
}

}  // namespace

std::string dotted(std::string_view pointer) {
    std::string place(pointer.substr(pointer.empty() ? 0 : 1));
    std::ranges::replace(place, '/', '.');
    return place;
}

std::string place_name(const std::string& pointer, const EstimateFlags& flags,
                       const CLI::App& command) {
    const auto place = dotted(pointer);
    for (const auto& setting : flags.settings) {
        const auto set = place_of(setting);
        if (place == set || place.starts_with(set + ".")) return "--set " + place;
    }
    const auto* flag = flag_for(pointer);
    if (flag != nullptr && (flags.file.empty() || command.count(flag->name) > 0))
        return with_member(*flag, pointer);
    if (!flags.file.empty()) return place.empty() ? flags.file : flags.file + " (" + place + ")";
    return place.empty() ? "arguments" : "--set " + place;
}

Result<void> check_settings_once(const EstimateFlags& flags, const CLI::App& command) {
    std::set<std::string> places;
    for (const auto& setting : flags.settings) {
        const auto place = place_of(setting);
        if (!places.insert(place).second)
            return fail(Errc::invalid_input, "--set gives " + place + " twice.");
        const auto* flag = std::ranges::find_if(
            kFlags, [&](const Flag& one) { return dotted(one.place) == place; });
        if (flag == std::end(kFlags) || command.count(flag->name) == 0) continue;
        return fail(Errc::invalid_input, std::string(flag->name) + " and --set " + place +
                                             " set the same member: omit one of the two.");
    }
    return {};
}

}  // namespace plimsoll::jobs::training_config
