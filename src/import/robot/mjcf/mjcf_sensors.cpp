// Sensors that an engine of rigid bodies can answer.
#include "import/robot/mjcf/mjcf_reader.hpp"

namespace cairn {
namespace {

// How a sensor names what it looks at: an attribute of that name, "frame" for objtype and objname, or nothing.
const std::map<std::string, std::string>& sensorObjects() {
  static const std::map<std::string, std::string> kObjects{
      {"touch", "site"},           {"accelerometer", "site"},    {"velocimeter", "site"},     {"gyro", "site"},
      {"force", "site"},           {"torque", "site"},           {"magnetometer", "site"},    {"rangefinder", "site"},
      {"jointpos", "joint"},       {"jointvel", "joint"},        {"jointactuatorfrc", "joint"}, {"ballquat", "joint"},
      {"ballangvel", "joint"},     {"jointlimitpos", "joint"},   {"jointlimitvel", "joint"},  {"jointlimitfrc", "joint"},
      {"tendonpos", "tendon"},     {"tendonvel", "tendon"},      {"tendonactuatorfrc", "tendon"}, {"tendonlimitpos", "tendon"},
      {"tendonlimitvel", "tendon"}, {"tendonlimitfrc", "tendon"}, {"actuatorpos", "actuator"}, {"actuatorvel", "actuator"},
      {"actuatorfrc", "actuator"}, {"subtreecom", "body"},       {"subtreelinvel", "body"},   {"subtreeangmom", "body"},
      {"framepos", "frame"},       {"framequat", "frame"},       {"framexaxis", "frame"},     {"frameyaxis", "frame"},
      {"framezaxis", "frame"},     {"framelinvel", "frame"},     {"frameangvel", "frame"},    {"framelinacc", "frame"},
      {"frameangacc", "frame"},    {"clock", ""},                {"e_potential", ""},         {"e_kinetic", ""}};
  return kObjects;
}

}  // namespace

void MjcfReader::readSensors() {
  const auto find = [&](const XmlNode& node, const char* attribute, const std::string& kind) {
    if (kind == "site") return required(model_.sites, node, attribute, "site");
    if (kind == "joint") return required(model_.joints, node, attribute, "joint");
    if (kind == "tendon") return required(model_.tendons, node, attribute, "tendon");
    if (kind == "geom") return required(model_.geoms, node, attribute, "geom");
    if (kind == "body" || kind == "xbody") return bodyNamed(node, attribute, node.required(attribute));
    if (kind == "actuator") {
      const int index = indexOf(model_.actuators, node.required(attribute));
      // An actuator that is listed as missing cannot be looked at either.
      if (index < 0) remarks_.missing(node, "sensor: there is no actuator \"" + node.required(attribute) + "\"");
      return index;
    }
    remarks_.missing(node, "sensor: " + std::string(attribute) + " of type \"" + kind + "\"");
    node.ignore({attribute});
    return -1;
  };
  eachSection("sensor", [&](const XmlNode& section) {
    for (const XmlNode& node : section.children) {
      const auto known = sensorObjects().find(node.name);
      if (known == sensorObjects().end()) {
        for (const XmlAttribute& a : node.attributes) a.read = true;
        remarks_.missing(node, "sensor: <" + node.name + ">: cannot be represented");
        continue;
      }
      RobotSensor sensor;
      sensor.kind = node.name;
      sensor.name = node.attribute("name");
      claimName(node, "sensor", sensor.name);
      sensor.cutoff = node.number("cutoff", 0.0);
      sensor.noise = node.number("noise", 0.0);
      sensor.place = node.place;
      node.ignore({"user", "nsample", "interp", "delay", "interval"});
      if (known->second == "frame") {
        sensor.objectKind = node.required("objtype");
        sensor.object = find(node, "objname", sensor.objectKind);
        if (node.has("refname")) {
          sensor.referenceKind = node.required("reftype");
          sensor.reference = find(node, "refname", sensor.referenceKind);
        }
      } else if (!known->second.empty()) {
        sensor.objectKind = known->second;
        sensor.object = find(node, known->second.c_str(), sensor.objectKind);
      }
      model_.sensors.push_back(sensor);
    }
  });
}

}  // namespace cairn
