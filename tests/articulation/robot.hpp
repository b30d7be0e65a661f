// Robots of the reference set, built from the bodies and joints in their files, with the order of their coordinates.
#pragma once

#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "cairn/articulation.hpp"

namespace cairn::test {

inline std::filesystem::path truthFolder() { return std::filesystem::path(CAIRN_SOURCE_DIR) / ".." / "shared" / "truth"; }

inline rapidjson::Document readJson(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  rapidjson::Document document;
  document.Parse(text.str().c_str());
  if (document.HasParseError()) throw std::runtime_error(path.string() + ": not JSON");
  return document;
}

inline Vector numbers(const rapidjson::Value& value) {
  Vector out(value.Size());
  for (rapidjson::SizeType i = 0; i < value.Size(); ++i) out[i] = value[i].GetDouble();
  return out;
}
inline Matrix matrix(const rapidjson::Value& value) {
  Matrix out(value.Size(), value[0].Size());
  for (rapidjson::SizeType i = 0; i < value.Size(); ++i) out.row(i) = numbers(value[i]).transpose();
  return out;
}

struct Robot {
  rapidjson::Document file;
  ArticulationDesc desc;
  std::map<std::string, int> links;
  std::vector<int> qFrom, vFrom;  // by number of the articulation: where it is in the file
  Vector zero;                    // by number of the file: what the joint's angle counts from

  static double numberOr(const rapidjson::Value& object, const char* key, double other) {
    return object.HasMember(key) && object[key].IsNumber() ? object[key].GetDouble() : other;
  }

  explicit Robot(const std::filesystem::path& path) : file(readJson(path)) {
    const bool isUrdf = std::string(file["format"].GetString()) == "URDF";
    std::map<std::string, const rapidjson::Value*> jointOf;
    for (const auto& joint : file["joints"].GetArray()) jointOf[joint[isUrdf ? "child" : "body"].GetString()] = &joint;
    zero = Vector::Zero(file["nq"].GetInt());
    std::vector<const rapidjson::Value*> left;
    for (const auto& body : file["bodies"].GetArray()) left.push_back(&body);
    while (!left.empty()) {  // parents first
      std::vector<const rapidjson::Value*> later;
      for (const rapidjson::Value* body : left) {
        const std::string parent = (*body)["parent"].GetString(), name = (*body)["name"].GetString();
        if (parent != "world" && !links.contains(parent)) {
          later.push_back(body);
          continue;
        }
        const auto joint = jointOf.find(name);
        add(*body, joint == jointOf.end() ? nullptr : joint->second, name, parent == "world" ? -1 : links[parent]);
      }
      if (later.size() == left.size()) throw std::runtime_error("bodies without a parent");
      left = later;
    }
  }

  void add(const rapidjson::Value& body, const rapidjson::Value* joint, const std::string& name, int parent) {
    LinkDesc link;
    link.name = name;
    link.parent = parent;
    const Vector p = numbers(body["pos"]), q = numbers(body["quat"]), c = numbers(body["com"]), i = numbers(body["inertia"]);
    link.placement = {p, Quat(q[0], q[1], q[2], q[3])};
    MassProperties mass;
    mass.mass = body["mass"].GetDouble();
    mass.center = c;
    mass.inertia << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
    link.massProperties = mass;
    link.joint = LinkJoint::Fixed;
    if (joint != nullptr) {
      const std::string type = (*joint)["type"].GetString();
      link.joint = type == "free"                                                  ? LinkJoint::Free
                   : type == "ball"                                                ? LinkJoint::Spherical
                   : type == "hinge" || type == "revolute" || type == "continuous" ? LinkJoint::Revolute
                   : type == "slide" || type == "prismatic"                        ? LinkJoint::Prismatic
                                                                                   : LinkJoint::Fixed;
      if (link.joint == LinkJoint::Free) link.placement = Pose{};
      if (joint->HasMember("axis") && (*joint)["axis"].IsArray()) link.axis = numbers((*joint)["axis"]);
      if (joint->HasMember("pos") && (*joint)["pos"].IsArray() && link.joint != LinkJoint::Free)
        link.anchor = numbers((*joint)["pos"]);
      AxisDesc axis;
      axis.armature = numberOr(*joint, "armature", 0.0);
      link.axes.assign(static_cast<std::size_t>(degreesOf(link.joint)), axis);
      if (link.joint != LinkJoint::Fixed) {
        const int qAt = (*joint)["qpos_adr"].GetInt(), vAt = (*joint)["dof_adr"].GetInt();
        for (int k = 0; k < positionsOf(link.joint); ++k) qFrom.push_back(qAt + k);
        for (int k = 0; k < degreesOf(link.joint); ++k) vFrom.push_back(vAt + k);
        if (positionsOf(link.joint) == 1) zero[qAt] = numberOr(*joint, "qpos0", 0.0);
      }
    }
    links[name] = static_cast<int>(desc.links.size());
    desc.links.push_back(link);
  }

  static Vector pick(const Vector& all, const std::vector<int>& from) {
    Vector out(static_cast<Eigen::Index>(from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) out[static_cast<Eigen::Index>(i)] = all[from[i]];
    return out;
  }
  Vector q(const rapidjson::Value& value) const { return pick(numbers(value) - zero, qFrom); }
  Vector v(const rapidjson::Value& value) const { return pick(numbers(value), vFrom); }
  Matrix square(const rapidjson::Value& value) const {
    const Matrix all = matrix(value);
    Matrix out(all.rows(), all.cols());
    for (Eigen::Index i = 0; i < out.rows(); ++i)
      for (Eigen::Index j = 0; j < out.cols(); ++j)
        out(i, j) = all(vFrom[static_cast<std::size_t>(i)], vFrom[static_cast<std::size_t>(j)]);
    return out;
  }
  Matrix columns(const rapidjson::Value& value) const {
    const Matrix all = matrix(value);
    Matrix out(all.rows(), all.cols());
    for (Eigen::Index j = 0; j < out.cols(); ++j) out.col(j) = all.col(vFrom[static_cast<std::size_t>(j)]);
    return out;
  }
};

// dq/dt for v: quaternions by half of q (0, w).
inline Vector rates(const Articulation& a, const Vector& q, const Vector& v) {
  Vector out(q.size());
  for (int i = 0; i < a.links(); ++i) {
    const LinkJoint joint = a.desc().links[static_cast<std::size_t>(i)].joint;
    const int at = a.firstPosition(i), from = a.firstDegree(i);
    const auto turn = [&](int k, int w) {
      const Quat r = Quat(q[k], q[k + 1], q[k + 2], q[k + 3]) * Quat(0.0, v[w], v[w + 1], v[w + 2]);
      out.segment<4>(k) << 0.5 * r.w(), 0.5 * r.vec();
    };
    if (joint == LinkJoint::Free) {
      out.segment<3>(at) = v.segment<3>(from);
      turn(at + 3, from + 3);
    } else if (joint == LinkJoint::Spherical) {
      turn(at, from);
    } else {
      out.segment(at, degreesOf(joint)) = v.segment(from, degreesOf(joint));
    }
  }
  return out;
}

// Classical Runge-Kutta, without efforts.
inline void rungeKutta(Articulation& a, double h) {
  const Vector q = a.q(), v = a.v(), none = Vector::Zero(v.size());
  Vector dq[4], dv[4];
  const double at[4] = {0.0, 0.5, 0.5, 1.0};
  for (int k = 0; k < 4; ++k) {
    if (k > 0) a.setState(q + at[k] * h * dq[k - 1], v + at[k] * h * dv[k - 1]);
    dq[k] = rates(a, k > 0 ? Vector(q + at[k] * h * dq[k - 1]) : q, a.v());
    dv[k] = a.forwardDynamics(none);
  }
  a.setState(q + h / 6.0 * (dq[0] + 2.0 * dq[1] + 2.0 * dq[2] + dq[3]),
             v + h / 6.0 * (dv[0] + 2.0 * dv[1] + 2.0 * dv[2] + dv[3]));
}

}  // namespace cairn::test
