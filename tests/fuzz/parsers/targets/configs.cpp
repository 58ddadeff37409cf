// Configurations of training programs, which `apply` edits and `show-config` reads.
#include "server/kinds/training_config/contract/configs/config_edit.hpp"
#include "server/kinds/training_config/contract/configs/config_structure.hpp"
#include "server/kinds/training_config/contract/configs/configured_run.hpp"
#include "tests/fuzz/parsers/targets.hpp"

namespace plimsoll::fuzz {

using namespace jobs::training_config;

void give_configs(std::string_view text) {
    ConfiguredRun run;
    static_cast<void>(read_run(text, run));
    Recommended recommended;
    recommended.batch = 8;
    recommended.precision = "bf16";
    recommended.optimizer = "adamw";
    const auto plan = plan_settings(text, recommended, {});
    if (!plan) return;
    const auto edited = edit_config(text, plan->settings);
    if (!edited) return;
    ensure(!edited->changes.empty() || edited->text == text);
    const auto again = edit_config(edited->text, plan->settings);
    ensure(again && again->text == edited->text);
}

}  // namespace plimsoll::fuzz
