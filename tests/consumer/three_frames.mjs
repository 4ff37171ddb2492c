// node three_frames.mjs FILE.glb FPS FRAMES OUT: every mesh as three.js animates it, float32 (frames, points, 3), names on stdout
import fs from "fs";
import { pathToFileURL } from "url";

const load = (path) => import(pathToFileURL(`${process.env.NODE_PATH}/three/${path}`).href);
const THREE = await load("build/three.module.js");
const { GLTFLoader } = await load("examples/jsm/loaders/GLTFLoader.js");

const [file, fps, frames, out] = process.argv.slice(2);
const data = fs.readFileSync(file);
const gltf = await new GLTFLoader().parseAsync(data.buffer.slice(data.byteOffset, data.byteOffset + data.length), "");
const mixer = new THREE.AnimationMixer(gltf.scene);
for (const clip of gltf.animations) {
  const action = mixer.clipAction(clip).setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
}
const meshes = [];
gltf.scene.traverse((thing) => thing.isMesh && meshes.push(thing));
meshes.sort((a, b) => (a.name < b.name ? -1 : 1));
const place = new THREE.Vector3();
const values = [];
for (let k = 0; k < Number(frames); k++) {
  mixer.setTime(k / Number(fps));
  gltf.scene.updateMatrixWorld(true);
  for (const mesh of meshes) {
    if (mesh.skeleton) mesh.skeleton.update();
    for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
      mesh.getVertexPosition(i, place);
      place.applyMatrix4(mesh.matrixWorld);
      values.push(place.x, place.y, place.z);
    }
  }
}
fs.writeFileSync(out, new Float32Array(values));
console.log(JSON.stringify(meshes.map((mesh) => [mesh.name, mesh.geometry.attributes.position.count])));
