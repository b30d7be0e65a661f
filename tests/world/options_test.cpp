#include "cairn/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cairn/world.hpp"

namespace cairn {
namespace {

// Converts to whatever a field is: an aggregate takes as many of them as it has fields.
struct Anything {
  template <class T>
  operator T() const;
};
template <class T, class... Fields>
constexpr std::size_t fieldsOf() {
  if constexpr (requires { T{Fields{}..., Anything{}}; })
    return fieldsOf<T, Fields..., Anything>();
  else
    return sizeof...(Fields);
}

template <class T>
void expectAllDescribed(std::string_view group) {
  const OptionGroup* options = findOptions(group);
  ASSERT_NE(options, nullptr) << group;
  EXPECT_EQ(options->options.size(), fieldsOf<T>()) << group;
}

TEST(Options, EveryFieldOfEveryStructIsDescribed) {
  expectAllDescribed<SoftOptions>("soft");
  expectAllDescribed<SolverSettings>("solver");
  expectAllDescribed<FrictionSettings>("friction");
  expectAllDescribed<VelocityOptions>("velocity");
  expectAllDescribed<SleepOptions>("sleep");
  expectAllDescribed<ImpactSettings>("impact");
  expectAllDescribed<LcpOptions>("lcp");
  expectAllDescribed<ShockOptions>("shock");
  expectAllDescribed<ImplicitOptions>("implicit");
  expectAllDescribed<GaussOptions>("gauss");
  expectAllDescribed<AccelerationOptions>("acceleration");
  expectAllDescribed<ImpulseOptions>("impulse");
  expectAllDescribed<PenaltyOptions>("penalty");
  expectAllDescribed<HybridOptions>("hybrid");
  expectAllDescribed<ContinuousOptions>("continuous");
  EXPECT_EQ(optionGroups().size(), 16u);
  // Besides the groups: gravity, pairs and audit, which are no single values or no matter of scenes.
  EXPECT_EQ(findOptions("")->options.size() + 15 + 3, fieldsOf<WorldSettings>());
}

TEST(Options, EachHasAPlaceOfItsOwnAndADefaultThatIsAllowed) {
  WorldSettings settings;
  std::set<const void*> places;
  for (const OptionGroup& group : optionGroups()) {
    for (const Option& option : group.options) {
      SCOPED_TRACE(std::string(group.name) + "." + std::string(option.name));
      std::visit(
          [&](auto* found) {
            EXPECT_TRUE(places.insert(found).second);
            using Value = std::remove_cvref_t<decltype(*found)>;
            if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, int>) {
              EXPECT_LT(option.least, option.most);
              EXPECT_GE(*found, option.least);
              EXPECT_LE(*found, option.most);
              EXPECT_TRUE(option.choices.empty());
            } else if constexpr (std::is_same_v<Value, std::string>) {
              const bool isKnown = std::find(option.choices.begin(), option.choices.end(), *found) != option.choices.end();
              EXPECT_TRUE(option.choices.empty() || isKnown);
            }
          },
          option.place(settings));
    }
  }
}

TEST(Options, WhatIsOutOfRangeIsRefusedByItsName) {
  for (const OptionGroup& group : optionGroups()) {
    for (const Option& option : group.options) {
      WorldSettings settings;
      const bool isChecked = std::visit(
          [&](auto* found) {
            using Value = std::remove_cvref_t<decltype(*found)>;
            if constexpr (std::is_same_v<Value, double>)
              *found = option.most * 1.01;
            else if constexpr (std::is_same_v<Value, int>)
              *found = static_cast<int>(option.least) - 2;
            else if constexpr (std::is_same_v<Value, std::string>)
              *found = "no such thing";
            return !std::is_same_v<Value, bool>;
          },
          option.place(settings));
      if (!isChecked) continue;
      const std::string field = (group.name.empty() ? "" : std::string(group.name) + ".") + option.member();
      try {
        World world(settings);
        ADD_FAILURE() << field << " was taken";
      } catch (const std::invalid_argument& error) {
        const bool isSolverName = field == "solver.name";  // makeSolver says what is wrong with it
        EXPECT_TRUE(isSolverName || std::string(error.what()).find(field + ":") == 0u) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace cairn
