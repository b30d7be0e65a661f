#if defined(__SANITIZE_THREAD__)
// oneTBB's own bookkeeping is inlined into our code, and its locks, in a library that was not built for the sanitizer, are
// not seen. Only accesses made by its functions themselves are left out; what our code does inside a task is still checked.
extern "C" const char* __tsan_default_suppressions() {
  return "race_top:tbb::detail\nrace_top:start_for\nrace:tbb::detail::d1::fold_tree\nrace:tbb::detail::d1::tree_"
         "node\ncalled_from_lib:libtbb.so\n";
}
#endif
