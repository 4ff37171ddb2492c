// Plays a vertex-animation texture in three.js:
//   const cloth = await play("clip.vat/", "clip.json", 0);  scene.add(cloth.mesh);  each frame: cloth.at(seconds);
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const vertex = `
  uniform sampler2D positionTexture, normalTexture;
  uniform vec3 low, high;
  uniform int frames, rowsPerFrame;
  uniform float moment;
  in vec2 texel;
  out vec3 turned;
  vec3 place(int column, int row) {
    vec3 upper = round(texelFetch(positionTexture, ivec2(column, row), 0).rgb * 255.0);
    vec3 lower = round(texelFetch(positionTexture, ivec2(column, row + frames * rowsPerFrame), 0).rgb * 255.0);
    return low + (high - low) * (upper * 256.0 + lower) / 65535.0;
  }
  void main() {
    int column = int(texel.x * float(textureSize(positionTexture, 0).x));
    int within = int(texel.y + 0.5), frame = int(moment), next = min(frame + 1, frames - 1);
    vec3 here = place(column, frame * rowsPerFrame + within), there = place(column, next * rowsPerFrame + within);
    turned = normalMatrix * (texelFetch(normalTexture, ivec2(column, frame * rowsPerFrame + within), 0).rgb * 2.0 - 1.0);
    gl_Position = projectionMatrix * modelViewMatrix * vec4(mix(here, there, fract(moment)), 1.0);
  }`;

const fragment = `
  precision highp float;
  uniform vec3 color;
  in vec3 turned;
  out vec4 shown;
  void main() {
    vec3 n = normalize(turned) * (gl_FrontFacing ? 1.0 : -1.0);
    shown = vec4(color * (0.35 + 0.65 * max(dot(n, normalize(vec3(0.4, 0.8, 0.6))), 0.0)), 1.0);
  }`;

async function picture(url) {
  const texture = await new THREE.TextureLoader().loadAsync(url);
  texture.flipY = false;
  texture.generateMipmaps = false;
  texture.minFilter = texture.magFilter = THREE.NearestFilter;
  texture.colorSpace = THREE.NoColorSpace;
  return texture;
}

export async function play(folder, name, part = 0, color = [0.8, 0.3, 0.25]) {
  const clip = await (await fetch(folder + name)).json();
  const about = clip.parts[part];
  const [positions, normals, model] = await Promise.all([
    picture(folder + about.position),
    picture(folder + about.normal),
    new GLTFLoader().loadAsync(folder + about.mesh),
  ]);
  let geometry = null;
  model.scene.traverse((node) => { if (node.isMesh) geometry = node.geometry; });
  geometry.setAttribute("texel", geometry.getAttribute("uv1"));
  const uniforms = {
    positionTexture: { value: positions },
    normalTexture: { value: normals },
    low: { value: new THREE.Vector3(...about.low) },
    high: { value: new THREE.Vector3(...about.high) },
    frames: { value: about.frames },
    rowsPerFrame: { value: about.rows_per_frame },
    moment: { value: 0 },
    color: { value: new THREE.Vector3(...color) },
  };
  const material = new THREE.ShaderMaterial({
    glslVersion: THREE.GLSL3, vertexShader: vertex, fragmentShader: fragment, uniforms, side: THREE.DoubleSide,
  });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.frustumCulled = false;
  return { mesh, at: (seconds) => { uniforms.moment.value = (seconds * clip.fps) % about.frames; } };
}
