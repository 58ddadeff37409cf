// Edits that are based on what the author saw: refused if it is something else by now.
#include "tests/conformance/store_test.hpp"

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

namespace plimsoll::conformance {
namespace {

using nlohmann::json;

class EditPromises : public StoreTest {
  protected:
    EditPromises() : author_{people_.team, people_.user, "request-1"} {}

    Author saw(const json& editable) const {
        auto author = author_;
        author.seen = editable.dump();
        return author;
    }
    // `edit(author)` changes a resource that was `before` to something else.
    template <class Edit>
    void expect_one_edit_of(const json& before, const Edit& edit) {
        auto wrong = before;
        wrong["name"] = "never";
        const auto early = run(edit(saw(wrong)));
        ASSERT_FALSE(early);
        EXPECT_EQ(early.error().code, Errc::conflict);
        EXPECT_EQ(early.error().where, kSeen);
        must(edit(saw(before)));
        const auto late = run(edit(saw(before)));
        ASSERT_FALSE(late);
        EXPECT_EQ(late.error().where, kSeen);
        must(edit(author_));
    }

    Author author_;
};

TEST_F(EditPromises, OfAUser) {
    auto& store = stores_.identity;
    const auto user = must(store.create_user(author_, kind_ + " Ada", "", false));
    expect_one_edit_of(
        {{"name", user.name}, {"email", nullptr}, {"is_admin", false}, {"disabled", false}},
        [&](const Author& author) {
            identity::UserChange change;
            change.email = kind_ + "@example.com";
            return store.update_user(author, user.id, change);
        });
}

TEST_F(EditPromises, OfATeam) {
    auto& store = stores_.identity;
    const auto team = must(store.create_team(author_, kind_ + " ops"));
    expect_one_edit_of({{"name", team.name}, {"archived", false}}, [&](const Author& author) {
        identity::TeamChange change;
        change.archived = true;
        return store.update_team(author, team.id, change);
    });
}

TEST_F(EditPromises, OfAMember) {
    auto& store = stores_.identity;
    const auto ada = others().user;
    const auto set = [&](const Author& author) {
        return store.set_member(author, people_.team, ada, identity::Role::viewer);
    };
    const auto none = run(set(saw({{"role", "member"}})));
    ASSERT_FALSE(none) << "who is no member has no role that could be seen";
    EXPECT_EQ(none.error().where, kSeen);
    must(store.set_member(author_, people_.team, ada, identity::Role::member));
    expect_one_edit_of({{"role", "member"}}, set);
}

TEST_F(EditPromises, OfAServiceAccount) {
    auto& store = stores_.identity;
    const auto account =
        must(store.create_service_account(author_, kind_ + " ci", identity::Role::member));
    json before = {{"name", account.user.name}, {"role", "member"}, {"disabled", false}};
    expect_one_edit_of(before, [&](const Author& author) {
        identity::ServiceAccountChange change;
        change.role = identity::Role::viewer;
        return store.update_service_account(author, account.user.id, change);
    });
    before["role"] = "viewer";
    expect_one_edit_of(before, [&](const Author& author) {
        identity::ServiceAccountChange change;
        change.disabled = true;
        return store.update_service_account(author, account.user.id, change);
    });
}

TEST_F(EditPromises, OfAToken) {
    auto& store = stores_.identity;
    identity::Token token;
    token.user = people_.user;
    token.name = "ci";
    token.scopes = {"jobs:read"};
    const auto id = must(store.create_token(author_, token, std::string(32, kind_[0]), {})).id;
    expect_one_edit_of({{"name", "ci"}}, [&](const Author& author) {
        return store.rename_token(author, id, "nightly");
    });
}

TEST_F(EditPromises, OfAWebhook) {
    auto& store = stores_.webhooks;
    webhooks::Webhook webhook;
    webhook.name = "pipeline";
    webhook.url = "https://hooks.example.com/x";
    webhook.format = "slack";
    webhook.labels = R"({"desk": "energy"})";
    const auto id = must(store.create(author_, webhook, std::string(32, 's'))).id;
    webhooks::Webhook to;
    to.url = "https://hooks.example.com/y";
    expect_one_edit_of({{"name", "pipeline"},
                        {"url", webhook.url},
                        {"format", "slack"},
                        {"labels", {{"desk", "energy"}}}},
                       [&](const Author& author) { return store.update(author, id, to); });
}

TEST_F(EditPromises, OfANamedRecord) {
    auto& store = stores_.records;
    constexpr jobs::Collection kNamed{.name = "gpu_profile", .max = 2, .is_named = true};
    jobs::TeamRecord record;
    record.name = "card";
    record.data = R"({"name": "later", "gib": 2.50})";
    const auto put = [&](const Author& author) { return store.put(kNamed, author, record); };
    const auto none = run(put(saw({{"name", "card"}})));
    ASSERT_FALSE(none) << "a record that is not there was not seen";
    EXPECT_EQ(none.error().where, kSeen);
    auto first = record;
    first.data = R"({ "gib": 1.0, "name": "card" })";
    auto creator = author_;
    creator.seen = "null";
    must(store.put(kNamed, creator, first));
    const auto again = run(store.put(kNamed, creator, first));
    ASSERT_FALSE(again) << "it was not there";
    EXPECT_EQ(again.error().where, kSeen);
    expect_one_edit_of({{"name", "card"}, {"gib", 1.0}}, put);
}

}  // namespace
}  // namespace plimsoll::conformance
