#include "engine/training/gpus/catalogue.hpp"

#include "engine/base/closest.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

namespace plimsoll::training {
namespace {

// Letters and digits alone: "NVIDIA A100-SXM4-80GB" and "a100_80gb" share "a100" and "80gb".
std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out(1);
    for (unsigned char c : text)
        if (std::isalnum(c))
            out.back() += static_cast<char>(std::tolower(c));
        else if (!out.back().empty())
            out.emplace_back();
    if (out.back().empty()) out.pop_back();
    return out;
}

// How a card is called: "NVIDIA A100-SXM4-80GB" is "a100" with 80 GB, "GeForce RTX 3080 Ti" is
// "3080ti". Makers, connectors and the like name no other card.
struct Called {
    std::string name;
    double gb = 0;  // 0: not said
    int count = 1;  // of such cards
};

std::optional<double> size_in(const std::string& word, const std::string* next) {
    const auto end =
        std::ranges::find_if_not(word, [](unsigned char c) { return std::isdigit(c); });
    if (end == word.begin()) return std::nullopt;
    const std::string unit(end, word.end());
    const bool apart = unit.empty() && next != nullptr && (*next == "gb" || *next == "gib");
    if (unit != "gb" && unit != "g" && unit != "gib" && !apart) return std::nullopt;
    return std::stod(std::string(word.begin(), end));
}

bool is_number(std::string_view word) {
    return !word.empty() &&
           std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "8x", "x8", "8xh100" and "h100x8" without the number of cards, which it returns; 1: there is
// none.
int take_count(std::string& word) {
    const auto x = word.find('x');
    if (x == std::string::npos) return 1;
    auto number = word.substr(0, x);
    if (is_number(number) && x <= 2) {
        word.erase(0, x + 1);
        return std::stoi(number);
    }
    const auto last = word.rfind('x');
    number = word.substr(last + 1);
    if (!is_number(number) || number.size() > 2) return 1;
    word.erase(last);
    return std::stoi(number);
}

// What a word without a unit says behind the name of a card: "a100-40".
bool is_size(std::string_view word) {
    constexpr std::string_view kSizes[] = {"12", "16", "20", "24", "32", "40",
                                           "48", "80", "94", "96", "141"};
    return std::ranges::find(kSizes, word) != std::end(kSizes);
}

// Of a word that people put elsewhere than its maker does.
std::string_view renamed(std::string_view name) {
    return name == "6000pro" || name == "6000blackwellpro" ? "pro6000"
           : name == "spark"                               ? "gb10"
                                                           : name;
}

Called called(std::string_view text) {
    constexpr std::string_view kNames[] = {
        "nvidia",     "geforce", "tesla", "quadro",     "amd",     "instinct",    "gpu",
        "pcie",       "pci",     "e",     "radeon",     "sxm",     "workstation", "blackwell",
        "generation", "gb",      "max",   "q",          "edition", "server",      "founders",
        "gpus",       "dgx",     "hgx",   "tensorcore", "tensor",  "core",        "nvlink"};
    constexpr std::string_view kStarts[] = {"sxm", "hbm"};
    Called out;
    if (const auto colon = text.rfind(':'); colon != text.npos && is_number(text.substr(colon + 1)))
        out.count = static_cast<int>(std::min(1e6, std::stod(std::string(text.substr(colon + 1))))),
        text = text.substr(0, colon);
    auto all = words(text);
    if (all.size() > 2 && is_number(all[0]) && all[0].size() <= 2 && all[1] == "x") {
        out.count = std::stoi(all[0]);
        all.erase(all.begin(), all.begin() + 2);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto word = all[i];
        if (word == "mig") break;  // a share of the card
        out.count = std::max(out.count, take_count(word));
        if (word.empty()) continue;
        if (std::ranges::find(kNames, word) != std::end(kNames)) continue;
        if (std::ranges::any_of(kStarts, [&](auto start) { return word.starts_with(start); }))
            continue;
        if (const auto size = size_in(word, i + 1 < all.size() ? &all[i + 1] : nullptr);
            size && !out.name.empty()) {
            out.gb = *size;
            continue;
        }
        const bool numbered =
            std::ranges::any_of(out.name, [](unsigned char c) { return std::isdigit(c) != 0; });
        if (numbered && is_size(word) && out.gb == 0) {
            out.gb = std::stod(word);
            continue;
        }
        const bool prefix = word.starts_with("rtx") || word.starts_with("gtx");
        if (out.name.empty() && prefix) word.erase(0, 3);
        out.name += word;
    }
    out.name = renamed(out.name);
    return out;
}

bool is_called(const GpuProfile& profile, const Called& card) {
    // 180 and 192 GB of a B200 are the same; 80 and 94 GB of an H100 are not.
    constexpr double kSameSize = 0.07;
    return (called(profile.id).name == card.name || called(profile.name).name == card.name) &&
           (card.gb == 0 || std::abs(card.gb - profile.sold_gb) <= kSameSize * profile.sold_gb);
}

std::string spelled(std::string_view text) {
    std::string out;
    for (const auto& word : words(text)) out += word;
    return out;
}

// The GPU of a cloud's machine, by the beginnings of two words of its name: the providers' own
// documentation.
std::string_view of_machine(std::string_view text) {
    struct Machine {
        std::string_view first, second, id;
    };
    constexpr Machine kMachines[] = {
        {"p3", "", "v100_16gb"},
        {"p3dn", "", "v100_32gb"},
        {"p4d", "", "a100_40gb"},
        {"p4de", "", "a100_80gb"},
        {"p5", "", "h100_80gb"},
        {"p5e", "", "h200"},
        {"p5en", "", "h200"},
        {"p6", "b200", "b200"},
        {"p6", "b300", "b300"},
        {"p6e", "gb200", "gb200"},
        {"p6e", "gb300", "gb300"},
        {"g4dn", "", "t4"},
        {"g5", "", "a10g"},
        {"g6", "", "l4"},
        {"g6e", "", "l40s"},
        {"g7e", "", "rtx_pro_6000"},
        {"a2", "highgpu", "a100_40gb"},
        {"a2", "megagpu", "a100_40gb"},
        {"a2", "ultragpu", "a100_80gb"},
        {"a3", "highgpu", "h100_80gb"},
        {"a3", "megagpu", "h100_80gb"},
        {"a3", "edgegpu", "h100_80gb"},
        {"a3", "ultragpu", "h200"},
        {"a4", "highgpu", "b200"},
        {"a4x", "", "gb200"},
        {"g2", "standard", "l4"},
        {"g4", "standard", "rtx_pro_6000"},
        {"nd96asr", "", "a100_40gb"},
        {"nd96amsr", "", "a100_80gb"},
        {"nd96isr", "h100", "h100_80gb"},
        {"nd96isr", "h200", "h200"},
        {"nd96isr", "mi300x", "mi300x"},
        {"nc4as", "t4", "t4"},
        {"nc8as", "t4", "t4"},
        {"nc16as", "t4", "t4"},
        {"nc64as", "t4", "t4"},
        {"nc6s", "v3", "v100_16gb"},
        {"nc12s", "v3", "v100_16gb"},
        {"nc24s", "v3", "v100_16gb"},
        {"nc24rs", "v3", "v100_16gb"},
        {"nc24ads", "a100", "a100_80gb"},
        {"nc48ads", "a100", "a100_80gb"},
        {"nc96ads", "a100", "a100_80gb"},
        {"nc40ads", "h100", "h100_94gb"},
        {"nc80adis", "h100", "h100_94gb"},
        // Cards that have the memory and the kernels of another.
        {"v100s", "", "v100_32gb"},
        {"h200", "nvl", "h200"},
        {"a100x", "", "a100_80gb"},
        {"4090d", "", "rtx_4090_d"},
        {"mi250", "", "mi250x"},
    };
    auto all = words(text);
    std::erase_if(all, [](const std::string& word) {
        return word == "standard" || word == "ml" || word == "nvidia" || word == "tesla" ||
               word == "amd" || word == "instinct";
    });
    if (all.empty()) return {};
    const bool google = text.find("standard") != text.npos && all.front().starts_with('g');
    const std::string second = google ? "standard" : all.size() > 1 ? all[1] : "";
    for (const auto& one : kMachines)
        if (one.first == all.front() && second.starts_with(one.second)) return one.id;
    return {};
}

// The architecture that a card's name gives away; empty if it does not. NVIDIA's own naming: A100,
// RTX A5000 and RTX 30xx are Ampere.
std::string_view generation_of(std::string_view card) {
    struct Sign {
        std::string_view word;  // the whole, or the beginning before a number
        std::string_view architecture;
    };
    constexpr Sign kSigns[] = {
        {"blackwell", "Blackwell"},
        {"pro", "Blackwell"},
        {"ada", "Ada"},
        {"gb", "Blackwell"},
        {"gh", "Hopper"},
        {"b", "Blackwell"},
        {"h", "Hopper"},
        {"l", "Ada"},
        {"a", "Ampere"},
        {"t", "Turing"},
        {"v", "Volta"},
        {"p", "Pascal"},
        {"m", "Maxwell"},
        {"k", "Kepler"},
        {"quadro", "Turing"},
        {"50", "Blackwell"},
        {"40", "Ada"},
        {"30", "Ampere"},
        {"20", "Turing"},
        {"16", "Turing"},
        {"10", "Pascal"},
    };
    const auto all = words(card);
    for (const auto& sign : kSigns) {
        for (const auto& word : all) {
            if (word == sign.word && word.size() > 2) return sign.architecture;
            // "a100", "l40s", "3090"; not "16gb", which is a size.
            const auto rest = word.starts_with(sign.word) ? word.substr(sign.word.size()) : "";
            const bool model = std::isdigit(static_cast<unsigned char>(rest.c_str()[0])) != 0;
            if (model && !word.ends_with("gb") && rest.size() < 5) return sign.architecture;
        }
    }
    return {};
}

// Of the fitting profiles, the one whose memory is nearest to the card's; of equally near ones the
// oldest generation, which promises least.
template <class Fits>
std::optional<GpuProfile> nearest(const DetectedGpu& card, std::span<const GpuProfile> profiles,
                                  Fits&& fits) {
    const auto total = static_cast<double>(card.total_bytes);
    // Drivers differ by a few percent in the size that they report for the same memory.
    const auto off = [&](const GpuProfile& profile) {
        return std::floor(std::abs(profile.memory_bytes.value - total) / (0.05 * total));
    };
    const GpuProfile* best = nullptr;
    for (const auto& profile : profiles) {
        if (!fits(profile)) continue;
        const auto rank = [&](const GpuProfile& p) {
            return std::pair(off(p), p.compute_capability);
        };
        if (best == nullptr || rank(profile) < rank(*best)) best = &profile;
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace

GpuCatalogue::GpuCatalogue() : GpuCatalogue(std::span<const GpuProfile>{}) {}

GpuCatalogue::GpuCatalogue(std::span<const GpuProfile> custom)
    : profiles_(shipped_gpus().begin(), shipped_gpus().end()) {
    for (const auto& profile : custom) {
        const auto same = std::find_if(profiles_.begin(), profiles_.end(),
                                       [&](const auto& p) { return p.id == profile.id; });
        if (same != profiles_.end())
            *same = profile;
        else
            profiles_.push_back(profile);
    }
}

Result<GpuProfile> GpuCatalogue::find(std::string_view id) const {
    const auto by = [&](auto&& matches) {
        const auto found = std::ranges::find_if(profiles_, matches);
        return found == profiles_.end() ? nullptr : &*found;
    };
    const auto wanted = spelled(id);
    const auto card = called(id);
    const auto* found = by([&](const auto& p) { return p.id == id; });
    if (found == nullptr)
        found =
            by([&](const auto& p) { return spelled(p.id) == wanted || spelled(p.name) == wanted; });
    const auto parts = words(id);
    const bool share = std::ranges::find(parts, "mig") != parts.end();
    if (found == nullptr && !share) found = by([&](const auto& p) { return is_called(p, card); });
    if (found == nullptr) found = by([&](const auto& p) { return p.id == of_machine(id); });
    if (found != nullptr) return *found;
    return fail(
        Errc::not_found,
        "There is no GPU profile named \"" + std::string(id) + "\"." + advice_on(id) +
            " `plimsoll gpu-profiles list` names all; describe any other GPU by its memory: "
            "--gpu-memory 24, or \"custom_gpus\".",
        "/gpu");
}

int cards_in(std::string_view name) { return called(name).count; }

std::string GpuCatalogue::advice_on(std::string_view id) const {
    struct Unlike {
        std::string_view word, what;
    };
    constexpr Unlike kUnlike[] = {
        {"gaudi", "Gaudi runs no CUDA: its graph compiler plans memory, which is not modelled."},
        {"tpu", "A TPU runs no CUDA: its compiler plans memory, which is not modelled."},
        {"trainium", "Trainium runs no CUDA: its compiler plans memory, which is not modelled."},
        {"ascend", "Ascend runs no CUDA: its allocator is not modelled."},
        {"apple", "Apple's GPUs run no CUDA: Metal's allocator is not modelled."},
        {"mps", "Apple's GPUs run no CUDA: Metal's allocator is not modelled."},
        {"mig", "A share of a GPU has less memory than the whole."},
        {"laptop", "A laptop's GPU has less memory than its namesake."},
        {"mobile", "A laptop's GPU has less memory than its namesake."},
    };
    const auto typed = spelled(id);
    for (const auto& [word, what] : kUnlike)
        if (typed.find(word) != std::string::npos) return " " + std::string(what);
    // Another number is another card, an older generation or less memory another answer.
    const auto digits = [](std::string_view text) {
        std::string out;
        for (const char c : called(text).name)
            if (std::isdigit(static_cast<unsigned char>(c))) out += c;
        std::ranges::sort(out);
        return out;
    };
    // Its letters, too, are those of another: the RTX Z6000 would be no RTX 6000.
    const auto letters = [](std::string_view text) {
        std::string out;
        for (const char c : called(text).name)
            if (!std::isdigit(static_cast<unsigned char>(c))) out += c;
        return out;
    };
    const auto asked = called(id);
    const auto generation = generation_of(id);
    const auto typed_digits = digits(id);
    std::vector<std::string> likely;
    std::string sizes;
    for (const auto& p : profiles_) {
        const auto own = digits(p.id);
        const bool same = std::ranges::includes(own, typed_digits) &&
                          letters(p.id).find(letters(id)) != std::string::npos &&
                          own.size() <= typed_digits.size() + 1 && p.sold_gb >= asked.gb &&
                          (generation.empty() || generation == p.architecture);
        if (same) likely.push_back(p.id);
        if (is_called(p, {asked.name})) sizes += (sizes.empty() ? "" : ", ") + p.id;
    }
    if (!sizes.empty()) return " There is " + sizes + ".";
    return did_you_mean(id, likely);
}

std::optional<GpuProfile> profile_named(const DetectedGpu& card,
                                        std::span<const GpuProfile> profiles) {
    // The driver's bytes decide between sizes; the name of a GH200 has those of its host.
    const auto name = called(card.name).name;
    for (const auto& profile : profiles)
        if (spelled(profile.name) == spelled(card.name)) return profile;
    return nearest(card, profiles,
                   [&](const GpuProfile& profile) { return is_called(profile, {name}); });
}

GpuProfile profile_for(const DetectedGpu& card, std::span<const GpuProfile> profiles) {
    auto found = profile_named(card, profiles);
    const auto total = static_cast<double>(card.total_bytes);
    const auto claims_no_more = [&](const GpuProfile& profile) {
        return profile.memory_bytes.value <= total * 1.05;
    };
    const auto generation = generation_of(card.name);
    const auto is_of_it = [&](const GpuProfile& p) { return p.architecture == generation; };
    // A card that is not known yet is rather new.
    const auto is_new = [](const GpuProfile& p) { return p.has_bf16(); };
    // Memory is the card's own, whatever the profile's; less of it is more likely of its kind.
    if (!found)
        found = nearest(card, profiles,
                        [&](const GpuProfile& p) { return claims_no_more(p) && is_of_it(p); });
    if (!found) found = nearest(card, profiles, is_of_it);
    if (!found)
        found = nearest(card, profiles,
                        [&](const GpuProfile& p) { return claims_no_more(p) && is_new(p); });
    if (!found) found = nearest(card, profiles, is_new);
    if (!found) found = profiles.front();
    found->memory_bytes = {total, "reported by the driver of " + card.name};
    return *found;
}

}  // namespace plimsoll::training
