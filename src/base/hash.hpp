// A 64-bit hash of bits, the same on every machine of one byte order. Not for secrets.
#pragma once

#include <bit>
#include <cstdint>

namespace cairn {

class Hash {
 public:
  void add(std::uint64_t word) {
    // One round of a multiply-xorshift mixer (the finaliser of SplitMix64) over the running value.
    std::uint64_t z = value_ ^ (word + 0x9e3779b97f4a7c15u + (value_ << 6) + (value_ >> 2));
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    value_ = z ^ (z >> 31);
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243f6a8885a308d3u;
};

}  // namespace cairn
