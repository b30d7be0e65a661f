// Reads replay files and tables as their documents describe them, with nothing of the writers' code.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace cairn::testing {

struct DecodedMotion {
  std::uint32_t bodies = 0, frames = 0;
  double resolution = 0.0;  // m
  std::vector<std::uint32_t> slots;
  std::vector<float> times;
  std::vector<double> values;  // frame, component (px py pz qx qy qz qw), body; m and 1
  double at(std::size_t frame, std::size_t component, std::size_t body) const {
    return values[(frame * 7 + component) * bodies + body];
  }
};

inline std::string inflated(const std::string& stream) {
  std::string out;
  z_stream z{};
  EXPECT_EQ(inflateInit(&z), Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
  z.avail_in = static_cast<uInt>(stream.size());
  int status = Z_OK;
  while (status == Z_OK) {
    char space[4096];
    z.next_out = reinterpret_cast<Bytef*>(space);
    z.avail_out = sizeof space;
    status = inflate(&z, Z_NO_FLUSH);
    out.append(space, sizeof space - z.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END) << "the stream or its checksum is wrong";
  EXPECT_EQ(z.avail_in, 0u) << "something follows the stream";
  inflateEnd(&z);
  return out;
}

inline DecodedMotion decodeMotion(const std::string& stream) {
  const std::string bytes = inflated(stream);
  std::size_t place = 0;
  const auto take = [&](auto& value) {
    ASSERT_LE(place + sizeof value, bytes.size());
    std::memcpy(&value, bytes.data() + place, sizeof value);
    place += sizeof value;
  };
  DecodedMotion motion;
  std::uint32_t magic = 0, version = 0;
  take(magic);
  take(version);
  EXPECT_EQ(magic, 0x544f4d43u);
  EXPECT_EQ(version, 1u);
  take(motion.bodies);
  take(motion.frames);
  take(motion.resolution);
  motion.slots.resize(motion.bodies);
  for (auto& slot : motion.slots) take(slot);
  motion.times.resize(motion.frames);
  for (auto& time : motion.times) take(time);
  std::vector<std::int64_t> now(7 * static_cast<std::size_t>(motion.bodies), 0);
  for (std::uint32_t frame = 0; frame < motion.frames; ++frame) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      std::uint64_t number = 0;
      for (int shift = 0;; shift += 7) {
        std::uint8_t byte = 0;
        take(byte);
        number += static_cast<std::uint64_t>(byte & 127) << shift;
        if (byte < 128) break;
      }
      now[i] += number % 2 == 0 ? static_cast<std::int64_t>(number / 2) : -static_cast<std::int64_t>(number / 2) - 1;
      motion.values.push_back(i / motion.bodies < 3 ? now[i] * motion.resolution : now[i] / 32767.0);
    }
  }
  EXPECT_EQ(place, bytes.size());
  return motion;
}

inline std::string fromBase64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = digits.find(c);
    EXPECT_NE(digit, std::string::npos);
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count));
  }
  return bytes;
}

// What stands in the element with this id.
inline std::string elementText(const std::string& html, const std::string& id) {
  const std::size_t name = html.find("id=\"" + id + "\"");
  EXPECT_NE(name, std::string::npos) << id;
  const std::size_t start = html.find('>', name) + 1;
  return html.substr(start, html.find("</script>", start) - start);
}

// A recording as CSV: rows by time and body.
struct CsvRow {
  double p[3], q[4], v[3], w[3];  // q: w, x, y, z
};
using CsvTable = std::map<double, std::map<std::string, CsvRow>>;

inline CsvTable readCsv(const std::string& text) {
  CsvTable table;
  std::istringstream lines(text);
  std::string line, field;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::getline(fields, field, ',');
    const double time = std::stod(field);
    std::string name;
    std::getline(fields, name, ',');
    CsvRow row;
    double* numbers[] = {&row.p[0], &row.p[1], &row.p[2], &row.q[0], &row.q[1], &row.q[2], &row.q[3],
                         &row.v[0], &row.v[1], &row.v[2], &row.w[0], &row.w[1], &row.w[2]};
    for (double* number : numbers) {
      std::getline(fields, field, ',');
      *number = std::stod(field);
    }
    table[time][name] = row;
  }
  return table;
}

}  // namespace cairn::testing
