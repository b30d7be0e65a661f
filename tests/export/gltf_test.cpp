// glTF files read back by tinygltf and judged by the rules of glTF 2.0 and by the CSV of the same run.
#include <gtest/gtest.h>
#include <tiny_gltf.h>

#include <random>

#include "../app/running.hpp"
#include "decode.hpp"
#include "export/key_track.hpp"

namespace cairn {
namespace {

// Numbers of an accessor, every access checked against the buffer.
std::vector<float> floats(const tinygltf::Model& model, int index, int width) {
  const tinygltf::Accessor& accessor = model.accessors.at(index);
  const tinygltf::BufferView& view = model.bufferViews.at(accessor.bufferView);
  EXPECT_EQ(accessor.componentType, TINYGLTF_COMPONENT_TYPE_FLOAT);
  EXPECT_EQ(tinygltf::GetNumComponentsInType(accessor.type), width);
  EXPECT_EQ((view.byteOffset + accessor.byteOffset) % 4, 0u);
  EXPECT_LE(accessor.byteOffset + accessor.count * width * 4, view.byteLength);
  EXPECT_LE(view.byteOffset + view.byteLength, model.buffers.at(view.buffer).data.size());
  std::vector<float> numbers(accessor.count * width);
  std::memcpy(numbers.data(), model.buffers[view.buffer].data.data() + view.byteOffset + accessor.byteOffset,
              4 * numbers.size());
  return numbers;
}

void checkMeshes(const tinygltf::Model& model) {
  for (const tinygltf::Mesh& mesh : model.meshes) {
    for (const tinygltf::Primitive& primitive : mesh.primitives) {
      const int place = primitive.attributes.at("POSITION");
      const std::vector<float> positions = floats(model, place, 3);
      const std::vector<float> normals = floats(model, primitive.attributes.at("NORMAL"), 3);
      ASSERT_EQ(positions.size(), normals.size());
      for (std::size_t i = 0; i < positions.size(); ++i) {
        EXPECT_GE(positions[i], static_cast<float>(model.accessors[place].minValues.at(i % 3)));
        EXPECT_LE(positions[i], static_cast<float>(model.accessors[place].maxValues.at(i % 3)));
      }
      for (std::size_t i = 0; i < normals.size(); i += 3)
        EXPECT_NEAR(std::hypot(normals[i], normals[i + 1], normals[i + 2]), 1.0, 1e-5);
      const tinygltf::Accessor& indices = model.accessors.at(primitive.indices);
      const tinygltf::BufferView& view = model.bufferViews.at(indices.bufferView);
      ASSERT_EQ(indices.componentType, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT);
      ASSERT_LE(indices.byteOffset + 4 * indices.count, view.byteLength);
      std::vector<std::uint32_t> corners(indices.count);
      std::memcpy(corners.data(), model.buffers[view.buffer].data.data() + view.byteOffset + indices.byteOffset,
                  4 * corners.size());
      EXPECT_EQ(corners.size() % 3, 0u);
      for (std::size_t i = 0; i < corners.size(); i += 3) {
        Eigen::Vector3f p[3], n = Eigen::Vector3f::Zero();
        for (int k = 0; k < 3; ++k) {
          ASSERT_LT(corners[i + k], positions.size() / 3);
          p[k] = Eigen::Vector3f(&positions[3 * corners[i + k]]);
          n += Eigen::Vector3f(&normals[3 * corners[i + k]]);
        }
        EXPECT_GT((p[1] - p[0]).cross(p[2] - p[0]).dot(n), 0.0f) << "a triangle faces inwards";
      }
      ASSERT_LT(primitive.material, static_cast<int>(model.materials.size()));
    }
  }
}

struct Channel {
  std::vector<float> times, values;
  std::string how;
};
// By body and "translation", "rotation" or "scale".
std::map<std::string, std::map<std::string, Channel>> channelsOf(const tinygltf::Model& model) {
  std::map<std::string, std::map<std::string, Channel>> all;
  for (const tinygltf::Animation& animation : model.animations) {
    for (const tinygltf::AnimationChannel& channel : animation.channels) {
      const tinygltf::AnimationSampler& sampler = animation.samplers.at(channel.sampler);
      Channel found{floats(model, sampler.input, 1),
                    floats(model, sampler.output, channel.target_path == "rotation" ? 4 : 3), sampler.interpolation};
      for (std::size_t i = 1; i < found.times.size(); ++i) EXPECT_GT(found.times[i], found.times[i - 1]);
      EXPECT_FLOAT_EQ(static_cast<float>(model.accessors[sampler.input].minValues.at(0)), found.times.front());
      EXPECT_FLOAT_EQ(static_cast<float>(model.accessors[sampler.input].maxValues.at(0)), found.times.back());
      all[model.nodes.at(channel.target_node).name].emplace(channel.target_path, std::move(found));
    }
  }
  return all;
}

// As glTF defines LINEAR: held before the first key and after the last, spherical for rotations.
Eigen::VectorXf sample(const Channel& channel, float time, int width) {
  const auto after = std::upper_bound(channel.times.begin(), channel.times.end(), time);
  const auto value = [&](std::ptrdiff_t i) {
    return Eigen::VectorXf(Eigen::Map<const Eigen::VectorXf>(&channel.values[width * i], width));
  };
  const std::ptrdiff_t i = after - channel.times.begin();
  if (i == 0) return value(0);
  if (after == channel.times.end() || channel.how == "STEP") return value(i - 1);
  const float share = (time - channel.times[i - 1]) / (channel.times[i] - channel.times[i - 1]);
  if (width == 3) return value(i - 1) + share * (value(i) - value(i - 1));
  return Eigen::Quaternionf(Eigen::Vector4f(value(i - 1)))
      .slerp(share, Eigen::Quaternionf(Eigen::Vector4f(value(i))))
      .coeffs();
}

using Gltf = InAFolder;

TEST_F(Gltf, TheAnimationMovesAsTheCsvSays) {
  ASSERT_EQ(run({"run", "tower", "--set", "layers=2", "--seconds", "10.5", "--quiet", "--record", path("a.csv"), "--record",
                 path("a.glb"), "--record", path("a.gltf"), "--replay", path("a.html")})
                .code,
            0);
  tinygltf::Model model;
  std::string error, warning;
  ASSERT_TRUE(tinygltf::TinyGLTF().LoadBinaryFromFile(&model, &error, &warning, path("a.glb"))) << error;
  EXPECT_TRUE(warning.empty()) << warning;
  // The frame of the file: its length in the head, parts of whole words.
  const std::string bytes = text("a.glb");
  std::uint32_t words[5];
  std::memcpy(words, bytes.data(), sizeof words);
  EXPECT_EQ(words[0], 0x46546C67u);
  EXPECT_EQ(words[1], 2u);
  EXPECT_EQ(words[2], bytes.size());
  EXPECT_EQ(words[3] % 4, 0u);
  EXPECT_EQ(words[4], 0x4E4F534Au);

  tinygltf::Model same;
  ASSERT_TRUE(tinygltf::TinyGLTF().LoadASCIIFromFile(&same, &error, &warning, path("a.gltf"))) << error;
  EXPECT_EQ(same.buffers.at(0).data, model.buffers.at(0).data);
  EXPECT_TRUE(same.nodes == model.nodes);

  checkMeshes(model);
  const std::string page = text("a.html");
  rapidjson::Document scene;
  scene.Parse(testing::elementText(page, "cairn-replay").c_str());
  const auto& origin = scene["scene"]["origin"];
  const auto channels = channelsOf(model);
  std::map<std::string, const tinygltf::Node*> nodes;
  for (const tinygltf::Node& node : model.nodes) nodes[node.name] = &node;
  const tinygltf::Node& root = *nodes.at("tower");
  const Quat turn(root.rotation[3], root.rotation[0], root.rotation[1], root.rotation[2]);
  EXPECT_LT((turn * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-12) << "z up must become y up";

  std::size_t compared = 0, keys = 0;
  for (const auto& [time, rows] : testing::readCsv(text("a.csv"))) {
    for (const auto& [name, row] : rows) {
      const tinygltf::Node& node = *nodes.at(name);
      Vec3 p(node.translation[0], node.translation[1], node.translation[2]);
      Quat q(node.rotation[3], node.rotation[0], node.rotation[1], node.rotation[2]);
      if (const auto found = channels.find(name); found != channels.end()) {
        if (const auto track = found->second.find("translation"); track != found->second.end())
          p = Vec3(sample(track->second, static_cast<float>(time), 3).cast<double>());
        if (const auto track = found->second.find("rotation"); track != found->second.end())
          q = Quat(Eigen::Vector4d(sample(track->second, static_cast<float>(time), 4).cast<double>()));
      }
      for (int k = 0; k < 3; ++k) p[k] += origin[k].GetDouble();
      // 0.1 mm and 0.1 mrad, and what single precision adds at these times and places.
      ASSERT_LT((p - Vec3(row.p[0], row.p[1], row.p[2])).norm(), 1e-4 + 1e-5) << name << " at " << time;
      ASSERT_LT(q.angularDistance(Quat(row.q[0], row.q[1], row.q[2], row.q[3])), 1e-4 + 1e-5) << name << " at " << time;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10000u);
  for (const auto& [name, tracks] : channels) {
    for (const auto& [what, track] : tracks) {
      keys += track.times.size();
      if (what != "rotation") continue;
      for (std::size_t i = 0; i < track.values.size(); i += 4)
        EXPECT_NEAR(Eigen::Vector4f(&track.values[i]).norm(), 1.0f, 1e-6f);
    }
  }
  EXPECT_LT(keys, compared) << "nothing was left out";
  // The block comes at 5 s, the ball a little before 10 s.
  for (const char* name : {"block", "cannonball"}) {
    const Channel& scale = channels.at(name).at("scale");
    EXPECT_EQ(scale.how, "STEP");
    EXPECT_EQ(scale.values, (std::vector<float>{0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(scale.times[0], 0.0f);
    EXPECT_EQ(scale.times[1], channels.at(name).at("translation").times.front());
  }
  EXPECT_EQ(channels.count("brick.0.0") ? channels.at("brick.0.0").count("scale") : 0u, 0u);
}

TEST_F(Gltf, EveryShapeHasAMesh) {
  ASSERT_EQ(run({"run", "shapes", "--seconds", "1", "--quiet", "--record", path("a.glb")}).code, 0);
  tinygltf::Model model;
  std::string error, warning;
  ASSERT_TRUE(tinygltf::TinyGLTF().LoadBinaryFromFile(&model, &error, &warning, path("a.glb"))) << error;
  checkMeshes(model);
  EXPECT_GE(model.meshes.size(), 8u);  // seven bodies and the ground
}

TEST(KeyTrack, RestTakesOneKeyAndStraightMotionFew) {
  KeyTrack<PositionTrait> rest(1e-4), straight(1e-4), still(1e-4);
  for (int i = 0; i <= 900; ++i) {
    const double time = i / 60.0;
    rest.add(time, Vec3(1, 2, 3) + 5e-5 * Vec3(std::sin(time), 0, 0));
    straight.add(time, Vec3(time, -2 * time, 0));
    still.add(time, Vec3(1, 2, 3));
  }
  rest.finish();
  straight.finish();
  still.finish();
  EXPECT_EQ(rest.keys().size(), 1u);
  EXPECT_EQ(still.keys().size(), 1u);
  EXPECT_LE(straight.keys().size(), 16u);  // one at least every 65 samples
  EXPECT_EQ(straight.keys().back().time, 15.0f);
}

TEST(KeyTrack, WhatIsLeftOutComesBackWithinTheTolerance) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  KeyTrack<RotationTrait> track(1e-4);
  std::vector<std::pair<float, Quat>> all;
  Quat q = Quat::Identity();
  Vec3 spin(1, 0.3, 0.1);
  for (int i = 0; i < 2000; ++i) {
    if (i % 100 == 0) spin = 3.0 * Vec3(normal(random), normal(random), normal(random));
    q = Quat(Eigen::AngleAxisd(spin.norm() / 60.0, spin.normalized())) * q;
    q.normalize();
    all.emplace_back(static_cast<float>(i / 60.0), q);
    track.add(i / 60.0, i % 3 == 0 ? Quat(-q.coeffs()) : q);
  }
  track.finish();
  EXPECT_LT(track.keys().size(), 200u);  // turns at an even pace are straight
  std::size_t k = 0;
  for (const auto& [time, value] : all) {
    while (k + 2 < track.keys().size() && track.keys()[k + 1].time <= time) ++k;
    const auto &from = track.keys()[k], &to = track.keys()[k + 1];
    EXPECT_GT(from.value.dot(to.value), 0.0);
    const double share = (time - from.time) / (static_cast<double>(to.time) - from.time);
    EXPECT_LE(from.value.slerp(share, to.value).angularDistance(value), 1.01e-4);
  }
}

TEST(KeyTrack, TimesThatSinglePrecisionCannotTellApartAreOne) {
  KeyTrack<PositionTrait> track(1e-4);
  for (int i = 0; i < 1000; ++i) track.add(1e6 + 1e-3 * i, Vec3(i % 2, i, 0));
  track.finish();
  for (std::size_t i = 1; i < track.keys().size(); ++i) EXPECT_GT(track.keys()[i].time, track.keys()[i - 1].time);
}

}  // namespace
}  // namespace cairn
