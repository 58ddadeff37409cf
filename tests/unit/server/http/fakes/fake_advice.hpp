#pragma once

#include "server/advice/advisor.hpp"

#include <algorithm>

namespace plimsoll::http::test {

// Cards and measurements of one team in memory. For the I/O thread.
class FakeRecords final : public advice::RecordStore {
  public:
    template <class T>
    using Answer = advice::awaitable<Result<T>>;

    Answer<std::vector<advice::Card>> cards(TeamId) override { co_return cards_; }
    Answer<void> put_card(Author, advice::Card card) override {
        std::erase_if(cards_, [&](const auto& one) { return one.id == card.id; });
        cards_.push_back(std::move(card));
        co_return Result<void>{};
    }
    Answer<void> remove_card(Author, std::string id) override {
        if (std::erase_if(cards_, [&](const auto& one) { return one.id == id; }) == 0) {
            co_return fail(Errc::not_found, "The team has no such GPU profile.");
        }
        co_return Result<void>{};
    }
    Answer<std::vector<advice::Measurement>> measurements(TeamId, std::optional<JobId> job,
                                                          int) override {
        std::vector<advice::Measurement> found;
        for (const auto& one : measurements_) {
            if (!job || one.job == job) found.insert(found.begin(), one);
        }
        co_return found;
    }
    Answer<advice::Measurement> add_measurement(Author, advice::Measurement m) override {
        m.id = {next_++};
        measurements_.push_back(m);
        co_return m;
    }
    Answer<void> remove_measurement(Author, advice::MeasurementId id) override {
        if (std::erase_if(measurements_, [&](const auto& one) { return one.id == id; }) == 0) {
            co_return fail(Errc::not_found, "There is no such measurement.");
        }
        co_return Result<void>{};
    }

  private:
    std::vector<advice::Card> cards_;
    std::vector<advice::Measurement> measurements_;
    std::int64_t next_ = 1;
};

// Names a device of the pool for "auto" and predicts 1 GiB for every run.
class FakeAdvisor final : public advice::Advisor {
  public:
    using Json = nlohmann::json;

    bool knows(std::string_view kind) const override { return kind == "training-config"; }
    tl::expected<Json, jobs::FieldErrors> complete(
        Json args, const advice::Knowledge& knowledge) const override {
        for (auto& gpu : args["gpus"]) {
            if (gpu != "auto") continue;
            if (knowledge.devices.empty()) {
                return tl::unexpected(jobs::FieldErrors{{"/gpus/0", "no_device", "No GPU."}});
            }
            gpu = "t4";
        }
        return args;
    }
    Json profiles(const std::vector<advice::Card>& cards) const override {
        Json items = Json::array();
        for (const auto& card : cards) items.push_back(*profile(Json::parse(card.definition)));
        return {{"default", "rtx_4090"}, {"items", std::move(items)}};
    }
    tl::expected<Json, jobs::FieldErrors> profile(const Json& card) const override {
        if (card["memory_gib"] == 13) {
            return tl::unexpected(jobs::FieldErrors{{"/memory_gib", "invalid", "Not 13."}});
        }
        const Json figure = {{"value", 1}, {"source", "given by the user"}};
        Json out = {{"id", card["id"]},         {"name", card.value("name", "?")},
                    {"architecture", "custom"}, {"compute_capability", "8.0"},
                    {"nominal_gb", 1},          {"custom", true},
                    {"guide", nullptr}};
        for (const auto* member : {"memory_bytes", "context_bytes", "multiprocessors", "bandwidth",
                                   "fp32_flops", "tf32_flops", "fp16_flops", "bf16_flops"}) {
            out[member] = figure;
        }
        return out;
    }
    tl::expected<advice::Measurement, jobs::FieldErrors> compare(
        const Json& measured) const override {
        advice::Measurement m;
        m.comparison_key = "bert fp32";
        m.predicted_bytes = 1 << 30;
        m.measured_bytes = measured["measured"]["peak_reserved_bytes"];
        Json data = {{"source", measured["source"]},
                     {"gpu", measured["gpu"]},
                     {"model", "bert-base"},
                     {"comparison_key", m.comparison_key},
                     {"batch", measured["batch"]},
                     {"accumulation", 1},
                     {"predicted",
                      {{"peak_reserved_bytes", 1 << 30},
                       {"peak_allocated_bytes", 1 << 30},
                       {"context_bytes", 1 << 29},
                       {"step_seconds", 0.5},
                       {"max_batch", 64}}},
                     {"measured", measured["measured"]},
                     {"ratio", 1.0},
                     {"samples", Json::array()}};
        data["gpu"]["id"] = "t4";
        m.data = data.dump();
        return m;
    }
};

}  // namespace plimsoll::http::test
