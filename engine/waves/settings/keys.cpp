#include "engine/waves/settings/keys.hpp"

#include "engine/base/closest.hpp"
#include "engine/waves/search/pattern.hpp"
#include "engine/waves/settings/scope.hpp"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace plimsoll::waves {
namespace {

using nlohmann::json;
using Set = Result<void> (*)(Settings&, const json&);

struct Entry {
    Key key;
    Set set;
};

tl::unexpected<Error> wrong(std::string message) {
    return fail(Errc::invalid_input, std::move(message));
}

template <auto Member, long Least, long Most>
Result<void> integer(Settings& settings, const json& value) {
    if (!value.is_number_integer() || value.get<double>() < Least || value.get<double>() > Most)
        return wrong("must be an integer from " + std::to_string(Least) + " to " +
                     std::to_string(Most) + ".");
    if constexpr (!std::is_same_v<decltype(Member), std::nullptr_t>)
        settings.*Member = value.get<std::remove_reference_t<decltype(settings.*Member)>>();
    return {};
}

// A number from Least / 100 to Most / 100.
template <auto Member, long Least, long Most>
Result<void> number(Settings& settings, const json& value) {
    if (!value.is_number() || !(value.get<double>() * 100 >= Least) ||
        !(value.get<double>() * 100 <= Most))
        return wrong("must be a number from " + json(Least / 100.0).dump() + " to " +
                     json(Most / 100.0).dump() + ".");
    if constexpr (!std::is_same_v<decltype(Member), std::nullptr_t>)
        settings.*Member = value.get<double>();
    return {};
}

template <auto Member>
Result<void> boolean(Settings& settings, const json& value) {
    if (!value.is_boolean()) return wrong("must be true or false.");
    if constexpr (!std::is_same_v<decltype(Member), std::nullptr_t>)
        settings.*Member = value.get<bool>();
    return {};
}

Result<std::string> choice(const json& value, std::initializer_list<const char*> choices) {
    std::string all;
    for (const char* name : choices) {
        if (value == name) return std::string(name);
        all += (all.empty() ? "" : ", ") + std::string(name);
    }
    return wrong("must be one of " + all + ".");
}

Result<void> set_mode(Settings& settings, const json& value) {
    const auto mode = choice(value, {"standard", "compatible"});
    if (!mode) return fail(mode.error());
    settings.mode = *mode == "standard" ? Mode::standard : Mode::compatible;
    settings.weights = *mode == "standard" ? Weights::standard() : Weights::compatible();
    return {};
}

Result<void> set_windows(Settings& settings, const json& value) {
    const auto it = choice(value, {"whole", "weeks"});
    if (!it) return fail(it.error());
    settings.windowed = *it == "weeks";
    return {};
}

Result<void> set_starts(Settings& settings, const json& value) {
    const auto it = choice(value, {"every", "points"});
    if (!it) return fail(it.error());
    settings.every_bar = *it == "every";
    return {};
}

Result<void> set_start_bars(Settings& settings, const json& value) {
    std::vector<int> bars;
    if (!value.is_array()) return wrong("must be a list of bar indices.");
    for (const json& bar : value) {
        if (!bar.is_number_integer() || std::abs(bar.get<double>()) > 100'000'000)
            return wrong("must be a list of bar indices.");
        bars.push_back(bar.get<int>());
    }
    settings.start_bars = std::move(bars);
    return {};
}

Result<void> set_directions(Settings& settings, const json& value) {
    const auto it = choice(value, {"both", "up", "down"});
    if (!it) return fail(it.error());
    settings.rising = *it != "down";
    settings.falling = *it != "up";
    return {};
}

constexpr std::uint32_t bit(Shape shape) {
    return 1u << static_cast<unsigned>(shape);
}

// "all", "impulses", "correctives", or a list of shapes.
Result<void> set_patterns(Settings& settings, const json& value) {
    constexpr std::uint32_t kMotive = bit(Shape::impulse) | bit(Shape::leading_diagonal);
    std::uint32_t shapes = 0;
    for (const json& name : value.is_array() ? value : json::array({value})) {
        std::uint32_t found = 0;
        if (name == "all") found = ~0u;
        if (name == "impulses") found = kMotive;
        if (name == "correctives") found = ~kMotive;
        if (name == "flat")
            found = bit(Shape::flat_regular) | bit(Shape::flat_expanded) | bit(Shape::flat_running);
        for (int i = 0; i < kShapes; ++i)
            if (name == std::string(to_string(static_cast<Shape>(i)))) found = 1u << i;
        if (found == 0)
            return wrong(
                "must be all, impulses, correctives, or a list of impulse, "
                "leading_diagonal, corrective, zigzag, flat, flat_regular, flat_expanded "
                "and flat_running.");
        shapes |= found;
    }
    if (shapes == 0) return wrong("must name at least one pattern.");
    settings.shapes = shapes;
    return {};
}

Result<void> set_pre_score_weights(Settings& settings, const json& value) {
    std::array<double, 4> weights{};
    bool good = value.is_array() && value.size() == weights.size();
    for (std::size_t i = 0; good && i < weights.size(); ++i) {
        good = value[i].is_number() && value[i].get<double>() >= 0 && value[i].get<double>() <= 1;
        if (good) weights[i] = value[i].get<double>();
    }
    if (!good) return wrong("must be four numbers from 0 to 1: volatility, range, extrema, slope.");
    settings.pre_score_weights = weights;
    return {};
}

Result<void> set_weights(Settings& settings, const json& value) {
    if (!value.is_object()) return wrong("must be an object of parts and their weights.");
    Weights weights = settings.weights;
    for (const auto& [name, weight] : value.items()) {
        std::size_t part = 0;
        while (part < kParts && name != to_string(static_cast<Part>(part))) ++part;
        if (part == kParts)
            return wrong(
                "accepts fibonacci, time, alternation, channel, margins, rules and complexity, not "
                "\"" +
                name + "\".");
        if (!weight.is_number() || weight.get<double>() < 0 || weight.get<double>() > 1)
            return wrong("must give each part a number from 0 to 1.");
        weights.value[part] = weight.get<double>();
    }
    // The parts that every count of the mode has need a total weight above 0.
    if (weights[Part::fibonacci] + weights[Part::time] <= 0)
        return wrong("must set fibonacci or time above 0.");
    settings.weights = weights;
    return {};
}

Result<void> set_method(Settings& settings, const json& value) {
    const auto it = choice(value, {"shuffle", "block_bootstrap", "random_walk"});
    if (!it) return fail(it.error());
    settings.method = *it == "shuffle"           ? SurrogateMethod::shuffle
                      : *it == "block_bootstrap" ? SurrogateMethod::block_bootstrap
                                                 : SurrogateMethod::random_walk;
    return {};
}

Result<void> set_out_dir(Settings& settings, const json& value) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
        return wrong("must be the name of a folder.");
    settings.out_dir = value.get<std::string>();
    return {};
}

Result<void> set_use_gpu(Settings& settings, const json& value) {
    if (!value.is_boolean() && value != "auto") return wrong("must be auto, true or false.");
    settings.use_gpu = value == "auto" ? UseGpu::automatic
                       : value == true ? UseGpu::always
                                       : UseGpu::never;
    return {};
}

Result<void> check_stages(Settings&, const json& value) {
    if (!value.is_array()) return wrong("must be a list of stages.");
    for (const json& stage : value)
        if (const auto it =
                choice(stage, {"fibonacci_scoring", "rule_checking", "ensemble_scoring"});
            !it)
            return wrong(
                "must be a list of fibonacci_scoring, rule_checking and "
                "ensemble_scoring.");
    return {};
}

constexpr std::string_view kExhaustive = "The search tries every candidate; there are no batches.";
constexpr std::string_view kNoFetching = "Prices come from files; nothing is fetched.";
constexpr std::string_view kOneProcess =
    "One process searches with threads, which share the prices; see processes.";
constexpr std::string_view kAllStages =
    "A device runs all stages of a search: rules, scores and ranking.";

using S = Settings;
constexpr auto kUnused = nullptr;

const std::vector<Entry>& entries() {
    static const std::vector<Entry> kEntries = {
        {{"mode", "standard or compatible", "rules and scores; resets the weights", ""}, set_mode},
        {{"windows", "whole or weeks",
          "the whole series, or windows of max_weeks, implied by other window keys", ""},
         set_windows},
        {{"starts", "every or points",
          "start from every bar, or from selected points of each window, implied by "
          "max_start_points and enable_multi_start",
          ""},
         set_starts},
        {{"start_bars", "list of bar indices",
          "start from these bars only (whole series); -1 is the last", ""},
         set_start_bars},
        {{"directions", "both, up or down", "direction of the patterns", ""}, set_directions},
        {{"days", "integer 0 to 100000", "number of most recent days to search; 0: all", ""},
         integer<&S::days, 0, 100'000>},
        {{"bars_per_week", "number 0 to 100000",
          "bars per week; 0: from the dates (compatible mode: 7)", ""},
         number<&S::bars_per_week, 0, 10'000'000>},
        {{"min_weeks", "integer 1 to 5200", "shortest window", ""},
         integer<&S::min_weeks, 1, 5200>},
        {{"max_weeks", "integer 1 to 5200", "window", ""}, integer<&S::max_weeks, 1, 5200>},
        {{"slide_weeks", "integer 1 to 5200", "step from one window to the next, in weeks", ""},
         integer<&S::slide_weeks, 1, 5200>},
        {{"grow_weeks", "integer 1 to 5200", "growth of windows",
          "Every window has max_weeks; shorter counts are found inside it."},
         integer<kUnused, 1, 5200>},
        {{"window_overlap_ratio", "number 0 to 0.99",
          "overlap of windows: shortens the step by this fraction", ""},
         number<&S::window_overlap, 0, 99>},
        {{"max_windows", "integer 0 to 10000000", "maximum windows per series; 0: all", ""},
         integer<&S::max_windows, 0, 10'000'000>},
        {{"enable_multi_start", "true or false",
          "use several starts per window, else its lowest low", ""},
         boolean<&S::multi_start>},
        {{"max_start_points", "integer 1 to 100000", "maximum starts per window", ""},
         integer<&S::max_start_points, 1, 100'000>},
        {{"skip_flat_windows", "true or false", "skip windows with a range under 1 %", ""},
         boolean<&S::skip_flat_windows>},
        {{"min_volatility", "number 0 to 10", "skip windows whose log returns vary less than this",
          ""},
         number<&S::min_volatility, 0, 1000>},
        {{"pre_score_top_k", "integer 0 to 100000000",
          "search only this many of the best starts; 0: all", ""},
         integer<&S::pre_score_top_k, 0, 100'000'000>},
        {{"pre_score_threshold", "number 0 to 1", "search only starts with at least this pre-score",
          ""},
         number<&S::pre_score_threshold, 0, 100>},
        {{"pre_score_weights", "four numbers 0 to 1",
          "weights of the pre-score: volatility, range, extrema, slope", ""},
         set_pre_score_weights},
        {{"up_to", "integer 0 to 100000", "one more than the swings that a wave may skip; 0: any",
          ""},
         integer<&S::up_to, 0, 100'000>},
        {{"max_combinations", "integer 0 to 10^12",
          "maximum nodes per window, checked after each start; 0: all", ""},
         integer<&S::max_combinations, 0, 1'000'000'000'000>},
        {{"scan_pattern_types", "all, impulses, correctives or a list of patterns",
          "patterns to search for", ""},
         set_patterns},
        {{"weights", "object of part and number 0 to 1",
          "weights of the score's parts; custom weights rank counts by score", ""},
         set_weights},
        {{"top_n", "integer 0 to 100000", "counts per symbol; 0: every valid one", ""},
         integer<&S::top_n, 0, 100'000>},
        {{"max_overlap", "number 0 to 1", "maximum overlap of two counts in the ranking", ""},
         number<&S::max_overlap, 0, 100>},
        {{"alternates", "integer 0 to 100", "maximum alternates per count", ""},
         integer<&S::alternates, 0, 100>},
        {{"surrogates", "integer 0 to 1000000", "chance series per symbol; 0: none", ""},
         integer<&S::surrogates, 0, 1'000'000>},
        {{"surrogate_method", "shuffle, block_bootstrap or random_walk",
          "how chance series are generated", ""},
         set_method},
        {{"block_bars", "integer 0 to 100000", "block length; 0: cube root of the number of bars",
          ""},
         integer<&S::block_bars, 0, 100'000>},
        {{"seed", "integer 0 to 2^53", "seed of the chance series", ""},
         integer<&S::seed, 0, 9'007'199'254'740'992>},
        {{"processes", "integer 0 to 1024", "threads; 0: all hardware threads", ""},
         integer<&S::threads, 0, 1024>},
        {{"use_gpu", "auto, true or false",
          "search on an OpenCL device; auto: if it is predicted to be faster", ""},
         set_use_gpu},
        {{"profile", "true or false",
          "report the time taken, and write it to profile_waves.txt in out_dir", ""},
         boolean<&S::profile>},
        {{"save_images", "true or false", "write charts of the best counts to out_dir", ""},
         boolean<&S::save_images>},
        {{"save_images_top_n", "integer 1 to 1000", "charts per symbol", ""},
         integer<&S::save_images_top_n, 1, 1000>},
        {{"out_dir", "folder", "folder for charts and the profile", ""}, set_out_dir},

        {{"concurrency", "integer 1 to 1024", "concurrent work", kOneProcess},
         integer<kUnused, 1, 1024>},
        {{"ticker_workers", "integer 1 to 1024", "workers for symbols", kOneProcess},
         integer<kUnused, 1, 1024>},
        {{"use_shared_memory", "true or false", "share prices between processes", kOneProcess},
         boolean<kUnused>},
        {{"chunk_size", "integer 0 to 100000000", "windows per task",
          "A symbol is searched as a whole; its length determines the size of its task."},
         integer<kUnused, 0, 100'000'000>},
        {{"delay", "number 0 to 3600", "pause between downloads", kNoFetching},
         number<kUnused, 0, 360'000>},
        {{"cpu_batch_size", "integer 1 to 100000000", "candidates per batch", kExhaustive},
         integer<kUnused, 1, 100'000'000>},
        {{"cpu_top_k", "integer 1 to 100000000", "candidates kept per batch", kExhaustive},
         integer<kUnused, 1, 100'000'000>},
        {{"gpu_batch_size", "integer 1 to 100000000", "candidates per GPU batch", kExhaustive},
         integer<kUnused, 1, 100'000'000>},
        {{"max_seconds_per_scan", "number 0 to 86400", "time limit",
          "Results must not depend on the speed of a machine; see max_combinations."},
         number<kUnused, 0, 8'640'000>},
        {{"gpu_enabled_stages", "list of stages", "stages on the GPU", kAllStages}, check_stages},
    };
    return kEntries;
}

Error no_setting(const std::string& name) {
    std::vector<std::string> known;
    for (const Entry& entry : entries()) known.emplace_back(entry.key.name);
    return {Errc::invalid_input,
            "There is no setting \"" + name + "\"." + did_you_mean(name, known), "/" + name};
}

}  // namespace

std::span<const Key> all_keys() {
    static const std::vector<Key> kKeys = [] {
        std::vector<Key> keys;
        for (const Entry& entry : entries()) keys.push_back(entry.key);
        return keys;
    }();
    return kKeys;
}

Result<std::vector<KeyNote>> apply_settings(const json& object, Settings& settings) {
    if (!object.is_object())
        return fail(Errc::invalid_input, "The settings are not a JSON object.");
    std::vector<KeyNote> notes;
    Settings changed = settings;
    // The mode resets the weights: it goes first whatever the order of the members.
    for (const bool mode : {true, false}) {
        for (const auto& [name, value] : object.items()) {
            if ((name == "mode") != mode) continue;
            const Entry* found = nullptr;
            for (const Entry& entry : entries())
                if (entry.key.name == name) found = &entry;
            if (found == nullptr) return fail(no_setting(name));
            if (const auto set = found->set(changed, value); !set)
                return fail(set.error().code, "The setting \"" + name + "\" " + set.error().message,
                            "/" + name);
            if (!found->key.no_effect.empty())
                notes.push_back({name, std::string(found->key.no_effect)});
        }
    }
    if (changed.min_weeks > changed.max_weeks)
        return fail(Errc::invalid_input,
                    "The setting \"min_weeks\" must not be above \"max_weeks\".", "/min_weeks");
    imply_scope(object, changed);
    for (KeyNote& note : keys_without_scope(object, changed)) notes.push_back(std::move(note));
    settings = std::move(changed);
    return notes;
}

Result<json> read_assignments(std::span<const std::string> assignments) {
    json object = json::object();
    for (const std::string& assignment : assignments) {
        const auto equals = assignment.find('=');
        if (equals == 0 || equals == std::string::npos)
            return fail(Errc::invalid_input,
                        "A setting must be key=value, not \"" + assignment + "\".");
        const std::string text = assignment.substr(equals + 1);
        json value = json::parse(text, nullptr, false);
        const std::string key = assignment.substr(0, equals);
        if (object.contains(key))
            return fail(Errc::invalid_input, "The setting " + key + " is given twice.");
        object[key] = value.is_discarded() ? json(text) : std::move(value);
    }
    return object;
}

}  // namespace plimsoll::waves
