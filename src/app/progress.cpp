#include "app/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <ostream>
#include <string>

namespace cairn {
namespace {

constexpr int kBarWidth = 20;

std::string duration(double seconds) {
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

// A line that wraps cannot be drawn over.
std::size_t terminalWidth() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::ostream& out, bool on, double seconds) : out_(out), on_(on), seconds_(seconds) {}

void Progress::show(double simulated) {
  if (!on_) return;
  const auto now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double share = seconds_ > 0.0 ? std::clamp(simulated / seconds_, 0.0, 1.0) : 1.0;
  const double speed = elapsed > 0.0 ? simulated / elapsed : 0.0;
  const double left = speed > 0.0 ? (seconds_ - simulated) / speed : 0.0;
  const int filled = static_cast<int>(share * kBarWidth);
  std::string line = fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  {:.2f} of {:g} s  {:.2f} x real time  {} left", "", filled, "",
                                 kBarWidth - filled, 100.0 * share, simulated, seconds_, speed, duration(left));
  line.resize(std::min(line.size(), terminalWidth() - 1));
  out_ << "\r\x1b[K" << line << std::flush;
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace cairn
