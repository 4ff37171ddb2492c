in vec3 position;
in vec3 normal;
in vec2 pattern;
uniform mat4 view_projection;
out vec3 place;
out vec3 facing;
out vec2 st;

void main() {
    place = position;
    facing = normal;
    st = pattern;
    gl_Position = view_projection * vec4(position, 1.0);
}
