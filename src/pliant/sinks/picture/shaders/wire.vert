in vec3 position;
uniform mat4 view_projection;

void main() {
    gl_Position = view_projection * vec4(position, 1.0);
    gl_Position.z -= 2e-4 * gl_Position.w;
}
