#include "server/oidc/mapping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::oidc {
namespace {

using identity::MappedTeam;
using identity::Role;
using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::SizeIs;

Mapping mapping(const std::string& text) { return Mapping::parse(text).value(); }

// "research member, main none"
std::string shown(const std::vector<MappedTeam>& teams) {
    std::string text;
    for (const auto& [name, role] : teams) {
        text += (text.empty() ? "" : ", ") + name + ' ' +
                (role ? std::string(identity::to_string(*role)) : "none");
    }
    return text;
}

TEST(Mapping, TheHighestRoleOfTheGroupsCounts) {
    const auto rules =
        mapping("engineers = research:member, leads=research:admin , guests = main:viewer");
    EXPECT_EQ(shown(rules.of({"engineers"})), "research member, main none");
    EXPECT_EQ(shown(rules.of({"leads", "engineers", "guests"})), "research admin, main viewer");
    EXPECT_EQ(shown(rules.of({})), "research none, main none");
    EXPECT_EQ(shown(rules.of({"Engineers"})), "research none, main none") << "case counts";
}

TEST(Mapping, AStarMeansEverybody) {
    EXPECT_EQ(shown(mapping("*=main:viewer, staff=main:member").of({})), "main viewer");
    EXPECT_EQ(shown(mapping("*=main:viewer, staff=main:member").of({"staff"})), "main member");
}

TEST(Mapping, GroupsMayHaveEqualsSignsAndTeamsSpaces) {
    EXPECT_EQ(shown(mapping("ou=staff=the press office:member").of({"ou=staff"})),
              "the press office member");
}

TEST(Mapping, InvalidEntriesAreNamed) {
    for (const auto* text : {"staff", "staff=main", "staff=main:captain", "=main:viewer",
                             "staff=:viewer", "staff:main=viewer", "a=b:viewer, c"}) {
        EXPECT_FALSE(Mapping::parse(text)) << text;
    }
    EXPECT_TRUE(mapping("").empty());
    EXPECT_TRUE(mapping(" , ").empty());
}

Admission admission(const std::string& groups = "*=main:viewer") {
    return {
        .groups_claim = "groups", .mapping = mapping(groups), .admin_groups = {}, .domains = {}};
}

TEST(Admission, AnAddressCountsIfItIsVerified) {
    const auto address = [](json claims) {
        claims["sub"] = "s";
        return admission().admit(claims).value().email;
    };
    EXPECT_EQ(address({{"email", "Ada@Example.com"}, {"email_verified", true}}), "ada@example.com");
    EXPECT_EQ(address({{"email", "ada@example.com"}, {"email_verified", "true"}}),
              "ada@example.com");
    EXPECT_EQ(address({{"email", "ada@example.com"}, {"email_verified", false}}), "");
    EXPECT_EQ(address({{"email", "ada@example.com"}}), "");
    for (const auto* bad : {"ada", "@example.com", "ada@", "a@b@c", "a b@c.d", "a\n@c.d"})
        EXPECT_EQ(address({{"email", bad}, {"email_verified", true}}), "") << bad;
}

TEST(Admission, DomainsAreTheWholeDomain) {
    auto rules = admission();
    rules.domains = parse_domains("Example.com, example.org").value();
    const auto admits = [&](const char* address, bool verified) {
        return rules.admit({{"sub", "s"}, {"email", address}, {"email_verified", verified}})
            .has_value();
    };
    EXPECT_TRUE(admits("ada@EXAMPLE.com", true));
    EXPECT_TRUE(admits("ada@example.org", true));
    EXPECT_FALSE(admits("ada@example.com", false));
    EXPECT_FALSE(admits("ada@evil-example.com", true));
    EXPECT_FALSE(admits("ada@sub.example.com", true));
    EXPECT_FALSE(admits("ada@example.com.evil.org", true));
    EXPECT_FALSE(rules.admit({{"sub", "s"}}));
    EXPECT_FALSE(parse_domains("https://example.com"));
    EXPECT_FALSE(parse_domains(".com"));
}

TEST(Admission, GroupsMayBeNestedOrASingleOne) {
    auto rules = admission("staff=main:member");
    const auto role = [&](json claims) {
        claims["sub"] = "s";
        return shown(rules.admit(claims).value().teams);
    };
    EXPECT_EQ(role({{"groups", {"staff", 7}}}), "main member");
    EXPECT_EQ(role({{"groups", "staff"}}), "main member");
    EXPECT_EQ(role({{"groups", {{"staff", true}}}}), "main none");
    EXPECT_EQ(role(json::object()), "main none");
    rules.groups_claim = "realm_access.roles";
    EXPECT_EQ(role({{"realm_access", {{"roles", {"staff"}}}}}), "main member");
    EXPECT_EQ(role({{"realm_access", "staff"}}), "main none");
    rules.groups_claim = "https://example.com/groups";
    EXPECT_EQ(role({{"https://example.com/groups", {"staff"}}}), "main member");
}

TEST(Admission, GroupsDecideWhoIsASystemAdminIfTheyAreNamed) {
    auto rules = admission();
    const auto admin = [&](const char* group) {
        return rules.admit({{"sub", "s"}, {"groups", {group}}}).value().admin;
    };
    EXPECT_EQ(admin("ops"), std::nullopt);
    rules.admin_groups = parse_groups(" ops, platform leads ,,");
    EXPECT_EQ(admin("ops"), true);
    EXPECT_EQ(admin("platform leads"), true);
    EXPECT_EQ(admin("op"), false);
    rules.mapping = {};
    EXPECT_EQ(admin("ops"), true) << "without a mapping, too";
    EXPECT_EQ(rules.admit({{"sub", "s"}})->admin, false);
}

// Without them, everybody in many groups would lose every role.
TEST(Admission, OmittedGroupsAreNotNoGroups) {
    EXPECT_FALSE(admission().admit({{"sub", "s"},
                                    {"_claim_names", {{"groups", "src1"}}},
                                    {"_claim_sources", json::object()}}));
}

TEST(Admission, ANewUserHasANameThatCanBeShown) {
    const auto names = [](json claims) {
        claims["sub"] = "248289761001";
        auto found = admission().admit(claims).value().names;
        EXPECT_THAT(found.back(), MatchesRegex("user [A-Za-z0-9_-]{12}"));
        found.pop_back();
        return found;
    };
    EXPECT_THAT(
        names({{"name", " Ada Lovelace "}, {"preferred_username", "ada"}, {"email", "a@b.c"}}),
        ElementsAre("Ada Lovelace", "ada", "a@b.c", "248289761001"));
    EXPECT_THAT(names({{"name", "a\nb"}, {"preferred_username", std::string(65, 'x')}}),
                ElementsAre("248289761001"));
    EXPECT_THAT(names({{"name", "248289761001"}}), ElementsAre("248289761001"));
    EXPECT_THAT(names({{"name", "Jörg Łukasz"}}), ElementsAre("Jörg Łukasz", "248289761001"));
    // In Cyrillic, fullwidth, turned round, with what nobody sees, and without a first letter.
    for (const auto* look :
         {"m\u0456a", "\uff4dia", "\u202eaim", "m\u200bia", "m\u00adia", "m×a", "-mia"}) {
        EXPECT_THAT(names({{"name", look}}), ElementsAre("248289761001")) << look;
    }
    EXPECT_THAT(admission().admit({{"sub", "auth0|\u0456"}})->names, SizeIs(1));
}

// Whole names, too, and what begins in Latin letters: identity-provider.md says which claim counts.
TEST(Admission, ANameInAnotherScriptLeavesTheNextClaim) {
    for (const auto* name : {"Анна Ахматова", "Ελένη Βιτάλη", "نجيب محفوظ", "עמוס עוז", "村上春樹",
                             "한강", "प्रेमचंद", "ანა", "Anna Ахматова", "Þórarinn 村上"}) {
        const auto names = admission()
                               .admit({{"sub", "auth0|7"},
                                       {"name", name},
                                       {"preferred_username", name},
                                       {"email", "anna@example.com"}})
                               ->names;
        EXPECT_THAT(names, ElementsAre("anna@example.com", MatchesRegex("user .{12}"))) << name;
    }
}

}  // namespace
}  // namespace plimsoll::oidc
