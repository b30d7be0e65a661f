// Numbers in a row of bytes, as they are in memory; reading checks that they are there.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

class ByteWriter {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  void add(T number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof(T));
  }
  void add(const Vec3& v) { add(v.x()), add(v.y()), add(v.z()); }
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

// Throws std::runtime_error if there are too few.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  T number() {
    if (bytes_.size() < sizeof(T)) fail();
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return value;
  }
  Vec3 vector() {
    const double x = number<double>(), y = number<double>(), z = number<double>();
    return {x, y, z};
  }
  // A count of things that take so many bytes each.
  std::uint64_t count(std::size_t bytesEach) {
    const auto n = number<std::uint64_t>();
    if (n > bytes_.size() / bytesEach) fail();
    return n;
  }
  std::string text() {
    const std::uint64_t size = count(1);
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  [[noreturn]] static void fail() { throw std::runtime_error("the data ends too early"); }
  std::string_view bytes_;
};

}  // namespace cairn
