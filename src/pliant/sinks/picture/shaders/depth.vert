in vec3 position;
uniform mat4 view_projection;
out float depth;

void main() {
    gl_Position = view_projection * vec4(position, 1.0);
    depth = 0.5 * gl_Position.z + 0.5;
}
