#include "tests/unit/server/http/live/database_server.hpp"

#include "server/base/hex.hpp"
#include "server/identity/secret.hpp"
#include "server/kinds/operations.hpp"
#include "server/postgres/cluster/embedded_settings.hpp"

#include <boost/asio/post.hpp>

namespace plimsoll::http::test {
namespace {

using identity::make_secret;
using identity::SecretKind;

std::string quoted(const identity::Secret& secret) { return "'\\x" + hex(secret.hash) + "'"; }

// Puts everybody into the database that tests copy.
Secrets seed() {
    auto& cluster = conformance::Cluster::get();
    cluster.execute(R"(
        insert into plimsoll.app_user (name, is_admin) values ('ada', true), ('vera', false), ('tom', false);
        insert into plimsoll.team (name) values ('research'), ('trading');
        insert into plimsoll.membership (team_id, user_id, role)
        values (1, 1, 'owner'), (1, 2, 'viewer'), (2, 3, 'owner'))");
    const auto token = [&](int team, int user, const std::string& scopes, const std::string& end) {
        const auto secret = make_secret(SecretKind::token);
        cluster.execute(
            "insert into plimsoll.token (team_id, user_id, name, hash, hint, scopes, expires_at) "
            "values (" +
            std::to_string(team) + ", " + std::to_string(user) + ", 'test', " + quoted(secret) +
            ", '" + secret.text.substr(0, 12) + "', '{" + scopes + "}', " + end + ")");
        return secret.text;
    };
    const std::string all = "jobs:read,jobs:write,reports:read,team:admin,sys:admin";
    Secrets secrets;
    secrets.ada = token(1, 1, all, "null");
    secrets.vera = token(1, 2, all, "null");
    secrets.tom = token(2, 3, all, "null");
    secrets.narrow = token(1, 1, "jobs:read", "null");
    secrets.brief = token(1, 1, all, "'" + std::string(Secrets::kBriefEnd) + "'");
    const auto link = make_secret(SecretKind::sign_in);
    cluster.execute(
        "insert into plimsoll.sign_in_link (team_id, user_id, hash, expires_at) values (1, 1, " +
        quoted(link) + ", now() + interval '1 day')");
    secrets.link = link.text;

    std::string kinds;
    for (const auto& kind : jobs::contracts()) {
        kinds += (kinds.empty() ? "" : ",") + std::string(kind.name) + ":" +
                 std::to_string(kind.version);
    }
    cluster.execute(
        "select plimsoll.ensure_partitions(); "
        "select plimsoll.register_worker('node-a', 'host', 'host', '{" +
        kinds +
        "}', '{}', 12::smallint, 1, '{\"name\": \"node-a\"}', '{}'); "
        // It sends no heartbeats.
        "update plimsoll.worker set seen_at = seen_at + interval '1 day'");
    return secrets;
}

const Secrets& secrets() {
    static const Secrets secrets = seed();
    return secrets;
}

}  // namespace

DatabaseServer::DatabaseServer()
    : identity_(secrets()), server_database_(io_.get_executor(), database_.as(postgres::kAppRole)) {
    const Services services{.stores = stores_,
                            .kinds = jobs::contracts(),
                            .planner = planner_,
                            .password_service = password_service_,
                            .provider_service = provider_service_,
                            .webhook_targets = webhook_targets_,
                            .clock = clock_,
                            .draining = draining_,
                            .pool = pool_,
                            .computing = pool_,
                            .downloads = pool_};
    server_ = std::make_unique<HttpServer>(io_, services, jobs::add_operations, CallerQuotas{},
                                           "0.0.0", std::nullopt);
}

DatabaseServer::~DatabaseServer() {
    boost::asio::post(io_, [this] {
        server_->close();
        server_database_.stop();
    });
    if (thread_.joinable()) thread_.join();
}

Result<unsigned short> DatabaseServer::start(const ListenOptions& options) {
    const auto port = server_->start(options);
    if (!port) return port;
    server_database_.start();
    thread_ = std::thread([this] { io_.run(); });
    return port;
}

}  // namespace plimsoll::http::test
