#include "server/kinds/training_config/contract/configs/config_structure.hpp"

#include "server/kinds/training_config/contract/configs/structures/planner.hpp"

namespace plimsoll::jobs::training_config {
namespace {

// Numbers that only some reports have.
std::string lack_of(const Recommended& r, const std::string& name) {
    if ((name == "positives" && !r.positives) || (name == "negatives" && !r.negatives))
        return "only a stage sets it; choose one with --stage";
    if (name == "learning_rate" && !r.rate)
        return "the report advises no learning rate, since SGD's depends on the task";
    return {};
}

Result<void> add_mapped(Planner& planner) {
    for (const auto& [name, place] : planner.places()) {
        if (const auto lack = lack_of(planner.r, name); !lack.empty())
            return fail(Errc::invalid_input, "--map " + name + "=" + place + ": " + lack + ".");
        auto value = value_at(planner, name, parts_of(place));
        if (!value) {
            return fail(Errc::invalid_input,
                        "--map " + name + "=" + place +
                            ": no value of this setting matches the estimate (" +
                            (name == "precision" ? planner.r.precision : planner.r.optimizer) +
                            "). Set it by hand.");
        }
        planner.write_mapped(std::move(value->path), std::move(value->after), value->is_text);
    }
    return {};
}

}  // namespace

Result<ConfigPlan> plan_settings(std::string_view text, const Recommended& recommended,
                                 const Choice& choice) {
    if (is_toml(text))
        return fail(Errc::invalid_input,
                    "Only YAML and JSON are changed. What the estimate means, set by hand in this "
                    "TOML; show-config and check read it.");
    TRY(const auto root, parse_config(text));
    Planner planner(root, recommended, choice);
    for (const auto recognise : {plan_axolotl, plan_torchtune, plan_deepspeed, plan_accelerate,
                                 plan_transformers, plan_lightning}) {
        if (recognise(planner)) break;
    }
    plan_stage(planner);
    if (!planner.is_recognised()) propose_places(planner);
    planner.say_unmodelled();
    if (recommended.batch > recommended.largest) {
        planner.say("according to the estimate, the batch of " + std::to_string(recommended.batch) +
                    " does not fit; the largest is " + std::to_string(recommended.largest));
    }
    TRY_DO(add_mapped(planner));
    return planner.take();
}

nlohmann::json edit_json(const ConfigPlan& plan, const ConfigEdit& edit) {
    return {{"structure", text_or_null(plan.structure)},
            {"changes", edit.changes},
            {"left", edit.left},
            {"differs", plan.differs},
            {"notes", plan.notes},
            {"proposals", plan.proposals}};
}

}  // namespace plimsoll::jobs::training_config
