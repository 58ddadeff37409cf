#include "server/kinds/training_config/command/given_arguments.hpp"

#include "engine/base/json.hpp"
#include "server/kinds/training_config/command/named_model.hpp"
#include "server/kinds/training_config/contract/options.hpp"
#include "server/terminal/argument_options.hpp"
#include "server/terminal/assignment.hpp"

#include <algorithm>
#include <fstream>
#include <ranges>
#include <set>
#include <sstream>

#include <CLI/CLI.hpp>

namespace plimsoll::jobs::training_config {
namespace {

using http::ArgumentFlag;

auto flags() {
    return http::argument_flags() | std::views::filter([](const ArgumentFlag& flag) {
               return flag.args == "TrainingConfigArgs";
           });
}

std::string place_of(const std::string& setting) { return setting.substr(0, setting.find('=')); }

// "--config (num_heads)": for a config.json its member is named, too; for a list the item's number
// is not.
std::string with_member(const ArgumentFlag& flag, std::string_view pointer) {
    std::string name(flag.name);
    if (flag.is_list || pointer.size() <= flag.pointer.size()) return name;
    return name + " (" + std::string(pointer.substr(flag.pointer.size() + 1)) + ")";
}

// What Transformers, PyTorch and DeepSpeed call the same.
constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {
    {"bfloat16", "bf16"},
    {"float16", "fp16"},
    {"float32", "fp32"},
    {"adamw_torch", "adamw"},
    {"adamw_torch_fused", "adamw"},
    {"adamw_8bit", "adam_8bit"},
    {"adamw_bnb_8bit", "adam_8bit"},
    {"paged_adamw_32bit", "paged_adamw"},
    {"4bit", "nf4"},
    {"8bit", "int8"},
    {"full_shard", "fsdp"},
    {"shard_grad_op", "fsdp_grad_op"},
    {"fa2", "flash_attention_2"},
    {"sft", "supervised"}};

std::string in_our_words(std::string text) {
    const auto* found = std::ranges::find(kOtherWords, text, [](auto& pair) { return pair.first; });
    return found == std::end(kOtherWords) ? text : std::string(found->second);
}

Result<json> value_of(const ArgumentFlag& flag, const std::vector<std::string>& values) {
    if (flag.is_list) return json(values);
    const auto& text = values.front();
    if (flag.type == "object") return read_json(text);
    if (terminal::is_number(flag)) return terminal::number_of(flag.type, text);
    return flag.type == "boolean" ? json(true) : json(text);
}

}  // namespace

std::string dotted(std::string_view pointer) {
    std::string place(pointer.substr(pointer.empty() ? 0 : 1));
    std::ranges::replace(place, '/', '.');
    return place;
}

std::string as_flag(std::string_view pointer, const json& value) {
    const auto text = value.is_string() ? value.get<std::string>() : value.dump();
    for (const auto& flag : flags()) {
        if (flag.pointer != pointer) continue;
        if (flag.type != "boolean") return std::string(flag.name) + " " + text;
        if (value == true) return std::string(flag.name);
    }
    return "--set " + dotted(pointer) + "=" + text;
}

json parse_python_json(std::string text) {
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            quoted = !quoted;
        for (const std::string_view name : {"-Infinity", "Infinity", "NaN"})
            if (!quoted && text.compare(i, name.size(), name) == 0)
                text.replace(i, name.size(), "null");
    }
    return json::parse(text, nullptr, false);
}

Result<json> read_json(const std::string& path) {
    std::ifstream file(path);
    if (!file) return fail(Errc::not_found, "The file cannot be read.", path);
    std::stringstream text;
    text << file.rdbuf();
    auto value = parse_python_json(text.str());
    if (value.is_discarded()) return fail(Errc::invalid_input, "The file is not JSON.", path);
    if (!value.is_object())
        return fail(Errc::invalid_input, "The file must hold a JSON object.", path);
    return value;
}

void GivenArguments::add_flags(CLI::App& command) {
    for (const auto& flag : flags()) {
        const std::string name(flag.name), help(flag.help);
        if (flag.type == "boolean") {
            command.add_flag_callback(name, [this, &flag] { give(flag.name, {"true"}); }, help);
            continue;
        }
        auto* option = command.add_option_function<std::vector<std::string>>(
            name, [this, &flag](const auto& values) { give(flag.name, values); }, help);
        terminal::restrict_to_flag(*option, flag);
        if (!flag.words.empty())  // which the help lists then
            option->transform(in_our_words)
                ->check(CLI::IsMember(CLI::detail::split(std::string(flag.words), ',')));
    }
    command.get_option("--config")->excludes("--preset");
    command
        .add_option_function<std::string>(
            "--model", [this](const std::string& name) { give("--model", {name}); },
            "Model by a preset, a folder, a config.json, a .safetensors, a .gguf, or OWNER/NAME: "
            "from the local Hugging "
            "Face cache, else config.json from the hub (PLIMSOLL_HUB, HF_ENDPOINT, HF_TOKEN)")
        ->excludes("--preset")
        ->excludes("--config");
    add_known_names(command);
}

void GivenArguments::add_known_names(CLI::App& command) {
    struct Given {
        std::string_view flag;
        std::string value;  // the star stands for what is given; empty: nothing is
    };
    std::map<std::string, std::vector<Given>> known;
    for (const auto& flag : flags())
        for (const auto& word : CLI::detail::split(std::string(flag.known_as), ',')) {
            if (word.empty()) continue;
            const auto sign = std::min(word.find('='), word.size());
            const std::string usual = flag.type == "boolean" ? "" : "*";
            known[word.substr(0, sign)].push_back(
                {flag.name, sign == word.size() ? usual : word.substr(sign + 1)});
        }
    for (const auto& [name, meanings] : known) {
        const auto give_each = [this, name, meanings](const std::string& text) {
            for (auto [flag, value] : meanings) {
                if (has(flag))
                    throw CLI::ValidationError(name, std::string(flag) + " is given, too");
                if (const auto star = value.find('*'); star != value.npos)
                    value.replace(star, 1, in_our_words(text));
                give(flag, {value.empty() ? "true" : value});
            }
        };
        const bool takes_value = std::ranges::any_of(meanings, [](const Given& given) {
            return given.value.find('*') != std::string::npos;
        });
        auto* option = takes_value
                           ? command.add_option_function<std::string>(name, give_each)
                           : command.add_flag_callback(name, [give_each] { give_each(""); });
        option->group(terminal::kOtherNames);
    }
}

void GivenArguments::add_set(CLI::App& command) {
    command.add_option("--set", settings_,
                       "Set any other argument by its path: workload.epochs=5; repeatable");
}

void GivenArguments::give(std::string_view flag, std::vector<std::string> values) {
    values_[flag] = std::move(values);
}

Result<void> GivenArguments::give_all(const json& given) {
    auto known = flags();
    for (const auto& [name, texts] : given.items()) {
        auto values = texts.get<std::vector<std::string>>();
        if (values.empty()) continue;
        const auto flag = std::ranges::find(known, name, &ArgumentFlag::name);
        if (flag != known.end())
            give(flag->name, std::move(values));
        else if (name == "--model")
            give("--model", std::move(values));
        else if (name == "--set")
            settings_ = std::move(values);
        else
            return fail(Errc::invalid_input, name + " is unknown.");
    }
    return {};
}

std::string GivenArguments::value(std::string_view flag) const {
    const auto found = values_.find(flag);
    return found == values_.end() ? std::string() : found->second.front();
}

std::string GivenArguments::other_than(std::initializer_list<std::string_view> flags) const {
    const auto found = std::ranges::find_if(values_, [&](const auto& given) {
        return std::ranges::find(flags, given.first) == flags.end();
    });
    if (found != values_.end()) return std::string(found->first);
    return settings_.empty() ? std::string() : std::string("--set");
}

Result<json> GivenArguments::on_top_of(json args) const {
    TRY_DO(check_settings_once());
    // A model that is given replaces the file's.
    if (has("--preset") || has("--config")) args["model"] = json::object();
    if (has("--model")) {
        auto model = named_model(value("--model"), true);
        if (!model) return model;
        args["model"] = std::move(*model);
    }
    for (const auto& flag : flags()) {
        const auto given = values_.find(flag.name);
        if (given == values_.end()) continue;
        TRY(auto value, value_of(flag, given->second));
        try {
            args[json::json_pointer(std::string(flag.pointer))] = std::move(value);
        } catch (const json::exception&) {
            return fail(Errc::invalid_input, std::string(flag.name) +
                                                 ": the file has no object at " +
                                                 dotted(flag.pointer) + ".");
        }
    }
    for (const auto& setting : settings_) TRY_DO(terminal::assign(args, setting));
    return args;
}

// The flag that takes the value there, or a part of it.
const ArgumentFlag* GivenArguments::flag_at(std::string_view pointer) const {
    for (const auto& flag : flags())
        if (is_inside(pointer, flag.pointer)) return &flag;
    for (const auto& flag : flags())
        if (is_inside(flag.pointer, pointer) && has(flag.name)) return &flag;
    return nullptr;
}

std::string GivenArguments::source_of(std::string_view pointer, const std::string& file) const {
    const auto place = dotted(pointer);
    for (const auto& setting : settings_) {
        const auto set = place_of(setting);
        if (place == set || place.starts_with(set + ".")) return "--set " + place;
    }
    if (has("--model") && is_inside(pointer, "/model")) return "--model " + value("--model");
    const auto* flag = flag_at(pointer);
    if (flag != nullptr && (file.empty() || has(flag->name))) return with_member(*flag, pointer);
    if (!file.empty()) return place.empty() ? file : file + " (" + place + ")";
    return place.empty() ? "arguments" : "--set " + place;
}

Error GivenArguments::in_sources(const FieldErrors& errors, const std::string& file) const {
    std::string message;
    for (const auto& error : errors) {
        message +=
            (message.empty() ? "" : "\n  ") + source_of(error.pointer, file) + ": " + error.message;
        if (error.pointer == "/model/preset")
            message += " Any model of the Hugging Face hub: --model OWNER/NAME.";
    }
    return {Errc::invalid_input, message, {}};
}

Result<void> GivenArguments::check_settings_once() const {
    std::set<std::string> places;
    for (const auto& setting : settings_) {
        const auto place = place_of(setting);
        if (!places.insert(place).second)
            return fail(Errc::invalid_input, "--set gives " + place + " twice.");
        for (const auto& flag : flags()) {
            if (dotted(flag.pointer) != place || !has(flag.name)) continue;
            return fail(Errc::invalid_input, std::string(flag.name) + " and --set " + place +
                                                 " set the same member: omit one of the two.");
        }
    }
    return {};
}

}  // namespace plimsoll::jobs::training_config
