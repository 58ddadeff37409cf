// The GPU models that are known: those that ship, and the team's own.
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/kinds/advice.hpp"

namespace plimsoll::http::endpoints {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

class GpuProfiles {
  public:
    GpuProfiles(advice::RecordStore& store, const advice::Advisor& advisor)
        : store_(store), advisor_(advisor) {}

    awaitable<Outcome<Response>> list(const Call& call) const {
        const auto cards = co_await store_.cards(call.principal.team.id);
        if (!cards) co_return tl::unexpected<Problem>(cards.error());
        co_return json_response(200, advisor_.profiles(*cards));
    }

    awaitable<Outcome<Response>> put(const Call& call) const {
        auto card = call.body;
        card["id"] = id_of(call);
        const auto profile = advisor_.profile(card);
        if (!profile) {
            Problem problem(422, "The GPU profile breaks a rule.");
            for (const auto& error : profile.error()) {
                problem.errors.push_back({error.pointer, {}, error.message});
            }
            co_return tl::unexpected(std::move(problem));
        }
        const auto stored = co_await store_.put_card(author_of(call), {id_of(call), card.dump()});
        if (!stored) co_return tl::unexpected<Problem>(stored.error());
        co_return json_response(200, *profile);
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto removed = co_await store_.remove_card(author_of(call), id_of(call));
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

  private:
    static std::string id_of(const Call& call) {
        return call.parameters.text("gpu_profile_id").value_or("");
    }
    advice::RecordStore& store_;
    const advice::Advisor& advisor_;
};

}  // namespace

void add_gpu_profiles(Handlers& handlers, advice::RecordStore& store,
                      const advice::Advisor& advisor) {
    const auto profiles = std::make_shared<const GpuProfiles>(store, advisor);
    handlers["listGpuProfiles"] = [profiles](const Call& call) { return profiles->list(call); };
    handlers["setGpuProfile"] = [profiles](const Call& call) { return profiles->put(call); };
    handlers["deleteGpuProfile"] = [profiles](const Call& call) { return profiles->remove(call); };
}

}  // namespace plimsoll::http::endpoints
