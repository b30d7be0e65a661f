// Showing an address to the person at this machine.
#pragma once

#include <string>

namespace cairn {

// Opens it in the browser if there is a screen and a browser; does nothing otherwise, and never waits.
void openBrowser(const std::string& address);

}  // namespace cairn
