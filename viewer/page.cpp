#include "viewer/page.hpp"

// The assembler reads the file: an array of half a million numbers would take the compiler longer than all else in this
// target.
asm(R"(
  .section .rodata
  .global cairn_page_begin
  .global cairn_page_end
cairn_page_begin:
  .incbin ")" CAIRN_PAGE_FILE R"("
cairn_page_end:
  .byte 0
  .previous
)");

extern "C" const char cairn_page_begin[];
extern "C" const char cairn_page_end[];

namespace cairn {

std::string_view labPage() { return {cairn_page_begin, static_cast<std::size_t>(cairn_page_end - cairn_page_begin)}; }

}  // namespace cairn
