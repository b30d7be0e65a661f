// How far apart two cores are: what two threads share goes from one to the other and back in some 100 ns if they have a
// cache in common, in half of that if they are one core that pretends to be two, in five times that if they are on different
// dies. On machines that are shared with others, threads may be moved from one to another of these while a program runs.
#pragma once

namespace cairn::bench {

// ns, the mean of some thousand; 0 on a machine with one core.
double roundTripNs();

}  // namespace cairn::bench
