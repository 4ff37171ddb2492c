// Dresses the page's meshes: the project's colours, weaves and backs, values as colours, a calmer outline.
// Without it everything works, plainly coloured. Uses what viser shows its own tests of the scene.
(() => {
  "use strict";
  const STAGE = /^\/stage(\d+)\/(.+)$/;
  const known = new Map(); // node name -> {state, count, uv, finish}
  const accent = 0xe4572e;

  const FRAGMENT_HEAD = `
varying vec2 vSt; varying float vValue;
uniform vec3 uFront, uBack; uniform int uPattern; uniform vec4 uAnswer; uniform float uMetal; uniform int uMap;
float bandOf(float x, float w) {
  w = max(w, 1e-5); vec2 e = vec2(x - 0.5 * w, x + 0.5 * w);
  vec2 area = 0.5 * floor(e) + max(fract(e) - 0.5, 0.0);
  return clamp((area.y - area.x) / w, 0.0, 1.0);
}
vec3 patternedOf(vec3 base) {
  vec2 w = fwidth(vSt);
  if (uPattern == 1) {
    vec2 p = 72.0 * vSt; float fine = 1.0 - smoothstep(0.10, 0.28, 72.0 * max(w.x, w.y));
    vec2 f = fract(p) - 0.5; vec2 thread = 1.0 - 4.0 * f * f; float over = mod(floor(p.x) + floor(p.y), 2.0);
    return base * mix(0.90, 0.74 + 0.32 * mix(thread.x, thread.y, over), fine);
  }
  vec3 second = mix(base, vec3(0.80, 0.78, 0.74), 0.9);
  if (uPattern == 2) return mix(base, second, bandOf(9.0 * vSt.x, 9.0 * w.x));
  if (uPattern == 3) return mix(base, second, 0.5 * (bandOf(7.0 * vSt.x, 7.0 * w.x) + bandOf(7.0 * vSt.y, 7.0 * w.y)));
  return base;
}
vec3 valueColor(float t) {
  vec3 paper = vec3(0.72, 0.72, 0.70);
  if (uMap == 1) return t > 0.0 ? mix(paper, vec3(0.62, 0.03, 0.03), clamp(t, 0.0, 1.0))
                                : mix(paper, vec3(0.03, 0.10, 0.62), clamp(-t, 0.0, 1.0));
  t = clamp(t, 0.0, 1.0);  // 2: from deep blue over green to yellow
  return mix(mix(vec3(0.06, 0.01, 0.13), vec3(0.01, 0.25, 0.26), smoothstep(0.0, 0.5, t)), vec3(0.98, 0.75, 0.05), smoothstep(0.4, 1.0, t));
}`;

  function fetchDress(name, generation) {
    const entry = { state: "coming" };
    known.set(name, entry);
    fetch("dress/" + generation + "/" + encodeURIComponent(name.replace(/^\/stage\d+\//, "")))
      .then((answer) => (answer.ok ? answer.arrayBuffer() : Promise.reject(answer.status)))
      .then((buffer) => {
        const length = new DataView(buffer).getUint32(0, true);
        const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
        const start = 4 + length;
        entry.finish = head;
        entry.count = head.count;
        entry.st = new Float32Array(buffer.slice(start, start + 8 * head.count));
        entry.tint = head.tinted ? new Float32Array(buffer.slice(start + 8 * head.count)) : null;
        entry.state = "here";
        window.__viserMutable?.requestRender();
      })
      .catch(() => { entry.state = "none"; });
  }

  function dressMaterial(material, entry) {
    const f = entry.finish;
    const uniforms = {
      uFront: { value: f.front }, uBack: { value: f.back }, uPattern: { value: f.pattern },
      uAnswer: { value: f.answer }, uMetal: { value: f.metal }, uMap: { value: 0 },
    };
    material.userData.pliant = uniforms;
    material.roughness = f.answer[0];
    material.metalness = f.metal * 0.9;
    material.envMapIntensity = f.metal > 0 ? 1.6 : 0.9;
    const tinted = entry.tint !== null;
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, uniforms);
      shader.vertexShader = "attribute vec2 aSt; attribute float aValue; varying vec2 vSt; varying float vValue;\n" +
        (tinted ? "attribute vec3 aTint; varying vec3 vTint;\n" : "") +
        shader.vertexShader.replace("#include <begin_vertex>",
          "#include <begin_vertex>\n vSt = aSt; vValue = aValue;" + (tinted ? " vTint = aTint;" : ""));
      const hue = tinted ? "vTint * " : "";
      shader.fragmentShader = (tinted ? "varying vec3 vTint;\n" : "") + FRAGMENT_HEAD + "\n" + shader.fragmentShader
        .replace("#include <color_fragment>",
          "diffuseColor.rgb = uMap > 0 ? valueColor(vValue) : patternedOf(" + hue + "(gl_FrontFacing ? uFront : uBack));")
        .replace("#include <opaque_fragment>", `
 { float grazing = pow(1.0 - clamp(dot(normal, normalize(vViewPosition)), 0.0, 1.0), 3.0);
   outgoingLight += uAnswer.z * grazing * (0.35 * diffuseColor.rgb + 0.03);
   outgoingLight += uAnswer.w * 0.12 * diffuseColor.rgb; }
#include <opaque_fragment>`);
    };
    material.customProgramCacheKey = () => "pliant" + tinted;
    material.needsUpdate = true;
  }

  // per frame: patterns once, values whenever they came along behind the points
  function dress(mesh, entry) {
    const geometry = mesh.geometry, position = geometry.attributes.position;
    if (!position || position.array.length < 3 * entry.count) return;
    const Attribute = position.constructor, total = position.array.length / 3;
    let st = geometry.attributes.aSt;
    if (!st || st.array.length !== 2 * total) {
      const padded = new Float32Array(2 * total);
      padded.set(entry.st);
      geometry.setAttribute("aSt", new Attribute(padded, 2));
      geometry.setAttribute("aValue", new Attribute(new Float32Array(total), 1));
      if (entry.tint) {
        const tint = new Float32Array(3 * total);
        tint.set(entry.tint);
        geometry.setAttribute("aTint", new Attribute(tint, 3));
      }
    }
    if (!mesh.material.userData.pliant || mesh.material.userData.of !== entry) {
      if (mesh.material.wireframe) return;
      dressMaterial(mesh.material, entry);
      mesh.material.userData.of = entry;
    }
    const tail = 3 * entry.count, uniforms = mesh.material.userData.pliant;
    if (position.array.length > tail && entry.seen !== position.array) {
      entry.seen = position.array;
      uniforms.uMap.value = Math.round(position.array[tail]);
      if (uniforms.uMap.value > 0) {
        const value = geometry.attributes.aValue;
        value.array.set(position.array.subarray(tail + 3, tail + 3 + entry.count));
        value.needsUpdate = true;
      }
    } else if (position.array.length === tail) {
      uniforms.uMap.value = 0;
    }
  }

  function calm(group) {
    group.traverse((thing) => {
      const material = thing.material;
      if (material && material.uniforms && material.uniforms.thickness && material.uniforms.opacity && !material.userData.calm) {
        material.userData.calm = true;
        material.uniforms.color?.value.set(accent);
        material.uniforms.thickness.value = 3;
        material.uniforms.opacity.value = 0.5;
      }
    });
  }

  function meshOf(group) {
    for (const child of group.children) {
      if (child.isMesh && child.geometry) return child;
      for (const below of child.children) if (below.isMesh && below.geometry && !below.material.uniforms) return below;
    }
    return null;
  }

  function before(viewer) {
    const nodes = viewer.nodeRefFromName;
    for (const name of known.keys()) if (!(name in nodes)) known.delete(name);
    for (const name of Object.keys(nodes)) {
      const match = STAGE.exec(name), group = nodes[name];
      if (!match || !group) continue;
      const entry = known.get(name);
      if (!entry) { if (!/^~/.test(match[2])) fetchDress(name, match[1]); continue; }
      calm(group);
      if (entry.state !== "here") continue;
      const mesh = meshOf(group);
      if (mesh) dress(mesh, entry);
    }
  }

  // the page's own ground shows through all that lies between it and the canvas
  function clear(canvas) {
    for (let box = canvas.parentElement; box && box.id !== "root"; box = box.parentElement) box.style.background = "transparent";
  }

  function attach() {
    const viewer = window.__viserMutable;
    if (viewer && viewer.canvas) clear(viewer.canvas);
    if (viewer && viewer.scene && viewer.scene.userData.pliant !== true) {
      viewer.scene.userData.pliant = true;
      viewer.scene.onBeforeRender = () => { try { before(viewer); } catch (error) { console.debug("look:", error); } };
      viewer.requestRender();
    }
    window.setTimeout(attach, viewer ? 1000 : 100);
  }
  attach();
  window.__pliantLook = { known };
})();
