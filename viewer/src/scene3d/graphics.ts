// What the browser draws with.
export interface Graphics {
  isSoftware: boolean; // the processor draws every pixel: smoothing of edges costs too much
}

// Null if there is no WebGL 2.
export function probeGraphics(): Graphics | null {
  const context = document.createElement("canvas").getContext("webgl2");
  if (context === null) return null;
  const details = context.getExtension("WEBGL_debug_renderer_info");
  const name = details === null ? "" : String(context.getParameter(details.UNMASKED_RENDERER_WEBGL));
  // Browsers limit how many contexts there are at once.
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return { isSoftware: /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name) };
}
