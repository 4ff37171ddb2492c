in vec3 position;
in vec3 normal;
in vec2 pattern;
in vec3 tint;
uniform mat4 view_projection;
uniform mat4 shadow_matrix;
uniform vec3 stand;  // the eye
uniform vec3 sun;    // direction of the key light
uniform float lift;  // [m] off the surface
uniform float push;  // [m] along the line of sight, by which it yields to what lies on it
out vec3 place;
out vec3 facing;
out vec2 st;
out vec3 hue;
out vec3 in_shadow_map;
out float sky;

void main() {
    place = position;
    facing = normal;
    st = pattern;
    hue = tint;
    vec3 towards = dot(normal, stand - position) < 0.0 ? -normal : normal;
    sky = sky_visibility(position + towards * lift);
    // the key light is looked up off the surface, on the side that it shines on and farther where it grazes
    float nl = dot(normal, sun);
    float slope = sqrt(max(1.0 - nl * nl, 0.0));
    vec3 off = position + (normal * ((nl < 0.0 ? -1.0 : 1.0) * (0.6 + 2.4 * slope)) + sun) * lift;
    in_shadow_map = (shadow_matrix * vec4(off, 1.0)).xyz * 0.5 + 0.5;
    gl_Position = view_projection * vec4(position + push * normalize(position - stand), 1.0);
}
