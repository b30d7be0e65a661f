import { defineConfig } from "vite";
import { singleFile } from "./single_file";

// The output directory is given by the build (CAIRN_PAGE_DIR), so that nothing is written next to the sources.
export default defineConfig({
  base: "./",
  plugins: [singleFile()],
  build: {
    outDir: process.env.CAIRN_PAGE_DIR ?? "../build/viewer",
    emptyOutDir: false,
    target: "es2022",
    assetsInlineLimit: 1 << 20,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
