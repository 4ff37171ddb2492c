// One triangle over the whole picture, behind everything; the fragment finds where its ray meets the floor.
uniform mat4 unprojection;
out vec3 far_point;

void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    vec4 p = unprojection * vec4(corner, 1.0, 1.0);
    far_point = p.xyz / p.w;
    gl_Position = vec4(corner, 0.99999, 1.0);
}
