// A Vite plugin that puts the script and the style into the page, so that the page is one file which opens from disk.
import type { Plugin } from "vite";

const kMarker = "<!--cairn-data-->";

// Text inside <script> ends at the first "</script", and "<!--" would start an escape that nobody wants: neither may appear.
function scriptText(code: string): string {
  return code.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
}

export function singleFile(): Plugin {
  return {
    name: "cairn-single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("the build made no index.html");
      let html = String(page.source);
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === "chunk") {
          const tag = new RegExp(`<script[^>]*src="[^"]*${item.fileName}"[^>]*></script>`);
          if (!tag.test(html)) throw new Error(`index.html does not load ${item.fileName}: there must be one script only`);
          html = html.replace(tag, "");
          html = html.replace("</body>", () => `<script type="module">${scriptText(item.code)}</script>\n</body>`);
          delete bundle[name];
        } else if (name.endsWith(".css")) {
          const tag = new RegExp(`<link[^>]*href="[^"]*${item.fileName}"[^>]*>`);
          html = html.replace(tag, () => `<style>${String(item.source)}</style>`);
          delete bundle[name];
        }
      }
      if (html.split(kMarker).length !== 2) throw new Error(`the page must hold ${kMarker} exactly once`);
      page.source = html;
    },
  };
}
