"use strict";
(() => {
const $ = id => document.getElementById(id);
const scene = JSON.parse($("scene").textContent);
const canvas = $("stage");
const fail = text => { $("message").textContent = text; $("message").hidden = false; };

// ---- small algebra: column-major matrices of 16, vectors of 3
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const l = Math.hypot(...a) || 1; return [a[0] / l, a[1] / l, a[2] / l]; };
const along = (a, b, s) => [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s];
function product(a, b) {
  const c = new Float64Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++)
    for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}
function looking(eye, target) {
  const back = unit(sub(eye, target)), right = unit(cross([0, 1, 0], back)), up = cross(back, right);
  return [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
          -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
}
function perspective(fov, aspect, near, far) {
  const f = 1 / Math.tan(fov / 2), d = near - far;
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0];
}
function inverse(m) { // Gauss-Jordan
  const a = Array.from({length: 4}, (_, i) => [m[i], m[4 + i], m[8 + i], m[12 + i], ...[0, 1, 2, 3].map(j => +(i === j))]);
  for (let c = 0; c < 4; c++) {
    let p = c;
    for (let r = c; r < 4; r++) if (Math.abs(a[r][c]) > Math.abs(a[p][c])) p = r;
    [a[c], a[p]] = [a[p], a[c]];
    const s = a[c][c];
    a[c] = a[c].map(v => v / s);
    for (let r = 0; r < 4; r++) if (r !== c) { const t = a[r][c]; a[r] = a[r].map((v, k) => v - t * a[c][k]); }
  }
  const out = new Float64Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) out[4 * j + i] = a[i][4 + j];
  return out;
}

// ---- data: base64, deflate, then per frame the low and the high bytes of zigzag second differences
async function unpacked(id) {
  const text = atob($(id).textContent.trim()), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
async function loaded(part) {
  const bytes = await unpacked(part.data), n = part.points, values = 3 * n;
  const view = new DataView(bytes.buffer);
  let at = 0;
  part.triangles = new Uint32Array(3 * part.faces);
  for (let i = 0; i < part.triangles.length; i++, at += 4) part.triangles[i] = view.getUint32(at, true);
  part.pattern = new Float32Array(2 * n);
  for (let i = 0; i < 2 * n; i++, at += 4) part.pattern[i] = view.getFloat32(at, true);
  part.tint = new Float32Array(3 * n).fill(1);
  if (part.tinted) for (let i = 0; i < 3 * n; i++, at += 4) part.tint[i] = view.getFloat32(at, true);
  const frames = part.frames = new Uint16Array(part.count * values);
  for (let f = 0; f < part.count; f++) {
    const here = f * values, one = here - values, two = one - values;
    for (let i = 0; i < values; i++) {
      const z = bytes[at + i] | bytes[at + values + i] << 8, d = (z >>> 1) ^ -(z & 1);
      frames[here + i] = d + (f > 1 ? 2 * frames[one + i] - frames[two + i] : f > 0 ? frames[one + i] : 0);
    }
    at += 2 * values;
  }
  part.packed = new Float32Array(6 * n);
  part.shown = true;
}
// positions between two frames, and area-weighted normals
function pose(part, moment) {
  const n = part.points, f = part.frames, p = part.packed, t = part.triangles;
  const last = part.count - 1, i = Math.min(Math.floor(moment), last), j = Math.min(i + 1, last), s = Math.min(moment - i, 1);
  const a = 3 * n * i, b = 3 * n * j, [lx, ly, lz] = part.low, [sx, sy, sz] = part.step;
  for (let k = 0, q = 0, o = 0; k < n; k++, q += 3, o += 6) {
    p[o] = lx + sx * (f[a + q] + s * (f[b + q] - f[a + q]));
    p[o + 1] = ly + sy * (f[a + q + 1] + s * (f[b + q + 1] - f[a + q + 1]));
    p[o + 2] = lz + sz * (f[a + q + 2] + s * (f[b + q + 2] - f[a + q + 2]));
    p[o + 3] = p[o + 4] = p[o + 5] = 0;
  }
  for (let k = 0; k < t.length; k += 3) {
    const u = 6 * t[k], v = 6 * t[k + 1], w = 6 * t[k + 2];
    const ax = p[v] - p[u], ay = p[v + 1] - p[u + 1], az = p[v + 2] - p[u + 2];
    const bx = p[w] - p[u], by = p[w + 1] - p[u + 1], bz = p[w + 2] - p[u + 2];
    const x = ay * bz - az * by, y = az * bx - ax * bz, z = ax * by - ay * bx;
    for (const c of [u, v, w]) { p[c + 3] += x; p[c + 4] += y; p[c + 5] += z; }
  }
  for (let o = 3; o < p.length; o += 6) {
    const l = Math.hypot(p[o], p[o + 1], p[o + 2]) || 1;
    p[o] /= l; p[o + 1] /= l; p[o + 2] /= l;
  }
}

// ---- drawing
const gl = canvas.getContext("webgl2", {antialias: true, alpha: false, powerPreference: "high-performance"});
if (!gl) { fail("This page needs WebGL 2, which this browser does not offer or has switched off."); return; }
if (typeof DecompressionStream === "undefined") { fail("This page needs a browser of 2023 or newer (DecompressionStream)."); return; }
const floats = gl.getExtension("EXT_color_buffer_float") || gl.getExtension("EXT_color_buffer_half_float");

function program(vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, name] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, scene.shaders[name]);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(name + ": " + gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  ["position", "normal", "pattern", "tint"].forEach((name, k) => gl.bindAttribLocation(made, k, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(fragment + ": " + gl.getProgramInfoLog(made));
  const uniforms = {};
  for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k++) {
    const info = gl.getActiveUniform(made, k);
    uniforms[info.name] = {at: gl.getUniformLocation(made, info.name), type: info.type};
  }
  return {made, uniforms};
}
function use(prog, values) {
  gl.useProgram(prog.made);
  for (const [name, value] of Object.entries(values)) {
    const u = prog.uniforms[name];
    if (!u) continue;
    if (u.type === gl.FLOAT) gl.uniform1f(u.at, value);
    else if (u.type === gl.FLOAT_VEC2) gl.uniform2fv(u.at, value);
    else if (u.type === gl.FLOAT_VEC3) gl.uniform3fv(u.at, value);
    else if (u.type === gl.FLOAT_VEC4) gl.uniform4fv(u.at, value);
    else if (u.type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(u.at, false, value);
    else gl.uniform1i(u.at, value);
  }
}
function texture(size, internal, format, type, filter) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.texImage2D(gl.TEXTURE_2D, 0, internal, size, size, 0, format, type, null);
  for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, filter], [gl.TEXTURE_MAG_FILTER, filter],
                              [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
    gl.texParameteri(gl.TEXTURE_2D, key, value);
  return made;
}
function target(color, depth) {
  const made = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, made);
  if (color) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, color, 0);
  else { gl.drawBuffers([gl.NONE]); gl.readBuffer(gl.NONE); }
  if (depth) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
  return made;
}
function bind(unit, made, sampler = null) {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.bindSampler(unit, sampler);
}

const sizes = scene.sizes, programs = {}, maps = {};
function prepare() {
  for (const name of ["surface", "ground", "depth", "blur"]) programs[name] = program(name + ".vert", name + ".frag");
  programs.floor = program("blur.vert", "floor.frag");
  const deep = size => texture(size, gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, gl.LINEAR);
  maps.shadow = deep(sizes.shadow);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
  maps.shadowTarget = target(null, maps.shadow);
  maps.bare = gl.createSampler();
  gl.samplerParameteri(maps.bare, gl.TEXTURE_COMPARE_MODE, gl.NONE);
  for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.samplerParameteri(maps.bare, key, gl.NEAREST);
  for (const key of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.samplerParameteri(maps.bare, key, gl.CLAMP_TO_EDGE);
  const pair = (size, ...kind) => [0, 1].map(() => texture(size, ...kind, gl.LINEAR));
  maps.sky = floats ? pair(sizes.sky, gl.RG16F, gl.RG, gl.HALF_FLOAT) : pair(sizes.sky, gl.RG8, gl.RG, gl.UNSIGNED_BYTE);
  maps.skyTargets = [target(maps.sky[0], deep(sizes.sky)), target(maps.sky[1]), target(maps.sky[0])];
  maps.floor = pair(sizes.floor, gl.RG8, gl.RG, gl.UNSIGNED_BYTE);
  maps.floorTargets = maps.floor.map(made => target(made));
  maps.nothing = gl.createVertexArray();
  for (const part of scene.parts) {
    part.array = gl.createVertexArray();
    gl.bindVertexArray(part.array);
    part.buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, part.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, part.packed.byteLength, gl.DYNAMIC_DRAW);
    for (const k of [0, 1]) { gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k); }
    for (const [k, values, width] of [[2, part.pattern, 2], [3, part.tint, 3]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, width, gl.FLOAT, false, 0, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, part.triangles, gl.STATIC_DRAW);
  }
  gl.bindVertexArray(null);
}
function meshes(each) {
  for (const part of scene.parts) if (part.shown) {
    if (each) each(part);
    gl.bindVertexArray(part.array);
    gl.drawElements(gl.TRIANGLES, part.triangles.length, gl.UNSIGNED_INT, 0);
  }
}
function whole() { gl.bindVertexArray(maps.nothing); gl.drawArrays(gl.TRIANGLES, 0, 3); }
function into(framebuffer, width, height) { gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer); gl.viewport(0, 0, width, height); }
function blurred(pair, targets, size, step) {
  gl.disable(gl.DEPTH_TEST);
  [[step, 0], [0, step]].forEach((stride, k) => {
    into(targets[k], size, size);
    bind(1, pair[k]);
    use(programs.blur, {source: 1, stride});
    whole();
  });
}
function shade(lights) { // the lights' maps, whenever something has moved
  gl.enable(gl.DEPTH_TEST);
  bind(0, null); bind(1, null); bind(2, null);
  into(maps.shadowTarget, sizes.shadow, sizes.shadow);
  gl.clear(gl.DEPTH_BUFFER_BIT);
  use(programs.depth, {view_projection: scene.light.shadow_matrix});
  meshes();
  into(maps.skyTargets[0], sizes.sky, sizes.sky);
  gl.clearColor(1, 1, 0, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  use(programs.depth, {view_projection: scene.light.sky_matrix});
  meshes();
  blurred(maps.sky, [maps.skyTargets[1], maps.skyTargets[2]], sizes.sky, sizes.sky_blur / 2);
  bind(0, maps.shadow); bind(1, maps.sky[0]); bind(2, maps.shadow, maps.bare);
  into(maps.floorTargets[0], sizes.floor, sizes.floor);
  use(programs.floor, {...lights, ...scene.ground, depth_map: 2});
  whole();
  bind(2, null);
  blurred(maps.floor, [maps.floorTargets[1], maps.floorTargets[0]], sizes.floor, sizes.floor_blur / 2);
}

// ---- the camera: an orbit about a target
const start = scene.camera, camera = {};
function home() {
  const away = sub(start.eye, start.target), distance = Math.hypot(...away);
  Object.assign(camera, {target: [...start.target], distance, azimuth: Math.atan2(away[0], away[2]), elevation: Math.asin(away[1] / distance)});
}
function viewed() {
  const c = Math.cos(camera.elevation), aspect = canvas.width / Math.max(canvas.height, 1);
  const direction = [Math.sin(camera.azimuth) * c, Math.sin(camera.elevation), Math.cos(camera.azimuth) * c];
  const distance = camera.distance * Math.max(1, start.aspect / aspect);
  const eye = along(camera.target, direction, distance), away = Math.hypot(...sub(eye, scene.ground.center)), r = scene.ground.reach;
  const projection = perspective(start.field_of_view, aspect, Math.max(away - 3 * r, 0.02 * away, 0.01 * r), away + 8 * r);
  return {eye, matrix: product(projection, looking(eye, camera.target))};
}

// ---- one picture
let moment = 0, posed = -1, dirty = true, playing = false, speed = 1;
const last = scene.frames - 1;
function draw() {
  const width = Math.round(canvas.clientWidth * Math.min(devicePixelRatio, 2)), height = Math.round(canvas.clientHeight * Math.min(devicePixelRatio, 2));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const {eye, matrix} = viewed(), theme = scene.themes[document.documentElement.dataset.theme];
  const lights = {...scene.light, ...theme, eye, stand: eye, shadow_map: 0, sky_map: 1, floor_map: 2, dither: 1};
  if (posed !== moment) {
    for (const part of scene.parts) if (part.count > 1 || posed < 0) {
      pose(part, moment);
      gl.bindBuffer(gl.ARRAY_BUFFER, part.buffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, part.packed);
    }
    posed = moment;
    shade(lights);
  }
  into(null, width, height);
  bind(0, maps.shadow); bind(1, maps.sky[0]); bind(2, maps.floor[0]);
  gl.enable(gl.DEPTH_TEST);
  gl.clear(gl.DEPTH_BUFFER_BIT);
  use(programs.surface, {...lights, view_projection: matrix});
  meshes(part => use(programs.surface, part.finish));
  use(programs.ground, {...lights, ...scene.ground, unprojection: inverse(matrix)});
  whole();
}
function readout() {
  const length = last / scene.rate, now = moment / scene.rate;
  $("time").textContent = `${now.toFixed(2)} / ${length.toFixed(2)} s`;
  if (document.activeElement !== $("scrub") || playing) $("scrub").value = moment;
}
let before = 0;
function tick(now) {
  if (playing && last > 0) {
    moment += Math.min((now - before) / 1000, 0.1) * scene.rate * speed;
    if (moment > last) moment = 0;
    dirty = true;
  }
  before = now;
  if (dirty) { dirty = false; draw(); readout(); }
  requestAnimationFrame(tick);
}
function seek(frame) { moment = Math.min(Math.max(frame, 0), last); dirty = true; readout(); }
function play(on) {
  playing = on && last > 0;
  $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  $("play").querySelector("path").setAttribute("d", playing ? "M7 5h4v14H7zM14 5h4v14h-4z" : "M8 5v14l11-7z");
}

// ---- hands
function controls() {
  const pointers = new Map();
  let gap = 0;
  const turn = (dx, dy) => {
    camera.azimuth -= dx * 0.006;
    camera.elevation = Math.min(Math.max(camera.elevation + dy * 0.006, -1.5), 1.5);
    dirty = true;
  };
  const pan = (dx, dy) => {
    const {eye} = viewed(), back = unit(sub(eye, camera.target)), right = unit(cross([0, 1, 0], back)), up = cross(back, right);
    const s = 2 * camera.distance * Math.tan(start.field_of_view / 2) / canvas.clientHeight;
    camera.target = along(along(camera.target, right, -dx * s), up, dy * s);
    dirty = true;
  };
  const zoom = factor => { camera.distance = Math.min(Math.max(camera.distance * factor, 0.05 * scene.ground.reach), 30 * scene.ground.reach); dirty = true; };
  canvas.addEventListener("pointerdown", e => { canvas.setPointerCapture(e.pointerId); pointers.set(e.pointerId, [e.clientX, e.clientY]); gap = 0; });
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, e => { pointers.delete(e.pointerId); gap = 0; });
  canvas.addEventListener("pointermove", e => {
    const was = pointers.get(e.pointerId);
    if (!was) return;
    const dx = e.clientX - was[0], dy = e.clientY - was[1];
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    if (pointers.size === 1) (e.buttons & 6 || e.shiftKey ? pan : turn)(dx, dy);
    else if (pointers.size === 2) {
      const [a, b] = [...pointers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (gap) zoom(gap / Math.max(now, 1));
      gap = now;
      pan(dx / 2, dy / 2);
    }
  });
  canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(e.deltaY * (e.deltaMode ? 0.04 : 0.0012))); }, {passive: false});
  canvas.addEventListener("contextmenu", e => e.preventDefault());
  canvas.addEventListener("dblclick", () => { home(); dirty = true; });
  $("home").onclick = () => { home(); dirty = true; };
  $("play").onclick = () => play(!playing);
  $("scrub").oninput = e => { play(false); seek(+e.target.value); };
  $("speed").onchange = e => { speed = +e.target.value; };
  $("theme").onclick = () => { const root = document.documentElement; root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; dirty = true; };
  addEventListener("resize", () => { dirty = true; });
  addEventListener("keydown", e => {
    if (e.target.matches("select, input") || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === " " && e.target.tagName !== "BUTTON") { e.preventDefault(); play(!playing); }
    else if (e.key === "ArrowLeft" || e.key === "ArrowRight") { play(false); seek(Math.round(moment) + (e.key === "ArrowLeft" ? -1 : 1)); }
    else if (e.key === "Home") seek(0);
    else if (e.key === "t") $("theme").click();
  });
}
function names() {
  for (const part of scene.parts) {
    const button = document.createElement("button"), dot = document.createElement("i");
    const level = c => Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
    const color = part.finish.front_color.map((c, k) => c * part.tint[k]);
    dot.style.setProperty("--dot", `rgb(${color.map(level).join(",")})`);
    button.append(dot, part.name);
    button.setAttribute("aria-pressed", "true");
    button.onclick = () => {
      part.shown = !part.shown;
      button.setAttribute("aria-pressed", String(part.shown));
      posed = -1;
      dirty = true;
    };
    $("parts").append(button);
  }
}

async function open() {
  await Promise.all(scene.parts.map(loaded));
  prepare();
  home();
  names();
  controls();
  $("scrub").max = last;
  $("bar").hidden = false;
  readout();
  canvas.addEventListener("webglcontextlost", e => { e.preventDefault(); play(false); fail("The graphics context was lost; reload the page."); });
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  play(!still && !location.hash.includes("still"));
  window.replay = {seek, play, draw, get moment() { return moment; }, get playing() { return playing; }, camera, scene};
  requestAnimationFrame(tick);
}
open().catch(error => fail("This replay could not be opened: " + error.message));
})();
