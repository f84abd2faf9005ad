// node check.mjs DIR: reads every NAME.glb in DIR with three.js and compares it with NAME.json, both
// written by make_samples: vertices, faces, morph targets, and positions while the animation runs.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import validator from 'gltf-validator';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

let passed = 0, failed = 0;

function check(ok, what) {
  if (ok) passed++;
  else {
    failed++;
    console.log(`FAILED: ${what}`);
  }
}

const close = (a, b, tol) => Math.abs(a - b) <= tol;
const key = (x, y, z) => [x, y, z].map((v) => Math.fround(v) + 0).join(' ');

// the format's own rules, by the Khronos validator
async function checkRules(name, path) {
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(path)));
  check(issues.numErrors + issues.numWarnings === 0, `${name}: ${issues.messages[0]?.message}`);
}

function load(path) {
  const file = readFileSync(path);
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  return new Promise((done, fail) => new GLTFLoader().parse(bytes, '', done, fail));
}

// mesh vertex of each drawn vertex, by its (unique) position
function sources(name, geometry, want) {
  const number = new Map(want.points.map((p, i) => [key(...p), i]));
  const position = geometry.attributes.position;
  const from = [];
  for (let i = 0; i < position.count; i++)
    from.push(number.get(key(position.getX(i), position.getY(i), position.getZ(i))));
  check(from.every((v) => v !== undefined), `${name}: positions`);
  return from;
}

function checkTargets(name, object, want, from) {
  const targets = object.geometry.morphAttributes.position ?? [];
  check(targets.length === want.frames.length, `${name}: ${targets.length} morph targets`);
  check(targets.length === 0 || object.geometry.morphTargetsRelative, `${name}: relative targets`);
  targets.forEach((target, k) => {
    let same = true;
    for (let i = 0; i < from.length; i++)
      for (let d = 0; d < 3; d++)
        same &&= target.getComponent(i, d) === Math.fround(want.frames[k][from[i]][d]);
    check(same, `${name}: morph target ${k}`);
  });
}

// ---- what is drawn ------------------------------------------------------------------------------

function enclosedVolume(points, index) {
  let volume = 0;
  for (let t = 0; t < index.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => new THREE.Vector3(...points[index[t + k]]));
    volume += a.dot(b.cross(c)) / 6;
  }
  return volume;
}

function checkTriangles(name, object, want, from) {
  const index = Array.from(object.geometry.index.array, (i) => from[i]);
  if (want.cells.triangle.length > 0)
    check(index.join() === want.cells.triangle.flat().join(), `${name}: triangles`);
  else {
    check(index.length === 3 * 4 * (3 * 2 + 2 * 4 + 4 * 3), `${name}: ${index.length / 3} triangles`);
    check(close(enclosedVolume(want.points, index), 0.3 * 0.7 * 1.1, 1e-12), `${name}: volume`);
  }

  // normals are unit and near those of the triangles around
  const normal = object.geometry.attributes.normal, raw = object.geometry.index.array;
  let good = true;
  for (let t = 0; t < raw.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => new THREE.Vector3(...want.points[index[t + k]]));
    const n = b.sub(a).cross(c.sub(a)).normalize();
    for (let k = 0; k < 3; k++) {
      const v = new THREE.Vector3().fromBufferAttribute(normal, raw[t + k]);
      good &&= close(v.length(), 1, 1e-6) && v.dot(n) > 0.75;
    }
  }
  check(good, `${name}: normals`);
  check(object.material.side === THREE.DoubleSide, `${name}: double-sided`);
}

function checkDrawn(name, object, want, from) {
  if (object.isMesh) checkTriangles(name, object, want, from);
  else if (object.isLineSegments) {
    const index = Array.from(object.geometry.index.array, (i) => from[i]);
    check(index.join() === want.cells.segment.flat().join(), `${name}: segments`);
  } else check(object.isPoints && from.length === want.points.length, `${name}: points`);

  // the ends of the viridis map, #440154 and #fde725, in linear light
  const colour = object.geometry.attributes.color;
  check(!!colour === want.colours, `${name}: colours`);
  for (let i = 0; want.colours && i < from.length; i++) {
    const hex = from[i] === 0 ? 0x440154 : from[i] === want.points.length - 1 ? 0xfde725 : -1;
    if (hex < 0) continue;
    const c = new THREE.Color(hex);
    const near = [c.r, c.g, c.b].every((v, d) => close(v, colour.getComponent(i, d), 2e-5));
    check(near, `${name}: colour of vertex ${from[i]}`);
  }
}

// ---- while it moves -----------------------------------------------------------------------------

// weights at time t, linear between the keys
function weightsAt(want, t) {
  let k = 0;
  while (k < want.time.length - 2 && want.time[k + 1] < t) k++;
  const s = (t - want.time[k]) / (want.time[k + 1] - want.time[k]);
  return want.weight[k].map((w, j) => w + s * (want.weight[k + 1][j] - w));
}

function checkMotion(name, gltf, drawn, want) {
  check(gltf.animations.length === (want.frames.length > 0 ? 1 : 0), `${name}: animations`);
  if (want.frames.length === 0) return;
  const clip = gltf.animations[0], end = want.time[want.time.length - 1];
  check(close(clip.duration, end, 1e-6), `${name}: lasts ${clip.duration} s`);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(clip).play();
  for (const t of [0, 0.137, 0.5, 0.731, 1.2, 1.99]) {
    mixer.setTime(t);
    const weight = weightsAt(want, t);
    for (const { object, from } of drawn) {
      let worst = 0;
      const at = new THREE.Vector3();
      for (let i = 0; i < from.length; i++) {
        object.getVertexPosition?.(i, at) ?? morphed(object, i, at);
        for (let d = 0; d < 3; d++) {
          const moved = weight.reduce((sum, w, k) => sum + w * want.frames[k][from[i]][d], 0);
          worst = Math.max(worst, Math.abs(at.getComponent(d) - want.points[from[i]][d] - moved));
        }
      }
      check(worst < 2e-6, `${name}: off by ${worst} at t = ${t} s`);
    }
  }
}

// three offers getVertexPosition for triangle meshes only
function morphed(object, i, at) {
  at.fromBufferAttribute(object.geometry.attributes.position, i);
  object.geometry.morphAttributes.position.forEach((target, k) => {
    const step = new THREE.Vector3().fromBufferAttribute(target, i);
    at.addScaledVector(step, object.morphTargetInfluences[k]);
  });
  return at;
}

// ---- all files ----------------------------------------------------------------------------------

const folder = process.argv[2];
const names = readdirSync(folder).filter((n) => n.endsWith('.glb')).map((n) => n.slice(0, -4));
check(names.length === 6, `six GLB files, got ${names.length}`);
const kinds = { anim_both: 2 };
for (const name of names) {
  const want = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  const gltf = await load(join(folder, `${name}.glb`));
  await checkRules(name, join(folder, `${name}.glb`));
  check(gltf.asset.version === '2.0', `${name}: version`);
  const drawn = [];
  gltf.scene.traverse((object) => {
    if (object.geometry) drawn.push({ object, from: sources(name, object.geometry, want) });
  });
  check(gltf.scene.children.length === 1, `${name}: one node`);
  check(drawn.length === (kinds[name] ?? 1), `${name}: ${drawn.length} objects`);
  for (const { object, from } of drawn) {
    checkDrawn(name, object, want, from);
    checkTargets(name, object, want, from);
  }
  checkMotion(name, gltf, drawn, want);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
