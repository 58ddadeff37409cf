#include "server/app/database.hpp"

#include "server/postgres/cluster/embedded_settings.hpp"

namespace plimsoll::app {
namespace {

Result<std::filesystem::path> data_directory(const Settings& settings) {
    if (settings.database.data_directory.empty()) return postgres::default_data_directory();
    return std::filesystem::absolute(settings.database.data_directory);
}

}  // namespace

void Database::set_private(const std::string& conninfo) {
    app_ = {conninfo, "plimsoll_app"};
    migrate_ = {conninfo, postgres::kEmbeddedSuperuser};
    worker_url_ = conninfo + " user=plimsoll_worker";
}

Result<std::unique_ptr<Database>> Database::attach(const Settings& settings) {
    auto database = std::make_unique<Database>();
    database->settings_ = settings;
    const auto& chosen = settings.database;
    if (!chosen.url.empty()) {
        database->app_ = {chosen.url, ""};
        database->migrate_ = {chosen.migrate_url, ""};
        database->worker_url_ = chosen.worker_url.empty() ? chosen.url : chosen.worker_url;
        return database;
    }
    TRY(auto data, data_directory(settings));
    TRY(auto conninfo, postgres::EmbeddedCluster::conninfo_of(data, chosen.postgres));
    database->set_private(conninfo);
    return database;
}

Result<std::unique_ptr<Database>> Database::open(const Settings& settings) {
    auto database = attach(settings);
    if (!database || !settings.database.url.empty()) return database;
    TRY_DO((*database)->restart());
    return database;
}

Result<void> Database::restart() {
    const std::lock_guard lock(mutex_);
    keeps_cluster_ = true;
    cluster_.reset();  // releases the data directory's lock
    TRY(auto data, data_directory(settings_));
    TRY(cluster_, postgres::EmbeddedCluster::start(data, settings_.database.postgres));
    return {};
}

void Database::set_address(const std::string& address) {
    const std::lock_guard lock(mutex_);
    if (cluster_) cluster_->set_address(address);
}

std::optional<std::string> Database::address() const {
    const auto data = data_directory(settings_);
    return embedded() && data ? postgres::served_address(*data) : std::nullopt;
}

bool Database::is_alive() const {
    // During a restart there is nothing to report, and the caller must not block.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return !lock || !keeps_cluster_ || (cluster_ && cluster_->is_alive());
}

void Database::close() {
    const std::lock_guard lock(mutex_);
    keeps_cluster_ = false;
    cluster_.reset();
}

}  // namespace plimsoll::app
