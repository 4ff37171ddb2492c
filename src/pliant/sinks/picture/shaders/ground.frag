in vec3 far_point;
uniform vec3 center;        // of what stands on the floor
uniform float reach;        // [m] the floor has faded out at some times this distance
uniform float floor_height; // [m]
uniform float grid;         // [m] between lines; 0 draws none
uniform vec3 line_color;
uniform vec4 floor_box;     // low x, low z, width, depth of the floor's map [m]
uniform sampler2D floor_map; // how much of the key light and of the sky arrives
out vec4 color;

float ruled(vec2 p, vec2 w) {
    vec2 near = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-6));
    vec2 line = clamp(1.0 - near, 0.0, 1.0) * (1.0 - smoothstep(0.15, 0.5, w));
    return max(line.x, line.y);
}

void main() {
    vec3 direction = normalize(far_point - eye);
    vec3 back = background(direction);
    bool below = direction.y < -1e-4 && eye.y > floor_height;
    float t = (floor_height - eye.y) / min(direction.y, -1e-4);
    vec3 p = eye + direction * t;
    vec2 w = grid > 0.0 ? fwidth(p.xz) / grid : vec2(0.0);
    float away = length(p.xz - center.xz) / reach;
    vec3 plain = mix(floor_color, back, smoothstep(1.0, 6.0, away));
    if (grid > 0.0) {
        float lines = max(0.30 * ruled(p.xz / grid, w), 0.60 * ruled(p.xz / (5.0 * grid), w / 5.0));
        plain = mix(plain, line_color, lines * (1.0 - smoothstep(0.6, 3.6, away)));
    }
    vec2 arriving = texture(floor_map, (p.xz - floor_box.xy) / floor_box.zw).xy;
    vec3 key_share = key_color * key_direction.y;
    vec3 lit = plain * (key_share * arriving.x + sky_color * arriving.y) / (key_share + sky_color);
    color = vec4(encode(below ? lit : back), 1.0);
}
