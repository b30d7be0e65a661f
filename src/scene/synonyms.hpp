// Words of other engines and formats, and what they are called here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

struct Synonym {
  std::string_view word;  // as others say it, in lower case
  std::string_view ours;  // the field or type that is meant; empty: there is none, and `note` says what comes closest
  std::string_view note;  // what else to know; may be empty
};

// What a field that is not among `allowed` is called here, or null.
const Synonym* fieldSynonym(std::string_view word, const std::vector<std::string_view>& allowed);
// The same for the "type" of a shape, a joint or a pattern, and for other choices.
const Synonym* typeSynonym(std::string_view word, const std::vector<std::string_view>& allowed);
// "; here it is \"size\": full edge lengths, twice the half extents".
std::string explain(const Synonym& synonym);

}  // namespace cairn
