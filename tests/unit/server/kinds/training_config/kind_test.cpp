// The kind as the server and a worker use it: plan, run every task, merge; and the estimate.
#include "engine/training/models/presets.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/registry.hpp"
#include "server/kinds/training_config/command/summary_text.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "tests/unit/server/kinds/training_config/estimates.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::training_config {
namespace {

using nlohmann::json;

const Contract& kind() { return *find_contract("training-config"); }

tl::expected<Plan, FieldErrors> plan_of(const json& args) { return kind().plan(args, {}); }

FieldErrors errors_of(const json& args) {
    const auto plan = plan_of(args);
    return plan ? FieldErrors{} : plan.error();
}

struct Outcome {
    std::vector<json> rows;
    json summary;
};

Outcome run_all(const Plan& plan) {
    const Run& run = *find_run("training-config", 2);
    Outcome outcome;
    std::vector<std::string> partials;
    for (const TaskSpec& task : plan.tasks) {
        Progress progress;
        RunContext context{.device = nullptr, .progress = progress, .stop = {}};
        const TaskOutput output = run_task(run, plan.args, task.input, context).value();
        EXPECT_EQ(output.items_ok + output.items_failed, task.items);
        EXPECT_EQ(progress.done(), task.items);
        EXPECT_LE(output.partial.size(), 64u << 10);
        outcome.rows.push_back(json::parse(gunzip(output.results, 1 << 20).value()));
        partials.push_back(output.partial);
    }
    outcome.summary = json::parse(merge_tasks(run, plan.args, partials)->summary);
    return outcome;
}

TEST(TrainingConfigKind, AJobAndAnEstimateReportTheSame) {
    const json args = bert({{"gpus", {"t4", "h200"}}, {"what_ifs", true}});
    const Outcome outcome = run_all(plan_of(args).value());
    EXPECT_EQ(outcome.summary, json::parse(kind().estimate(args, {}).value()));
    ASSERT_EQ(outcome.rows.size(), 2u);
    EXPECT_EQ(outcome.rows[0]["gpu"], "t4");
    EXPECT_EQ(outcome.rows[1]["index"], 1);
    EXPECT_EQ(outcome.rows[1]["max_batch"], outcome.summary["gpus"][1]["max_batch"]);
}

TEST(TrainingConfigKind, ARowOfAQuarantinedTaskHasEveryColumn) {
    const Plan plan = plan_of(bert()).value();
    const json row = run_all(plan).rows.at(0);
    const json lost =
        json::parse(kind().failed_rows(plan.args, plan.tasks[0].input, "It died.").value());
    for (const Column& column : kind().columns) {
        EXPECT_TRUE(row.contains(column.name)) << column.name;
        EXPECT_TRUE(lost.contains(column.name)) << column.name;
    }
    EXPECT_EQ(row.size(), kind().columns.size());
    EXPECT_EQ(lost["gpu"], "rtx_4090");
    EXPECT_EQ(lost["error"], "It died.");
}

TEST(TrainingConfigKind, EveryPresetFitsSomewhereAndAddsUp) {
    for (const auto& preset : ::plimsoll::training::presets()) {
        json training = json::object();
        if (preset.shape.sample_length() == 0) training["sequence_length"] = 60;
        if (::plimsoll::training::approximate_parameters(preset.shape) > 1e10) {
            training["lora"] = {{"rank", 8}};
            training["precision"] = "bf16";
        }
        const json card = card_of(bert({{"model", {{"preset", preset.shape.name}}},
                                        {"training", training},
                                        {"gpus", {"b200"}}}));
        std::int64_t sum = 0;
        for (const json& part : card["breakdown"]) sum += part["bytes"].get<std::int64_t>();
        EXPECT_EQ(sum, card["memory"]["device_used_bytes"]) << preset.shape.name;
        EXPECT_EQ(card["fits"], "yes") << preset.shape.name << " " << card["why"];
        EXPECT_LE(card["memory"]["peak_reserved_bytes"], card["limit_bytes"]) << preset.shape.name;
    }
}

json first_error(const json& args) {
    const auto plan = plan_of(args);
    if (plan) return nullptr;
    return {{"pointer", plan.error().front().pointer}, {"message", plan.error().front().message}};
}

TEST(TrainingConfigKind, QuantizedWeightsNeedAdaptersAndModulesThatExist) {
    const auto args = [](const char* preset, json training) {
        return bert({{"model", {{"preset", preset}}},
                     {"training", std::move(training)},
                     {"gpus", {"rtx_3090"}}});
    };
    const json lora = {{"rank", 16}, {"modules", {"q_proj", "down_proj"}}};
    const json card = card_of(args("llama-8b", {{"lora", lora},
                                                {"quantization", "nf4_double"},
                                                {"sequence_length", 512},
                                                {"checkpointing", true}}));
    EXPECT_EQ(card["fits"], "yes") << card["why"];
    const auto pasted = card["snippets"]["transformers"].get<std::string>();
    EXPECT_NE(pasted.find("target_modules=[\"q_proj\", \"down_proj\"]"), std::string::npos);
    EXPECT_NE(pasted.find("bnb_4bit_use_double_quant=True"), std::string::npos);
    EXPECT_EQ(first_error(args("llama-8b", {{"quantization", "nf4"}}))["pointer"],
              "/training/quantization");
    const json error = first_error(args("bert-base", {{"lora", {{"modules", {"query", "keys"}}}}}));
    EXPECT_EQ(error["pointer"], "/training/lora/modules/1");
    EXPECT_NE(error["message"].get<std::string>().find("Did you mean \"key\""), std::string::npos);
}

TEST(TrainingConfigKind, MembersThatAFamilyLacksAreRefused) {
    const auto dimensions = [](json more) {
        json d = {{"family", "llama"}, {"layers", 2}, {"hidden", 256}, {"heads", 4}};
        d.update(more);
        return bert({{"model", {{"dimensions", d}}}});
    };
    EXPECT_EQ(first_error(dimensions(json::object())), nullptr);
    EXPECT_EQ(first_error(dimensions({{"experts", 60}}))["pointer"], "/model/dimensions/experts");
    EXPECT_EQ(first_error(dimensions({{"horizon", 3}}))["pointer"], "/model/dimensions/horizon");
    EXPECT_EQ(first_error(dimensions({{"family", "vit"}, {"vocab", 3}}))["pointer"],
              "/model/dimensions/vocab");
    EXPECT_EQ(first_error(dimensions({{"family", "mixtral"}}))["pointer"],
              "/model/dimensions/experts");
    EXPECT_EQ(first_error(dimensions({{"family", "mixtral"},
                                      {"experts", 8},
                                      {"experts_per_row", 2},
                                      {"expert_hidden", 512}})),
              nullptr);
}

TEST(TrainingConfigKind, AMeasuredDeviceIsOneMoreTaskAndNeedsADevice) {
    const auto args = bert({{"probe", true}});
    const Plan plan = plan_of(args).value();
    const Plan plain = plan_of(bert()).value();
    EXPECT_EQ(plan.tasks.size(), plain.tasks.size() + 1);
    EXPECT_EQ(plan.requirement.device_class, "gpu,cpu");
    EXPECT_EQ(plain.requirement.device_class, "host");
    const auto row = json::parse(*kind().failed_rows(plan.args, plan.tasks.back().input, "broke"));
    EXPECT_EQ(row["gpu"], "probe");
    EXPECT_EQ(row["index"], plain.tasks.size());
    EXPECT_EQ(kind().estimate(args, {}).error().front().pointer, "/probe");
    // A worker without a device: the cards' reports are whole all the same.
    const Outcome outcome = run_all(plan);
    EXPECT_EQ(outcome.summary["gpus"].size(), plain.tasks.size());
    EXPECT_NE(outcome.summary["device"]["error"], nullptr);
}

TEST(TrainingConfigKind, TheDeepestModelStaysBelowTheLimitOfAPartial) {
    const json deepest = {{"family", "llama"}, {"layers", 160}, {"hidden", 1024},
                          {"heads", 16},       {"kv_heads", 8}, {"ffn", 4096}};
    run_all(plan_of(bert({{"model", {{"dimensions", deepest}}}, {"gpus", {"b200"}}})).value());
}

TEST(TrainingConfigKind, TheBatchNeverExceedsTheTargetAndAccumulationReachesIt) {
    const json card = card_of(bert({{"target_effective_batch", 48}}));
    EXPECT_EQ(card["batch"], 48);
    EXPECT_EQ(card["accumulation"]["nearest"]["steps"], 1);
    EXPECT_GT(card["max_batch"], 48);
}

TEST(TrainingConfigKind, TheBatchHasAReasonAndTheKneeIsShown) {
    json args = bert({{"gpus", {"h200"}}, {"target_effective_batch", 100'003}});
    EXPECT_EQ(card_of(args)["batch_reason"], "fill");
    EXPECT_GT(card_of(args)["memory"]["utilization_percent"], 80);
    args["goal"] = "knee";
    const json card = card_of(args);
    EXPECT_EQ(card["batch_reason"], "knee");
    EXPECT_EQ(card["knee"]["batch"], card["batch"]);
    EXPECT_LT(card["batch"], card["max_batch"]);
    EXPECT_NE(card["batch_why"].get<std::string>().find("Memory allows"), std::string::npos);
}

TEST(TrainingConfigKind, OneCardIsComparedWithEveryOther) {
    const json args = bert({{"gpus", {"rtx_4090", "t4", "h200"}}, {"target_effective_batch", 256}});
    const json summary = json::parse(kind().estimate(args, {}).value());
    const json& all = summary["comparisons"];
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0]["from"], "rtx_4090");
    EXPECT_EQ(all[0]["to"], "t4");
    EXPECT_EQ(all[0]["rows"][0]["name"], "largest batch");
    EXPECT_EQ(all[0]["rows"][0]["to"], summary["gpus"][1]["max_batch"]);
    EXPECT_EQ(all[0]["changes"][0]["setting"], "per_device_train_batch_size");
    EXPECT_NE(all[0]["steps"][0]["parts"][0].dump().find("no bf16"), std::string::npos);
    EXPECT_EQ(all[1]["to"], "h200");
    EXPECT_EQ(all[1]["steps"][0]["parts"][1], (json{{"text", "GPU_PROFILE=h200"}, {"code", true}}));
    const json none = bert({{"model", {{"preset", "llama-8b"}}}, {"gpus", {"b200", "t4"}}});
    const json refused = json::parse(kind().estimate(none, {}).value())["comparisons"][0];
    EXPECT_TRUE(refused["changes"].empty());
    EXPECT_NE(refused["steps"][0]["parts"][0].dump().find("cannot hold"), std::string::npos);
}

TEST(TrainingConfigKind, AHistogramOfLengthsUsesTheLongest) {
    const json bins = {{{"tokens", 64}, {"samples", 950}}, {{"tokens", 300}, {"samples", 50}}};
    const json args = bert(
        {{"training", {{"length_histogram", bins}, {"sequence_length", 256}}}, {"what_ifs", true}});
    const json summary = json::parse(kind().estimate(args, {}).value());
    EXPECT_EQ(summary["training"]["sequence_length"], 256);
    EXPECT_EQ(summary["training"]["lengths"]["p95"], 64);
    EXPECT_DOUBLE_EQ(summary["training"]["lengths"]["truncated_fraction"], 0.05);
    const json longest =
        card_of(bert({{"training", {{"sequence_length", 256}, {"padded", true}}}}));
    EXPECT_EQ(summary["gpus"][0]["max_batch"], longest["max_batch"]);
}

TEST(TrainingConfigKind, TheAllocatorsSettingsAreReplayed) {
    const json usual = card_of(bert({{"training", {{"batch", 48}}}}));
    const json expandable = card_of(
        bert({{"training", {{"batch", 48}}}, {"allocator", {{"expandable_segments", true}}}}));
    const auto allocated = [](const json& card) {
        return card["memory"]["peak_allocated_bytes"].get<double>();
    };
    EXPECT_NEAR(allocated(expandable) / allocated(usual), 1, 0.02);
    EXPECT_NE(expandable["memory"]["peak_reserved_bytes"], usual["memory"]["peak_reserved_bytes"]);
}

TEST(TrainingConfigKind, ASummaryReadsWellInATerminal) {
    const json args =
        bert({{"gpus", {"rtx_4090", "t4"}}, {"what_ifs", true}, {"target_effective_batch", 256}});
    const auto text = summary_text(json::parse(kind().estimate(args, {}).value()), 0);
    for (const auto* part :
         {"bert-base: 109.5 million parameters", "NVIDIA RTX 4090 ", "gradient checkpointing",
          "From rtx_4090 to t4", "- per_device_train_batch_size", "= on the GPU",
          "* modelled, not measured"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
    EXPECT_EQ(text.find("not modelled"), std::string::npos) << text;  // nothing that was asked
}

TEST(TrainingConfigKind, AccumulationCountsTheGradientsThatPersist) {
    const json alone =
        card_of(bert({{"training", {{"batch", 32}}}, {"target_effective_batch", 32}}));
    const json summed =
        card_of(bert({{"training", {{"batch", 32}}}, {"target_effective_batch", 64}}));
    // At the peak of the forward pass the fp32 gradients of 109.5 million parameters are there.
    const auto more = summed["memory"]["peak_allocated_bytes"].get<std::int64_t>() -
                      alone["memory"]["peak_allocated_bytes"].get<std::int64_t>();
    EXPECT_NEAR(static_cast<double>(more), 4 * 109.5e6, 0.05 * 4 * 109.5e6);
}

TEST(TrainingConfigKind, ACardThatIsTooSmallGetsARemedy) {
    const json card = card_of(bert({{"model", {{"preset", "llama-8b"}}},
                                    {"training", {{"sequence_length", 128}}},
                                    {"gpus", {"t4"}}}));
    EXPECT_EQ(card["fits"], "no");
    EXPECT_EQ(card["max_batch"], 0);
    EXPECT_TRUE(card["accumulation"].is_null());
    EXPECT_NE(card["why"].get<std::string>().find("NVIDIA B200"), std::string::npos) << card["why"];
}

TEST(TrainingConfigKind, TheNaicsGuidesNumbersAreShownNextToOurs) {
    // 24,198 MiB are 23.63 GiB: there the guide finds its published 45 x 5 = 225 at 84 %.
    const json card = card_of(bert({{"model", {{"preset", "naics-4ch"}}},
                                    {"gpus", {"rtx_6000"}},
                                    {"training", {{"lora", {{"rank", 8}}}}}}));
    const json& guide = card["guides"][0];
    ASSERT_EQ(guide["guide"], "naics-memory");
    EXPECT_EQ(guide["rows"][0]["guide"], 45);
    const auto ours = [&](int row) { return guide["rows"][row]["ours"].get<int>(); };
    EXPECT_EQ(ours(0), card["batch"]);
    EXPECT_EQ(ours(0) * ours(1), ours(2)) << "batch, accumulation and effective batch";
    EXPECT_EQ(guide["rows"][1]["guide"], 5);
    EXPECT_EQ(guide["rows"][2]["guide"], 225);
    EXPECT_NEAR(guide["rows"][5]["guide"].get<double>(), 19.82, 0.005);
}

TEST(TrainingConfigKind, TheProfileGuidesSettingsAreShownNextToOurs) {
    const json card = card_of(bert({{"model", {{"preset", "temporal"}}}, {"gpus", {"rtx_4090"}}}));
    const json& guide = card["guides"][0];
    ASSERT_EQ(guide["guide"], "gpu-profiles");
    EXPECT_EQ(guide["rows"][0]["guide"], 512);
    EXPECT_EQ(guide["rows"][1]["guide"], 768);
    EXPECT_NE(guide["difference"].get<std::string>().find("2 x 12 GB"), std::string::npos);
}

TEST(TrainingConfigKind, CustomCardsAreUsedIfNoneIsNamed) {
    const json card = card_of(
        {{"model", {{"preset", "bert-base"}}},
         {"custom_gpus",
          {{{"id", "mine"}, {"memory_gib", 10.5}, {"bandwidth_gb_s", 500}, {"fp32_tflops", 20}}}},
         {"what_ifs", false}});
    EXPECT_EQ(card["gpu"]["id"], "mine");
    EXPECT_EQ(card["gpu"]["total_bytes"], 10.5 * (1 << 30));
}

TEST(TrainingConfigKind, AJobStoresTheResolvedCards) {
    json args = bert();
    args.erase("gpus");
    const Plan plan = plan_of(args).value();
    EXPECT_EQ(json::parse(plan.args)["gpus"], json({"rtx_4090"}));
    EXPECT_EQ(plan_of(bert({{"gpus", {"all"}}})).value().tasks.size(), 21u);
}

struct Wrong {
    const char* what;
    json args;
    const char* pointer;
    const char* words;
};

TEST(TrainingConfigKind, BadInputNamesItsPlaceAndItsRule) {
    const auto dimensions = [](json d) {
        return bert({{"model", {{"dimensions", std::move(d)}}}});
    };
    const std::vector<Wrong> all = {
        {"no model", bert({{"model", json::object()}}), "/model", "Exactly one"},
        {"two models", bert({{"model", {{"preset", "gpt2"}, {"config", json::object()}}}}),
         "/model", "Exactly one"},
        {"unknown preset", bert({{"model", {{"preset", "bertha"}}}}), "/model/preset", "bert-base"},
        {"heads", dimensions({{"family", "bert"}, {"layers", 2}, {"hidden", 64}, {"heads", 7}}),
         "/model/dimensions/heads", "do not divide"},
        {"layers", dimensions({{"family", "naics"}, {"layers", 100}, {"hidden", 64}, {"heads", 4}}),
         "/model/dimensions", "At most 160 layers"},
        {"parameters",
         dimensions({{"family", "bert"}, {"layers", 160}, {"hidden", 65536}, {"heads", 64}}),
         "/model/dimensions/hidden", "parameters"},
        {"unknown architecture", bert({{"model", {{"config", {{"model_type", "mamba"}}}}}}),
         "/model/config/model_type", "mamba"},
        {"unknown card", bert({{"gpus", {"rtx_4090", "rtx_9090"}}}), "/gpus/1",
         "gpu-profiles list"},
        {"a mistyped card", bert({{"gpus", {"rtx_4009"}}}), "/gpus/0", "Did you mean"},
        {"sequence", bert({{"training", {{"sequence_length", 513}}}}), "/training/sequence_length",
         "positions"},
        {"a stage", bert({{"stages", {{{"name", "long"}, {"sequence_length", 513}}}}}),
         "/stages/0/sequence_length", "positions"},
        {"adapters of series",
         bert({{"model", {{"preset", "temporal"}}}, {"training", {{"lora", {{"rank", 8}}}}}}),
         "/training/lora", "text models"},
        {"head of series", bert({{"model", {{"preset", "lstm"}, {"head", "language_model"}}}}),
         "/model/head", "no language-model head"},
        {"frozen layers", bert({{"training", {{"frozen_layers", 13}}}}), "/training/frozen_layers",
         "between 0 and 12"},
        {"lengths", bert({{"training", {{"length_histogram", {{{"tokens", 9}, {"samples", 0}}}}}}}),
         "/training/length_histogram", "no samples"},
        {"lengths beyond the positions",
         bert({{"training", {{"length_histogram", {{{"tokens", 600}, {"samples", 1}}}}}}}),
         "/training/sequence_length", "positions"},
        {"tokens",
         bert({{"model", {{"preset", "llama-1b"}}},
               {"training", {{"sequence_length", 131072}, {"batch", 65536}}}}),
         "/training/batch", "tokens"},
        {"a custom card",
         bert({{"custom_gpus",
                {{{"id", "x"},
                  {"memory_gib", 8},
                  {"context_gib", 7},
                  {"bandwidth_gb_s", 1},
                  {"fp32_tflops", 1}}}}}),
         "/custom_gpus/0/context_gib", "half the memory"},
    };
    for (const Wrong& wrong : all) {
        const auto errors = errors_of(wrong.args);
        ASSERT_FALSE(errors.empty()) << wrong.what;
        EXPECT_EQ(errors.front().pointer, wrong.pointer) << wrong.what;
        EXPECT_NE(errors.front().message.find(wrong.words), std::string::npos)
            << wrong.what << ": " << errors.front().message;
    }
}

TEST(TrainingConfigKind, AnEstimateThatIsTooLargeSuggestsAJob) {
    const json args =
        bert({{"model", {{"preset", "gpt2-xl"}}}, {"gpus", {"all"}}, {"what_ifs", true}});
    const auto refused = kind().estimate(args, {});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().front().rule, "too_much_at_once");
    EXPECT_TRUE(plan_of(args).has_value());
}

}  // namespace
}  // namespace plimsoll::jobs::training_config
