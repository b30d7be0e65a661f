// What surfaces look like: matt, with thin dark edges on boxes, so that bricks of one colour can be told apart.
import { Color, MeshLambertMaterial, ShaderMaterial } from "three";

// Lines of about a pixel along the edges of the unit square that each face of a box has as texture coordinates.
const kEdges = `
  #include <color_fragment>
  {
    vec2 toEdge = min(vCairnUv, 1.0 - vCairnUv);
    vec2 width = max(fwidth(vCairnUv), vec2(1e-5));
    vec2 line = 1.0 - smoothstep(vec2(0.4), vec2(1.4), toEdge / width);
    // Where faces are a few pixels wide only, lines would be all there is.
    float room = 1.0 - smoothstep(0.04, 0.14, max(width.x, width.y));
    diffuseColor.rgb *= 1.0 - 0.45 * room * max(line.x, line.y);
  }`;

// Eight patches, light and dark in turn, so that one sees balls roll.
const kPatches = `
  #include <color_fragment>
  {
    float side = vCairnPoint.x * vCairnPoint.y * vCairnPoint.z;
    float soft = max(fwidth(side), 1e-5);
    diffuseColor.rgb *= mix(0.72, 1.0, smoothstep(-soft, soft, side));
  }`;

const kPatterns: Record<string, { variable: string; attribute?: string; value: string; code: string }> = {
  box: { variable: "vec2 vCairnUv", value: "vCairnUv = uv;", code: kEdges },
  sphere: { variable: "vec3 vCairnPoint", attribute: "attribute vec3 unit;", value: "vCairnPoint = unit;", code: kPatches },
};

export function solidMaterial(solid: string): MeshLambertMaterial {
  const material = new MeshLambertMaterial();
  const pattern = kPatterns[solid];
  if (pattern === undefined) return material;
  material.onBeforeCompile = (shader) => {
    const declared = `#include <common>\nvarying ${pattern.variable};`;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `${declared}\n${pattern.attribute ?? ""}`)
      .replace("#include <begin_vertex>", `#include <begin_vertex>\n${pattern.value}`);
    shader.fragmentShader = shader.fragmentShader.replace("#include <common>", declared).replace("#include <color_fragment>", pattern.code);
  };
  material.customProgramCacheKey = () => `cairn-${solid}`;
  return material;
}

// How much of a line there is at a point of the grid, and how far out it is.
const kGrid = `
  uniform float gridStep, gridReach, seeThrough;
  varying vec2 vGrid;
  float gridLine() {
    vec2 cell = vGrid / gridStep;
    vec2 width = max(fwidth(cell), vec2(1e-6));
    vec2 fine = abs(fract(cell - 0.5) - 0.5) / width;
    vec2 coarse = abs(fract(cell / 10.0 - 0.5) - 0.5) / (width / 10.0);
    float fade = 1.0 - smoothstep(0.15, 0.5, max(width.x, width.y));
    float fadeCoarse = 1.0 - smoothstep(1.5, 5.0, max(width.x, width.y));
    return max(fade * 0.5 * (1.0 - min(min(fine.x, fine.y), 1.0)), fadeCoarse * (1.0 - min(min(coarse.x, coarse.y), 1.0)));
  }
  float gridFade() { return 1.0 - smoothstep(0.5, 1.0, length(vGrid) / gridReach); }`;

const kGridLines = `
  #include <color_fragment>
  {
    float line = gridLine();
    diffuseColor.rgb = mix(diffuseColor.rgb, gridColour, 0.8 * line);
    diffuseColor.a *= mix(1.0, max(line, 0.35), seeThrough) * gridFade();
  }`;

// Where every pixel counts: no lamps, and what fades away fades into the background instead of letting it through.
const kPlainGrid = `
  ${kGrid}
  uniform vec3 surface, gridColour, background;
  void main() {
    float line = gridLine(), fade = gridFade();
    vec3 colour = mix(surface, gridColour, 0.8 * line);
    gl_FragColor = seeThrough > 0.5 ? vec4(colour, max(line, 0.35) * fade) : vec4(mix(background, colour, fade), 1.0);
  }`;

export interface GridLook {
  step: number; // m between thin lines
  reach: number; // m from the middle, where it has faded away
  isSeeThrough: boolean;
}

export interface GridColours {
  surface: Color;
  lines: Color;
  background: Color;
  light: Color; // that falls on it, over pi; white: as much as it can send back
}

// A plane with lines every `step` and stronger ones every ten.
export interface GridMaterial {
  material: MeshLambertMaterial | ShaderMaterial;
  paint(colours: GridColours): void;
}

function gridUniforms(look: GridLook) {
  return {
    gridStep: { value: look.step }, gridReach: { value: look.reach }, seeThrough: { value: look.isSeeThrough ? 1 : 0 },
    gridColour: { value: new Color() },
  };
}

export function plainGridMaterial(look: GridLook): GridMaterial {
  const uniforms = { ...gridUniforms(look), surface: { value: new Color() }, background: { value: new Color() } };
  const material = new ShaderMaterial({
    uniforms, transparent: look.isSeeThrough, depthWrite: !look.isSeeThrough, fragmentShader: kPlainGrid,
    vertexShader: "varying vec2 vGrid; void main() { vGrid = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
  });
  const onScreen = (colour: Color, light?: Color) => (light ? colour.clone().multiply(light) : colour.clone()).convertLinearToSRGB();
  return {
    material,
    paint({ surface, lines, background, light }) {
      uniforms.surface.value = onScreen(surface, light);
      uniforms.gridColour.value = onScreen(lines, light);
      uniforms.background.value = onScreen(background);
    },
  };
}

export function gridMaterial(look: GridLook): GridMaterial {
  const material = new MeshLambertMaterial({ transparent: true });
  const uniforms = gridUniforms(look);
  material.depthWrite = !look.isSeeThrough;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vGrid;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvGrid = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>\n${kGrid}\nuniform vec3 gridColour;`,
      )
      .replace("#include <color_fragment>", kGridLines);
  };
  material.customProgramCacheKey = () => "cairn-grid";
  return {
    material,
    paint({ surface, lines }) {
      material.color.copy(surface);
      uniforms.gridColour.value.copy(lines);
    },
  };
}
