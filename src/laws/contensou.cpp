#include "laws/contensou.hpp"
