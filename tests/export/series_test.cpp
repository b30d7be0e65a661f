#include "export/series.hpp"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cmath>

namespace cairn {
namespace {

rapidjson::Document described(const Series& series) {
  CompactJson out;
  out.object("", [&] { series.describe(out); });
  rapidjson::Document document;
  document.Parse(out.text().c_str());
  EXPECT_FALSE(document.HasParseError());
  return document;
}

Moment momentOf(long step, double kinetic, double residual) {
  Moment moment;
  moment.step = step;
  moment.time = 0.01 * static_cast<double>(step);
  moment.facts.kinetic = kinetic;
  moment.facts.residual = residual;
  moment.facts.phaseMs[5] = 2.0;
  return moment;
}

TEST(Series, ShortRunsKeepEveryStep) {
  Series series(3);
  series.add(momentOf(1, 5.0, NAN));
  series.add(momentOf(2, 3.0, 0.25));
  const auto document = described(series);
  const auto& all = document["series"];
  ASSERT_EQ(all["time"].Size(), 2u);
  EXPECT_EQ(all["kinetic"][0].GetDouble(), 5.0);
  EXPECT_EQ(all["kinetic"][1].GetDouble(), 3.0);
  EXPECT_TRUE(all["residual"][0].IsNull());
  EXPECT_EQ(all["residual"][1].GetDouble(), 0.25);
  EXPECT_EQ(all["phases"]["solve"][1].GetDouble(), 2.0);
}

TEST(Series, LongRunsStayShortAndLoseNoPeak) {
  constexpr long kSteps = 123457;
  Series series(kSteps);
  for (long step = 1; step <= kSteps; ++step) {
    double value = std::sin(1e-3 * static_cast<double>(step));
    if (step == 50001) value = 100.0;
    if (step == 77777) value = -100.0;
    series.add(momentOf(step, value, NAN));
  }
  const auto document = described(series);
  const auto& all = document["series"];
  const rapidjson::SizeType count = all["time"].Size();
  EXPECT_LE(count, 2000u);
  EXPECT_GT(count, 1000u);
  double most = 0.0, least = 0.0, last = -1.0;
  for (rapidjson::SizeType i = 0; i < count; ++i) {
    EXPECT_GE(all["time"][i].GetDouble(), last) << "times fall";
    last = all["time"][i].GetDouble();
    most = std::max(most, all["kinetic"][i].GetDouble());
    least = std::min(least, all["kinetic"][i].GetDouble());
    EXPECT_TRUE(all["residual"][i].IsNull());
  }
  EXPECT_EQ(most, 100.0);
  EXPECT_EQ(least, -100.0);
  for (const auto& member : all.GetObject()) {
    if (member.value.IsArray()) EXPECT_EQ(member.value.Size(), count) << member.name.GetString();
  }
}

}  // namespace
}  // namespace cairn
