// On PoCL. That the numbers are right is shown against float64 in tests/transformers.
#include "engine/opencl/probing/probe.hpp"
#include "engine/transformer/text_classifier.hpp"
#include "engine/transformer/text_model.hpp"
#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/routines/on_device.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace plimsoll::transformer {
namespace {

using routines::need;
using routines::programs;
using ::testing::HasSubstr;

class Embeddings : public testing::Test {
  protected:
    Result<TextModel> load(bool with_head) {
        TinyModel tiny;
        if (!with_head) {
            std::erase_if(tiny.tensors, [](const auto& tensor) {
                return tensor.first.starts_with("classifier") ||
                       tensor.first.starts_with("bert.pooler");
            });
        }
        tiny.write(folder_.path());
        return TextModel::load(folder_.path(), programs(), ledger_, capability_, plans_,
                               method_for(capability_, routines::Form::fp32), {});
    }

    TemporaryFolder folder_;
    opencl::Ledger ledger_{64 << 20};
    opencl::Capability capability_ = opencl::assess(programs().device());
    tuning::Plans plans_{programs().device().info()};
};

TEST_F(Embeddings, HaveUnitLengthAndDoNotDependOnOtherTexts) {
    auto model = need(load(false));
    const auto all = [&](const std::vector<std::string>& texts) {
        std::vector<std::vector<float>> found;
        need(embed(model, texts, {}, [&](std::span<const float> numbers, bool truncated) {
            EXPECT_EQ(truncated, texts[found.size()].size() > 200);
            found.emplace_back(numbers.begin(), numbers.end());
        }));
        return found;
    };
    std::vector<std::string> texts{"good news", "", "bad"};
    std::string longest;
    for (int i = 0; i < 100; ++i) longest += "bad ";
    texts.push_back(longest);
    for (int i = 0; i < 300; ++i) texts.push_back("good news for every one");  // several batches
    const auto found = all(texts);
    ASSERT_EQ(found.size(), texts.size());
    for (std::size_t i = 0; i < 5; ++i) {
        ASSERT_EQ(found[i].size(), 32U);
        double squares = 0;
        for (const double number : found[i]) squares += number * number;
        EXPECT_NEAR(std::sqrt(squares), 1, 1e-6);
        EXPECT_EQ(all({texts[i]}).at(0), found[i]);
    }
    EXPECT_EQ(found.back(), found[4]);
    EXPECT_NE(found[0], found[2]);
}

TEST_F(Embeddings, ComeFromModelsWithoutAHeadAndScoresFromOthers) {
    auto with_head = need(load(true));
    const std::vector<std::string> texts{"good"};
    const auto refused = embed(with_head, texts, {}, [](std::span<const float>, bool) { FAIL(); });
    EXPECT_THAT(refused.error().message, HasSubstr("has a classification head"));
    need(load(false));
    const auto scorer =
        TextClassifier::load(folder_.path(), programs(), ledger_, capability_, plans_,
                             method_for(capability_, routines::Form::fp32), {});
    EXPECT_THAT(scorer.error().message, HasSubstr("has no classification head"));
}

}  // namespace
}  // namespace plimsoll::transformer
