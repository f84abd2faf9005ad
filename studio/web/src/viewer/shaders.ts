// Shaders in GLSL 3. Light comes with the camera, from the upper left, and wraps round, so that
// every view shows its form; colours are what the screen gets.

const light = /* glsl */ `
const vec3 LIGHT = vec3(-0.36, 0.52, 0.775);
float lit(vec3 n) { return max(0.0, (dot(n, LIGHT) + 0.4) / 1.4); }
`

// how bright a side is, and the soft gleam that tells curved from flat
const sides = /* glsl */ `
const vec3 HALF = normalize(LIGHT + vec3(0, 0, 1));
vec2 side(vec3 n) {
  float g = max(0.0, dot(n, HALF));
  g *= g; g *= g; g *= g;
  return vec2(lit(n), 0.1 * g * g * g);
}
`

// FINE: many small triangles, for which light at their vertices does
export const surfaceVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
uniform mat3 normalMatrix;
in vec3 position, normal;
in float value;
#ifdef FINE
out vec4 vLight; // of the front, of the back
#else
out vec3 vNormal;
#endif
out float vValue;
flat out float vFace;
${light}${sides}
void main() {
  vec3 n = normalMatrix * normal;
  float size = length(n);
  n = size > 0.0 ? n / size : vec3(0, 0, 1);
#ifdef FINE
  vLight = vec4(side(n), side(-n));
#else
  vNormal = n;
#endif
  vValue = value;
  vFace = value;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`

export const surfaceFragment = /* glsl */ `
precision highp float;
uniform vec3 front, frontDark, reverse, reverseDark, missing, near, past;
uniform sampler2D map;
uniform vec2 range; // lowest, 1 / (highest - lowest)
uniform float limit, opacity;
uniform int kind; // 0 plain, 1 by vertex, 2 by face
#ifdef FINE
in vec4 vLight;
#else
in vec3 vNormal;
#endif
in float vValue;
flat in float vFace;
out vec4 colour;
${light}${sides}
void main() {
  bool back = !gl_FrontFacing;
#ifdef FINE
  vec2 s = back ? vLight.zw : vLight.xy;
#else
  vec3 n = vNormal * inversesqrt(max(dot(vNormal, vNormal), 1e-12));
  vec2 s = side(back ? -n : n);
#endif
  if (kind == 0) {
    colour = vec4((back ? mix(reverseDark, reverse, s.x) : mix(frontDark, front, s.x)) + s.y, opacity);
    return;
  }
  float v = kind == 1 ? vValue : vFace;
  vec3 c = texture(map, vec2(0.5 / 256.0 + 255.0 / 256.0 * clamp((v - range.x) * range.y, 0.0, 1.0), 0.5)).rgb;
  if (limit > 0.0 && v >= 0.99 * limit) c = v > 1.01 * limit ? past : near;
  if (!(v > -1e30)) c = missing;
  colour = vec4(c * (0.70 + 0.37 * s.x) * (back ? 0.95 : 1.0) + 0.6 * s.y, opacity);
}
`

// one quad from a to b, `width` pixels wide, with round ends
export const lineVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec2 size; // of the picture, pixels
uniform float thick, ratio, bias;
#define width (thick * ratio)
in vec3 position; // end 0 or 1, side -1 or 1
in vec3 a, b;
in vec2 along, values; // arc length and value at both ends
out vec2 vAt; // pixels along and across
out float vLength, vAlong, vValue;
void main() {
  mat4 M = projectionMatrix * modelViewMatrix;
  vec4 A = M * vec4(a, 1.0), B = M * vec4(b, 1.0);
  vec2 pa = A.xy / A.w * 0.5 * size, pb = B.xy / B.w * 0.5 * size, d = pb - pa;
  float n = length(d), half_ = 0.5 * width + 0.75;
  vec2 t = n > 1e-4 ? d / n : vec2(1, 0), s = vec2(-t.y, t.x);
  float end = position.x, past = (2.0 * end - 1.0) * half_;
  vec4 at = end < 0.5 ? A : B;
  vec2 p = (end < 0.5 ? pa : pb) + t * past + s * position.y * half_;
  vAt = vec2(end * n + past, position.y * half_);
  vLength = n;
  vAlong = mix(along.x, along.y, end);
  vValue = mix(values.x, values.y, end);
  gl_Position = vec4(p / (0.5 * size) * at.w, at.z - bias * at.w, at.w);
}
`

export const lineFragment = /* glsl */ `
precision highp float;
uniform vec3 tint, missing;
uniform float thick, ratio, opacity, round_, dash; // dash: pixels of arc per period, 0: none
#define width (thick * ratio)
uniform float perPixel; // arc length of a pixel
uniform sampler2D map;
uniform vec2 range;
uniform int kind;
in vec2 vAt;
in float vLength, vAlong, vValue;
out vec4 colour;
${light}
void main() {
  float past = max(max(-vAt.x, vAt.x - vLength), 0.0);
  float off = length(vec2(past, vAt.y));
  float alpha = clamp(0.5 * width + 0.5 - off, 0.0, 1.0) * opacity;
  if (dash > 0.0 && fract(vAlong / (perPixel * dash)) > 0.58) discard;
  if (alpha < 0.03) discard;
  vec3 c = tint;
  if (kind > 0) {
    c = texture(map, vec2(0.5 / 256.0 + 255.0 / 256.0 * clamp((vValue - range.x) * range.y, 0.0, 1.0), 0.5)).rgb;
    if (!(vValue > -1e30)) c = missing;
  }
  // rods are round
  if (round_ > 0.0) {
    float u = clamp(off / (0.5 * width), 0.0, 1.0);
    c = c * (1.0 - 0.3 * u * u) + 0.2 * round_ * (1.0 - u) * (1.0 - u);
  }
  colour = vec4(c, alpha);
}
`

// sprites of constant size at nodes
export const markVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
uniform float thick, ratio, bias;
#define width (thick * ratio)
in vec3 position;
void main() {
  vec4 p = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_Position = vec4(p.xy, p.z - bias * p.w, p.w);
  gl_PointSize = width + 2.0;
}
`

export const markFragment = /* glsl */ `
precision highp float;
uniform vec3 tint, rim;
uniform float thick, ratio, opacity, ring; // ring: pixels of the rim
#define width (thick * ratio)
uniform int shape; // 0 ball, 1 disc with a rim, 2 triangle below the node, 3 diamond
out vec4 colour;
${light}
void main() {
  vec2 p = (gl_PointCoord - 0.5) * (width + 2.0) * vec2(1, -1);
  float r = 0.5 * width, d;
  if (shape == 2) {
    // its tip at the node
    vec2 q = vec2(abs(p.x), p.y);
    d = max(dot(q, vec2(0.866, 0.5)), -p.y - 0.9 * r);
  } else if (shape == 3) d = (abs(p.x) + abs(p.y) - r) * 0.7071;
  else d = length(p) - r;
  float alpha = clamp(0.5 - d, 0.0, 1.0);
  if (alpha < 0.03) discard;
  vec3 c = mix(tint, rim, clamp(d + ring * ratio + 0.5, 0.0, 1.0) * step(0.01, ring));
  if (shape == 0) {
    vec2 u = p / r;
    c *= 0.62 + 0.55 * lit(vec3(u, sqrt(max(0.0, 1.0 - dot(u, u)))));
  }
  colour = vec4(c, alpha * opacity);
}
`

export const wireVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
uniform float bias;
in vec3 position;
void main() {
  vec4 p = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_Position = vec4(p.xy, p.z - bias * p.w, p.w);
}
`

export const wireFragment = /* glsl */ `
precision mediump float;
uniform vec3 tint;
uniform float opacity;
out vec4 colour;
void main() { colour = vec4(tint, opacity); }
`

// bodies of a few shapes, many times
export const solidVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
uniform mat3 normalMatrix;
in vec3 position, normal, place, row0, row1, row2, tint;
out vec3 vNormal, vTint;
void main() {
  mat3 Q = transpose(mat3(row0, row1, row2));
  vNormal = normalMatrix * (Q * normal);
  vTint = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(Q * position + place, 1.0);
}
`

export const solidFragment = /* glsl */ `
precision highp float;
in vec3 vNormal, vTint;
out vec4 colour;
${light}
void main() {
  vec3 n = normalize(vNormal);
  float s = lit(n), gleam = pow(max(0.0, dot(n, normalize(LIGHT + vec3(0, 0, 1)))), 32.0);
  // a dark rim tells wires apart
  float rim = 1.0 - max(n.z, 0.0);
  colour = vec4(vTint * (0.30 + 0.85 * s) * (1.0 - 0.55 * rim * rim * rim) + 0.22 * gleam, 1.0);
}
`

// the shadow: how near to the ground what stands above it is, then two blurs
export const shadeVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
in vec3 position;
out float vHeight;
uniform float reach; // height without shadow
void main() {
  vec4 p = modelViewMatrix * vec4(position, 1.0);
  vHeight = -p.z / reach;
  gl_Position = projectionMatrix * p;
}
`

export const shadeLineVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
uniform vec2 size;
uniform float thick, reach;
#define width thick
in vec3 position, a, b;
out float vHeight;
void main() {
  vec4 A = modelViewMatrix * vec4(a, 1.0), B = modelViewMatrix * vec4(b, 1.0);
  vec4 at = position.x < 0.5 ? A : B;
  vec4 pa = projectionMatrix * A, pb = projectionMatrix * B;
  vec2 d = (pb.xy - pa.xy) * size;
  float n = length(d);
  vec2 t = n > 1e-5 ? d / n : vec2(1, 0);
  vHeight = -at.z / reach;
  gl_Position = projectionMatrix * at + vec4((vec2(-t.y, t.x) * position.y + t * (2.0 * position.x - 1.0)) * width / size, 0, 0);
}
`

export const shadeFragment = /* glsl */ `
precision mediump float;
in float vHeight;
out vec4 colour;
void main() { colour = vec4(vec3(1.0 - clamp(vHeight, 0.0, 1.0)), 1.0); }
`

export const screenVertex = /* glsl */ `
in vec3 position;
out vec2 vUv;
void main() {
  vUv = 0.5 * position.xy + 0.5;
  gl_Position = vec4(position.xy, 0, 1);
}
`

export const blurFragment = /* glsl */ `
precision mediump float;
uniform sampler2D source;
uniform vec2 pace;
in vec2 vUv;
out vec4 colour;
void main() {
  float sum = 0.0, weight = 0.0;
  for (int k = -6; k <= 6; k++) {
    float w = exp(-float(k * k) / 12.0);
    sum += w * texture(source, vUv + float(k) * pace).r;
    weight += w;
  }
  colour = vec4(vec3(sum / weight), 1.0);
}
`

export const copyFragment = /* glsl */ `
precision mediump float;
uniform sampler2D source;
in vec2 vUv;
out vec4 colour;
void main() { colour = texture(source, vUv); }
`

export const groundVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
in vec3 position;
out vec2 vUv;
void main() {
  vUv = 0.5 * position.xy + 0.5;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`

export const groundFragment = /* glsl */ `
precision mediump float;
uniform sampler2D source;
uniform float dark; // opacity of the shadow
in vec2 vUv;
out vec4 colour;
void main() { colour = vec4(0, 0, 0, dark * texture(source, vUv).r); }
`

export const gridVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
in vec3 position; // -1..1
out vec2 vAt;
void main() {
  vAt = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`

export const gridFragment = /* glsl */ `
precision mediump float;
uniform vec3 tint;
in vec2 vAt;
out vec4 colour;
void main() { colour = vec4(tint, 0.26 * (1.0 - smoothstep(0.2, 1.0, length(vAt)))); }
`

export const shadeSolidVertex = /* glsl */ `
uniform mat4 modelViewMatrix, projectionMatrix;
uniform float reach;
in vec3 position, place, row0, row1, row2;
out float vHeight;
void main() {
  vec4 p = modelViewMatrix * vec4(transpose(mat3(row0, row1, row2)) * position + place, 1.0);
  vHeight = -p.z / reach;
  gl_Position = projectionMatrix * p;
}
`
