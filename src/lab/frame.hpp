// A moment of the motion as bytes: docs/lab-protocol.md, "Binary".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/session.hpp"

namespace cairn {

// What a client may ask to see besides the poses.
inline constexpr unsigned kContactsPart = 1, kIslandsPart = 2, kBoxesPart = 4;
inline constexpr unsigned kAllParts = 7;
inline constexpr std::size_t kFrameHeaderBytes = 32;
inline constexpr std::uint32_t kFrameMagic = 0x4e524143;  // "CARN"

// Encoded once, whoever wants it: every client gets its own header, the poses, and the parts that it asked for.
struct Frame {
  std::uint32_t epoch = 0;
  std::uint32_t number = 0;
  double time = 0.0;  // s
  std::uint32_t step = 0;
  std::uint32_t bodies = 0;
  std::string poses;                 // slots, positions, rotations, bits
  std::array<std::string, 3> parts;  // contacts; islands and layers; boxes. Empty if nobody asked
  unsigned available = 0;            // of the parts

  using Header = std::array<char, kFrameHeaderBytes>;
  Header header(unsigned wanted) const;      // of the parts that are both wanted and available
  std::string bytes(unsigned wanted) const;  // the whole, in one piece
};

// Fills all but the epoch and the number.
Frame encodeFrame(const LabSession& session, const SceneView& view, unsigned parts);

}  // namespace cairn
