#include "server/http/messages/gzip_body.hpp"

#include "server/base/gzip.hpp"
#include "server/base/offload.hpp"
#include "server/http/messages/limits.hpp"

namespace plimsoll::http {

using boost::asio::awaitable;

namespace {

class GzipBody final : public BodyStream {
  public:
    GzipBody(std::unique_ptr<BodyStream> content, boost::asio::thread_pool& pool)
        : content_(std::move(content)), pool_(pool) {}

    awaitable<Result<std::optional<std::string>>> next() override {
        if (ended_) co_return std::nullopt;
        auto piece = co_await content_->next();
        if (!piece) co_return piece;
        std::string out;
        if (!*piece) {
            ended_ = true;
            gzip_.finish(out);
            co_return out;
        }
        const auto work = [&] { gzip_.add(**piece, out); };
        if ((*piece)->size() <= limits::kInlineBytes) {
            work();
        } else {
            co_await compute(pool_, work);
        }
        co_return out;
    }

  private:
    std::unique_ptr<BodyStream> content_;
    boost::asio::thread_pool& pool_;
    GzipStream gzip_;
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<BodyStream> gzip_body(std::unique_ptr<BodyStream> content,
                                      boost::asio::thread_pool& pool) {
    return std::make_unique<GzipBody>(std::move(content), pool);
}

}  // namespace plimsoll::http
