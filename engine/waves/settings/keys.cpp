#include "engine/waves/settings/keys.hpp"

#include "engine/base/closest.hpp"
#include "engine/base/json.hpp"
#include "engine/waves/search/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::waves {
namespace {

using Names = std::vector<std::string_view>;

struct Entry {
    Key key;
    std::function<Result<void>(Settings&, const json&)> set;
};

tl::unexpected<Error> wrong(std::string message) {
    return fail(Errc::invalid_input, std::move(message));
}

bool is(const json& value, std::string_view text) {
    return value.is_string() && value.get_ref<const std::string&>() == text;
}

// The settings of keys that are accepted without effect have no member.
constexpr auto kUnused = nullptr;

template <auto Member>
void put(Settings& settings, const json& value) {
    if constexpr (!std::is_same_v<decltype(Member), std::nullptr_t>) value.get_to(settings.*Member);
}

template <auto Member, std::int64_t Min, std::int64_t Max>
Entry integer(std::string_view name, std::string_view help, std::string_view no_effect = "") {
    return {{name, fmt::format("integer {} to {}", Min, Max), help, no_effect},
            [](Settings& settings, const json& value) -> Result<void> {
                if (!value.is_number_integer() || value.get<double>() < Min ||
                    value.get<double>() > Max)
                    return wrong(fmt::format("must be an integer from {} to {}.", Min, Max));
                put<Member>(settings, value);
                return {};
            }};
}

// A number from Min / 100 to Max / 100.
template <auto Member, std::int64_t Min, std::int64_t Max>
Entry number(std::string_view name, std::string_view help, std::string_view no_effect = "") {
    return {{name, fmt::format("number {:g} to {:g}", Min / 100.0, Max / 100.0), help, no_effect},
            [](Settings& settings, const json& value) -> Result<void> {
                if (!value.is_number() || !(value.get<double>() * 100 >= Min) ||
                    !(value.get<double>() * 100 <= Max))
                    return wrong(fmt::format("must be a number from {:g} to {:g}.", Min / 100.0,
                                             Max / 100.0));
                put<Member>(settings, value);
                return {};
            }};
}

template <auto Member>
Entry boolean(std::string_view name, std::string_view help, std::string_view no_effect = "") {
    return {{name, "true or false", help, no_effect},
            [](Settings& settings, const json& value) -> Result<void> {
                if (!value.is_boolean()) return wrong("must be true or false.");
                put<Member>(settings, value);
                return {};
            }};
}

// One of these names; `set` gets its place among them.
Entry one_of(std::string_view name, std::string_view help, Names names,
             void (*set)(Settings&, std::size_t)) {
    const std::span firsts(names.begin(), names.end() - 1);
    return {{name, fmt::format("{} or {}", fmt::join(firsts, ", "), names.back()), help, ""},
            [names, set](Settings& settings, const json& value) -> Result<void> {
                const auto found = std::ranges::find_if(
                    names, [&](std::string_view one) { return is(value, one); });
                if (found == names.end())
                    return wrong(fmt::format("must be one of {}.", fmt::join(names, ", ")));
                set(settings, static_cast<std::size_t>(found - names.begin()));
                return {};
            }};
}

Result<void> set_start_bars(Settings& settings, const json& value) {
    const auto is_index = [](const json& bar) {
        return bar.is_number_integer() && std::abs(bar.get<double>()) <= 100'000'000;
    };
    if (!value.is_array() || !std::ranges::all_of(value, is_index))
        return wrong("must be a list of bar indices.");
    value.get_to(settings.start_bars);
    return {};
}

constexpr std::uint32_t bit(Shape shape) { return 1u << static_cast<unsigned>(shape); }

// "all", "impulses", "correctives", or a list of shapes.
Result<void> set_patterns(Settings& settings, const json& value) {
    constexpr std::uint32_t kMotive = bit(Shape::impulse) | bit(Shape::leading_diagonal);
    constexpr std::pair<std::string_view, std::uint32_t> kGroups[] = {
        {"all", ~0u},
        {"impulses", kMotive},
        {"correctives", ~kMotive},
        {"flat", bit(Shape::flat_regular) | bit(Shape::flat_expanded) | bit(Shape::flat_running)}};
    std::uint32_t shapes = 0;
    for (const json& name : value.is_array() ? value : json::array({value})) {
        std::uint32_t found = 0;
        for (const auto& [group, bits] : kGroups)
            if (is(name, group)) found = bits;
        for (const auto& [shape, it] : kShapeNames)
            if (is(name, shape)) found = bit(it);
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

bool is_weight(const json& value) {
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 1;
}

Result<void> set_pre_score_weights(Settings& settings, const json& value) {
    if (!value.is_array() || value.size() != settings.pre_score_weights.size() ||
        !std::ranges::all_of(value, is_weight))
        return wrong("must be four numbers from 0 to 1: volatility, range, extrema, slope.");
    value.get_to(settings.pre_score_weights);
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
        if (!is_weight(weight)) return wrong("must give each part a number from 0 to 1.");
        weights.value[part] = weight.get<double>();
    }
    // The parts that every count of the mode has need a total weight above 0.
    if (weights[Part::fibonacci] + weights[Part::time] <= 0)
        return wrong("must set fibonacci or time above 0.");
    settings.weights = weights;
    return {};
}

Result<void> set_out_dir(Settings& settings, const json& value) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
        return wrong("must be the name of a folder.");
    value.get_to(settings.out_dir);
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
    constexpr std::string_view kStages[] = {"fibonacci_scoring", "rule_checking",
                                            "ensemble_scoring"};
    const auto is_stage = [&](const json& stage) {
        return std::ranges::any_of(kStages, [&](auto name) { return is(stage, name); });
    };
    if (value.is_array() && std::ranges::all_of(value, is_stage)) return {};
    return wrong("must be a list of fibonacci_scoring, rule_checking and ensemble_scoring.");
}

constexpr std::string_view kExhaustive = "The search tries every candidate; there are no batches.";
constexpr std::string_view kNoFetching = "Prices come from files; nothing is fetched.";
constexpr std::string_view kOneProcess =
    "One process searches with threads, which share the prices; see processes.";

using S = Settings;

std::vector<Entry> make_entries() {
    return {
        one_of("mode", "rules and scores; resets the weights", {"standard", "compatible"},
               [](S& s, std::size_t which) {
                   s.mode = static_cast<Mode>(which);
                   s.weights = which == 0 ? Weights::standard() : Weights::compatible();
               }),
        one_of("windows", "the whole series, or windows of max_weeks, implied by other window keys",
               {"whole", "weeks"}, [](S& s, std::size_t which) { s.windowed = which == 1; }),
        one_of("starts",
               "start from every bar, or from selected points of each window, implied by "
               "max_start_points and enable_multi_start",
               {"every", "points"}, [](S& s, std::size_t which) { s.every_bar = which == 0; }),
        {{"start_bars", "list of bar indices",
          "start from these bars only (whole series); -1 is the last", ""},
         set_start_bars},
        one_of("directions", "direction of the patterns", {"both", "up", "down"},
               [](S& s, std::size_t which) {
                   s.rising = which != 2;
                   s.falling = which != 1;
               }),
        integer<&S::days, 0, 100'000>("days", "number of most recent days to search; 0: all"),
        number<&S::bars_per_week, 0, 10'000'000>(
            "bars_per_week", "bars per week; 0: from the dates (compatible mode: 7)"),
        integer<&S::min_weeks, 1, 5200>("min_weeks", "shortest window"),
        integer<&S::max_weeks, 1, 5200>("max_weeks", "window"),
        integer<&S::slide_weeks, 1, 5200>("slide_weeks",
                                          "step from one window to the next, in weeks"),
        integer<kUnused, 1, 5200>("grow_weeks", "growth of windows",
                                  "Every window has max_weeks; shorter counts are found inside "
                                  "it."),
        number<&S::window_overlap, 0, 99>("window_overlap_ratio",
                                          "overlap of windows: shortens the step by this fraction"),
        integer<&S::max_windows, 0, 10'000'000>("max_windows",
                                                "maximum windows per series; 0: all"),
        boolean<&S::multi_start>("enable_multi_start",
                                 "use several starts per window, else its lowest low"),
        integer<&S::max_start_points, 1, 100'000>("max_start_points", "maximum starts per window"),
        boolean<&S::skip_flat_windows>("skip_flat_windows", "skip windows with a range under 1 %"),
        number<&S::min_volatility, 0, 1000>("min_volatility",
                                            "skip windows whose log returns vary less than this"),
        integer<&S::pre_score_top_k, 0, 100'000'000>(
            "pre_score_top_k", "search only this many of the best starts; 0: all"),
        number<&S::pre_score_threshold, 0, 100>("pre_score_threshold",
                                                "search only starts with at least this pre-score"),
        {{"pre_score_weights", "four numbers 0 to 1",
          "weights of the pre-score: volatility, range, extrema, slope", ""},
         set_pre_score_weights},
        integer<&S::up_to, 0, 100'000>("up_to",
                                       "one more than the swings that a wave may skip; 0: any"),
        integer<&S::max_combinations, 0, 1'000'000'000'000>(
            "max_combinations", "maximum nodes per window, checked after each start; 0: all"),
        {{"scan_pattern_types", "all, impulses, correctives or a list of patterns",
          "patterns to search for", ""},
         set_patterns},
        {{"weights", "object of part and number 0 to 1",
          "weights of the score's parts; custom weights rank counts by score", ""},
         set_weights},
        integer<&S::top_n, 0, 100'000>("top_n", "counts per symbol; 0: every valid one"),
        number<&S::max_overlap, 0, 100>("max_overlap",
                                        "maximum overlap of two counts in the ranking"),
        integer<&S::alternates, 0, 100>("alternates", "maximum alternates per count"),
        integer<&S::surrogates, 0, 1'000'000>("surrogates", "chance series per symbol; 0: none"),
        one_of("surrogate_method", "how chance series are generated",
               {kSurrogateMethods.begin(), kSurrogateMethods.end()},
               [](S& s, std::size_t which) { s.method = static_cast<SurrogateMethod>(which); }),
        integer<&S::block_bars, 0, 100'000>("block_bars",
                                            "block length; 0: cube root of the number of bars"),
        integer<&S::seed, 0, 9'007'199'254'740'992>("seed", "seed of the chance series"),
        integer<&S::threads, 0, 1024>("processes", "threads; 0: all hardware threads"),
        {{"use_gpu", "auto, true or false",
          "search on an OpenCL device; auto: if it is predicted to be faster", ""},
         set_use_gpu},
        boolean<&S::profile>("profile",
                             "report the time taken, and write it to profile_waves.txt in out_dir"),
        boolean<&S::save_images>("save_images", "write charts of the best counts to out_dir"),
        integer<&S::save_images_top_n, 1, 1000>("save_images_top_n", "charts per symbol"),
        {{"out_dir", "folder", "folder for charts and the profile", ""}, set_out_dir},

        integer<kUnused, 1, 1024>("concurrency", "concurrent work", kOneProcess),
        integer<kUnused, 1, 1024>("ticker_workers", "workers for symbols", kOneProcess),
        boolean<kUnused>("use_shared_memory", "share prices between processes", kOneProcess),
        integer<kUnused, 0, 100'000'000>(
            "chunk_size", "windows per task",
            "A symbol is searched as a whole; its length determines the size of its task."),
        number<kUnused, 0, 360'000>("delay", "pause between downloads", kNoFetching),
        integer<kUnused, 1, 100'000'000>("cpu_batch_size", "candidates per batch", kExhaustive),
        integer<kUnused, 1, 100'000'000>("cpu_top_k", "candidates kept per batch", kExhaustive),
        integer<kUnused, 1, 100'000'000>("gpu_batch_size", "candidates per GPU batch", kExhaustive),
        number<kUnused, 0, 8'640'000>(
            "max_seconds_per_scan", "time limit",
            "Results must not depend on the speed of a machine; see max_combinations."),
        {{"gpu_enabled_stages", "list of stages", "stages on the GPU",
          "A device runs all stages of a search: rules, scores and ranking."},
         check_stages},
    };
}

const std::vector<Entry>& entries() {
    static const auto kEntries = make_entries();
    return kEntries;
}

Result<const Entry*> entry_of(const std::string& name) {
    std::vector<std::string> known;
    for (const Entry& entry : entries()) {
        if (entry.key.name == name) return &entry;
        known.emplace_back(entry.key.name);
    }
    return fail(Errc::invalid_input,
                "There is no setting \"" + name + "\"." + did_you_mean(name, known), "/" + name);
}

const std::vector<const char*> kOfWindows = {"min_weeks", "max_weeks", "slide_weeks",
                                             "window_overlap_ratio", "max_windows"};
const std::vector<const char*> kOfStarts = {"enable_multi_start", "max_start_points"};

// A key about windows implies a search in windows, and a key about a window's starts a search from
// selected starts, unless `windows` or `starts` is given, too. So a configuration of the wave
// pipeline has the same effect here.
void imply_scope(const json& given, Settings& settings) {
    const auto any = [&](const auto& keys) {
        return std::ranges::any_of(keys, [&](const char* key) { return given.contains(key); });
    };
    if (!given.contains("windows") && any(kOfWindows)) settings.windowed = true;
    if (!given.contains("starts") && any(kOfStarts)) settings.every_bar = false;
}

// Given keys that have no effect with these settings.
void add_keys_without_effect(const json& given, const Settings& s, std::vector<KeyNote>& notes) {
    const bool listed = !s.start_bars.empty() && !s.windowed;
    const struct {
        bool idle;
        std::vector<const char*> keys;
        const char* reason;
    } rules[] = {{!s.windowed, kOfWindows, "The series is searched as a whole (windows)."},
                 {!s.windowed, {"bars_per_week"}, "The series is searched as a whole (windows)."},
                 {s.windowed,
                  {"start_bars"},
                  "It lists bars of the whole series, but this search uses windows."},
                 {listed, kOfStarts, "start_bars lists the starts."},
                 {!listed && s.every_bar, kOfStarts, "Every bar is a start (starts)."},
                 {!listed && !s.every_bar && !s.multi_start,
                  {"max_start_points"},
                  "enable_multi_start is false: a window has one start, its lowest low."},
                 {s.surrogates == 0,
                  {"surrogate_method", "block_bars", "seed"},
                  "There are no chance series (surrogates)."},
                 {s.surrogates != 0 && s.method != SurrogateMethod::block_bootstrap,
                  {"block_bars"},
                  "Chance series are not made of blocks (surrogate_method)."},
                 {s.pre_score_top_k == 0 && s.pre_score_threshold <= 0,
                  {"pre_score_weights"},
                  "No start is left out (pre_score_top_k, pre_score_threshold)."}};
    for (const auto& rule : rules)
        for (const char* key : rule.keys)
            if (rule.idle && given.contains(key)) notes.push_back({key, rule.reason});
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
            TRY(const auto entry, entry_of(name));
            if (const auto set = entry->set(changed, value); !set)
                return fail(set.error().code, "The setting \"" + name + "\" " + set.error().message,
                            "/" + name);
            if (const auto why = entry->key.no_effect; !why.empty())
                notes.push_back({name, std::string(why)});
        }
    }
    if (changed.min_weeks > changed.max_weeks)
        return fail(Errc::invalid_input,
                    "The setting \"min_weeks\" must not be above \"max_weeks\".", "/min_weeks");
    imply_scope(object, changed);
    add_keys_without_effect(object, changed, notes);
    settings = std::move(changed);
    return notes;
}

}  // namespace plimsoll::waves
