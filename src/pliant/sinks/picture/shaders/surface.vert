in vec3 position;
in vec3 normal;
in vec2 pattern;
in vec3 tint;
uniform mat4 view_projection;
uniform vec3 stand;  // the eye
uniform float lift;  // [m] off the surface
out vec3 place;
out vec3 facing;
out vec2 st;
out vec3 hue;
out float sky;

void main() {
    place = position;
    facing = normal;
    st = pattern;
    hue = tint;
    vec3 towards = dot(normal, stand - position) < 0.0 ? -normal : normal;
    sky = sky_visibility(position + towards * lift);
    gl_Position = view_projection * vec4(position, 1.0);
}
