#pragma once

#include "server/kinds/training_config/contract/configs/config_structure.hpp"
#include "server/kinds/training_config/contract/configs/configured_run.hpp"

#include <algorithm>

namespace plimsoll::jobs::training_config {

// A configuration, the recommendation for it, and the resulting plan.
class Planner {
  public:
    Planner(const YAML::Node& root, const Recommended& recommended, const Choice& choice)
        : root(root), r(recommended), choice_(choice) {
        read_run(root, run);
    }

    const YAML::Node& root;
    const Recommended& r;
    ConfiguredRun run;  // as the file says

    ConfigPlan take() { return std::move(plan_); }
    void recognised(const char* structure) { plan_.structure = structure; }
    bool is_recognised() const { return !plan_.structure.empty(); }
    // One group of a configuration composed of several files.
    void is_part() { plan_.is_part = true; }
    // Arguments of a Trainer, which "auto" in other files refers to.
    void is_trainer() { plan_.is_trainer = true; }
    // A contradiction to the estimate that is not changed.
    void say(std::string differs) { plan_.differs.push_back(std::move(differs)); }
    void note(std::string text) { plan_.notes.push_back(std::move(text)); }
    void propose(Proposal proposal) { plan_.proposals.push_back(std::move(proposal)); }

    // --only, --keep and --rates include this setting, and --map has no place for it.
    bool wanted(std::string_view name) const;
    const std::map<std::string, std::string>& places() const { return choice_.places; }

    // Written at this place; `adds`: also if it is missing.
    void set(std::string_view name, Path path, std::string value, bool adds, bool is_text = false);
    void set(std::string_view name, Path path, std::int64_t value, bool adds);
    // Written if it exists, or if the library would silently do something else.
    void settle(std::string_view name, Path path, std::string value, bool is_usual,
                bool is_text = false);
    // Written if it exists.
    void change(std::string_view name, const Path& path, std::int64_t value);
    void change(std::string_view name, const Path& path, std::string value, bool is_text = false);
    void change_rate(const Path& path);
    // Requested by --map, whatever --only and --keep say.
    void write_mapped(Path path, std::string value, bool is_text);

    // Reports a number in the file that differs from the estimate's.
    void compare(const Path& path, std::int64_t of_estimate, const std::string& unit);
    // Length, adapters and quantization of the run.
    void compare_run();
    // Names what the estimate cannot be for, unless it will be changed.
    void say_unmodelled();

  private:
    const Choice& choice_;
    ConfigPlan plan_;
};

// The settings of one structure. Each returns whether the file has the structure, and then has
// planned it.
bool plan_deepspeed(Planner& planner);
bool plan_accelerate(Planner& planner);
bool plan_transformers(Planner& planner);
bool plan_lightning(Planner& planner);
bool plan_axolotl(Planner& planner);
bool plan_torchtune(Planner& planner);
bool plan_stage(Planner& planner);
// The probable content of a file of unknown structure: a proposal for --map.
void propose_places(Planner& planner);
// The value of a setting of Choice::places, spelled like the file's current value; nothing if that
// cannot express the estimate.
std::optional<Proposal> value_at(const Planner& planner, const std::string& name, Path path);

// The settings' places in each structure; nothing if the file does not have the structure, or has
// it several times.
std::optional<Path> trainer_arguments(const YAML::Node& root);
bool is_llama_factory(const YAML::Node& root);
bool is_axolotl(const YAML::Node& root);
bool is_torchtune(const YAML::Node& root);
bool is_trl(const YAML::Node& root, const Path& arguments);
const char* structure_of(bool llama_factory, bool trl);
// Where projects keep what from_pretrained takes.
std::vector<Path> around_model(const Path& around);
std::optional<Path> lightning_trainer(const YAML::Node& root);  // or the root of Hydra's group
std::optional<Path> training_batch(const YAML::Node& root);     // of Lightning's data

// Terms shared by several structures.
inline const char* yes(bool value) { return value ? "true" : "false"; }
inline bool is_zero(const Recommended& r) { return r.sharding.starts_with("zero"); }
inline bool is_fsdp(const Recommended& r) { return r.sharding.starts_with("fsdp"); }
inline bool is_sharded(const Recommended& r) { return is_fsdp(r) || is_zero(r); }
// 16-bit weights, which no library converts by itself.
inline bool has_half_weights(const Recommended& r) {
    return (r.precision == "bf16" || r.precision == "fp16") && !is_zero(r);
}
// bf16 weights are trained as they are; fp16's adapters need autocast and its scaler.
inline bool has_autocast(const Recommended& r) {
    return r.precision != "fp32" && (r.precision != "bf16" || is_zero(r));
}
std::string mixed_precision(const Recommended& r);         // no, fp16, bf16
std::string lightning_precision(const Recommended& r);     // bf16-mixed
std::string transformers_optimizer(const Recommended& r);  // adamw_torch_fused

// The places of all mappings that `fits` accepts, the root first.
inline constexpr int kDeepest = 4;  // mappings around the searched one
template <class Fits>
void find_mappings(const YAML::Node& node, const Path& path, const Fits& fits,
                   std::vector<Path>& found) {
    if (!node.IsMap() || path.size() > kDeepest) return;
    if (fits(node, path)) found.push_back(path);
    for (const auto& one : node)
        if (one.first.IsScalar() && one.second.IsMap())
            find_mappings(one.second, joined(path, one.first.Scalar()), fits, found);
}

// The only such mapping; with several, it would be ambiguous.
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

// For validation, tests and tokenizers, which have their own batches and workers.
bool is_beside_training(const Path& path);

}  // namespace plimsoll::jobs::training_config
