#include "server/jobs/sentiment/run/score_by_policy.hpp"

#include "server/jobs/sentiment/contract/model_choice.hpp"
#include "server/jobs/sentiment/contract/texts.hpp"
#include "server/jobs/sentiment/run/idle/warm_up.hpp"
#include "server/jobs/sentiment/run/loaded_models.hpp"
#include "server/jobs/sentiment/run/score_by_model.hpp"
#include "server/jobs/sentiment/run/score_by_vader.hpp"

#include <optional>
#include <utility>

namespace plimsoll::jobs::sentiment {
namespace {

// The texts that one chain of the policy scores, in the order of the task.
struct Share {
    text::RecordBlockWriter block{0};
    std::vector<std::size_t> places;  // in the task
};

// What was found for a text, or why it has no model.
struct Found {
    ModelChoice choice;
    TextScores scores;
    std::optional<Error> refused;
};

std::string_view source_of(const text::RecordView& item) {
    return item.attributes[text::Attribute::source].value_or("");
}

bool makes_way(const Error& error) {
    return error.code == Errc::unavailable || error.code == Errc::exhausted ||
           error.code == Errc::not_found;
}

class PolicyScoring {
  public:
    PolicyScoring(Chooser& chooser, std::size_t texts, RunContext& context)
        : chooser_(chooser), texts_(texts), context_(context), used_(chains().size()) {}

    Result<void> run(TextSource source, TaskAnswer& answer) {
        if (auto shared = share_out(source); !shared) return shared;
        for (std::size_t chain = 0; chain < shares_.size(); ++chain) {
            if (shares_[chain].places.empty()) continue;
            if (auto scored = score_share(chain); !scored) return scored;
        }
        return tell(std::move(source), answer);
    }

  private:
    const std::vector<ModelChain>& chains() const { return chooser_.policy().chains; }

    Result<void> share_out(TextSource source) {
        shares_.resize(chains().size());
        while (true) {
            const auto record = source.next();
            if (!record) return fail(record.error());
            if (!*record) return {};
            Found found;
            const text::RecordView& item = **record;
            if (!item.is_error) {
                auto choice =
                    chooser_.choose(item.attributes[text::Attribute::time], source_of(item));
                if (choice) {
                    found.choice = *choice;
                    auto& share = shares_[choice->chain];
                    share.places.push_back(found_.size());
                    text::Record alone;
                    alone.text = item.text;
                    share.block.add(alone);
                } else {
                    found.refused = std::move(choice.error());
                }
            }
            if (item.is_error || found.refused) context_.progress.advance(1);
            found_.push_back(std::move(found));
        }
    }

    Result<void> score_share(std::size_t chain) {
        Share& share = shares_[chain];
        const auto block = share.block.take();
        const auto& models = chains()[chain].models;
        std::string fallback = chains()[chain].missing;
        for (std::size_t i = 0; i < models.size(); ++i) {
            auto scored = score_by(models[i], block, share.places);
            if (scored) {
                used_[chain] =
                    Choice{models[i].name,
                           models[i].hash,
                           models[i].form,
                           chains()[chain].asked,
                           chain < chains().size() - 1 ? static_cast<std::int64_t>(chain) + 1 : 0,
                           std::move(fallback)};
                return {};
            }
            if (!makes_way(scored.error()) || i + 1 == models.size()) return scored;
            fallback +=
                (fallback.empty() ? "" : "; ") + models[i].name + ": " + scored.error().message;
        }
        return fail(Errc::internal, "A policy names no model.");
    }

    Result<void> score_by(const UsableModel& model, std::string_view block,
                          const std::vector<std::size_t>& places) {
        auto source = TextSource::open(kTexts, "{}", block);
        if (!source) return fail(source.error());
        auto place = places.begin();
        const auto take = [&](const text::RecordView&, const TextScores* scores) {
            found_[*place++].scores = *scores;
        };
        if (model.hash.empty()) return score_by_vader(*source, context_, take);
        const auto loaded = loaded_model(model.name, model.hash, model.form, context_);
        if (!loaded) return fail(loaded.error());
        return score_by_model(*source, **loaded, texts_, context_, take);
    }

    Result<void> tell(TextSource source, TaskAnswer& answer) {
        for (const Found& found : found_) {
            auto record = source.next();
            if (!record) return fail(record.error());
            text::RecordView& item = **record;
            if (found.refused) {
                item.is_error = true;
                item.error_code = "invalid_time";
                item.error_message = found.refused->message;
            }
            if (item.is_error) {
                answer.add_failed(item);
                continue;
            }
            const Choice& choice = *used_[found.choice.chain];
            auto reason = chooser_.reason(found.choice, source_of(item));
            if (!choice.fallback.empty()) reason += "; " + choice.fallback;
            answer.add(item, found.scores, RowMore{.choice = &choice, .reason = reason});
        }
        return {};
    }

    Chooser& chooser_;
    std::size_t texts_;
    RunContext& context_;
    std::vector<Share> shares_;                // by chain
    std::vector<Found> found_;                 // by place in the task
    std::vector<std::optional<Choice>> used_;  // by chain
};

}  // namespace

Result<void> score_by_policy(const nlohmann::json& policy, TextSource source, std::size_t texts,
                             RunContext& context, TaskAnswer& answer) {
    auto chooser = Chooser::of(resolved_policy_from_json(policy));
    if (!chooser) return fail(chooser.error());
    if (context.device != nullptr) remember(chooser->policy());
    return PolicyScoring(*chooser, texts, context).run(std::move(source), answer);
}

}  // namespace plimsoll::jobs::sentiment
