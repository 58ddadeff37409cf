#pragma once

#include "server/jobs/training_config/command/configs/config_node.hpp"
#include "server/jobs/training_config/command/configs/config_structure.hpp"

#include <algorithm>

namespace plimsoll::jobs::training_config {

// A configuration, what is recommended for it, and the plan that grows from both.
class Planner {
  public:
    Planner(const YAML::Node& root, const Recommended& recommended, const Choice& choice)
        : root(root), r(recommended), choice_(choice) {}

    const YAML::Node& root;
    const Recommended& r;

    Plan take() { return std::move(plan_); }
    void recognised(const char* structure) { plan_.structure = structure; }
    bool is_recognised() const { return !plan_.structure.empty(); }
    // One group of a configuration that is composed of several files.
    void is_part() { plan_.is_part = true; }
    // Arguments of a Trainer, which "auto" in other files follows.
    void is_trainer() { plan_.is_trainer = true; }
    // What contradicts the estimate and is not changed.
    void say(std::string differs) { plan_.differs.push_back(std::move(differs)); }
    void propose(Proposal proposal) { plan_.proposals.push_back(std::move(proposal)); }

    // --only, --keep and --rates want this setting, and --map names no place of its own for it.
    bool wanted(std::string_view name) const;
    const std::map<std::string, std::string>& places() const { return choice_.places; }

    // Written at this place; `adds` writes it also where it is missing.
    void set(std::string_view name, Path path, std::string value, bool adds, bool is_text = false);
    void set(std::string_view name, Path path, std::int64_t value, bool adds);
    // Written where it is there already, or where the library would do otherwise without a word.
    void settle(std::string_view name, Path path, std::string value, bool is_usual,
                bool is_text = false);
    // Written where it is there already.
    void change(std::string_view name, const Path& path, std::int64_t value);
    void change(std::string_view name, const Path& path, std::string value, bool is_text = false);
    void change_rate(const Path& path);
    // What --map asks for, whatever --only and --keep say.
    void write_mapped(Path path, std::string value, bool is_text);

    // Say what a number of the file is, where the estimate was made for another.
    void compare(const Path& path, std::int64_t of_estimate, const std::string& unit);
    // Length, adapters and quantisation of a run whose settings stand in `around`.
    void compare_run(const Path& around);

  private:
    const Choice& choice_;
    Plan plan_;
};

// The settings of one structure. Each says whether the file has it, and has planned it then.
bool plan_deepspeed(Planner& planner);
bool plan_accelerate(Planner& planner);
bool plan_transformers(Planner& planner);
bool plan_lightning(Planner& planner);
bool plan_stage(Planner& planner);
// What a file of no known structure seems to hold: a proposal for --map.
void propose_places(Planner& planner);
// What a setting of Choice::places is, spelled as the file spells it now; nothing where the
// file's way of saying it cannot say what was estimated.
std::optional<Proposal> value_at(const Planner& planner, const std::string& name, Path path);

// Where the structures have their settings; nothing where the file has not that structure, or has
// it several times.
std::optional<Path> trainer_arguments(const YAML::Node& root);
bool is_llama_factory(const YAML::Node& root);
bool is_trl(const YAML::Node& root, const Path& arguments);
std::optional<Path> lightning_trainer(const YAML::Node& root);  // the root of Hydra's group, too
std::optional<Path> training_batch(const YAML::Node& root);     // of Lightning's data

// In the words of several structures.
inline const char* yes(bool value) {
    return value ? "true" : "false";
}
inline bool is_zero(const Recommended& r) {
    return r.sharding.starts_with("zero");
}
inline bool is_sharded(const Recommended& r) {
    return r.sharding == "fsdp" || is_zero(r);
}
// Weights in 16 bits that no library converts by itself.
inline bool has_half_weights(const Recommended& r) {
    return r.precision == "bf16" && !is_zero(r);
}
std::string mixed_precision(const Recommended& r);         // no, fp16, bf16
std::string lightning_precision(const Recommended& r);     // bf16-mixed
std::string transformers_optimizer(const Recommended& r);  // adamw_torch_fused

// The places of all mappings that `fits` takes, the root's first.
inline constexpr int kDeepest = 4;  // mappings around the one that is looked for
template <class Fits>
void find_mappings(const YAML::Node& node, const Path& path, const Fits& fits,
                   std::vector<Path>& found) {
    if (!node.IsMap() || path.size() > kDeepest) return;
    if (fits(node, path)) found.push_back(path);
    for (const auto& one : node) {
        if (one.first.IsScalar() && one.second.IsMap()) {
            find_mappings(one.second, joined(path, one.first.Scalar()), fits, found);
        }
    }
}

// The only such mapping; several are nobody's to choose from.
template <class Fits>
std::optional<Path> only_mapping(const YAML::Node& root, const Fits& fits) {
    std::vector<Path> found;
    find_mappings(root, {}, fits, found);
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

template <class Names>
int count_of(const YAML::Node& node, const Names& names) {
    return static_cast<int>(std::ranges::count_if(
        names, [&](const char* name) { return member(node, name).IsDefined(); }));
}

// Of validation, tests and tokenizers, which have batches and workers of their own.
bool is_beside_training(const Path& path);

}  // namespace plimsoll::jobs::training_config
