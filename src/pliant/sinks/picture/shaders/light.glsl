// The studio's light, shared by everything that is drawn. Linear colours inside, sRGB out.
// Needs before it: the version line and, for OpenGL ES, the default precisions.

uniform vec3 eye;
uniform vec3 key_direction;
uniform vec3 key_color;
uniform vec3 sky_color;
uniform vec3 bounce_color;
uniform vec3 rim_direction;
uniform vec3 rim_color;
uniform vec3 floor_color;
uniform vec3 horizon_color;
uniform vec3 zenith_color;
uniform float shadow_softness;  // radius of the key light's penumbra, in its map
uniform highp sampler2DShadow shadow_map;
uniform float dither;           // [1/255]

// 1 where the key light arrives, 0 in full shadow, for a place in its map: four filtered lookups on a turned cross, written out since a
// loop over a table of offsets is slow where there is no GPU
float key_visibility(vec3 p) {
    p.z = min(p.z, 0.9999);
    vec2 a = shadow_softness * vec2(0.38, 0.81), b = 0.5 * vec2(a.y, -a.x);
    return 0.25 * (texture(shadow_map, vec3(p.xy + a, p.z)) + texture(shadow_map, vec3(p.xy - a, p.z))
                 + texture(shadow_map, vec3(p.xy + b, p.z)) + texture(shadow_map, vec3(p.xy - b, p.z)));
}

vec3 background(vec3 direction) {
    return mix(horizon_color, zenith_color, smoothstep(0.0, 0.75, direction.y));
}

// what a shiny surface mirrors: the studio's floor, walls and ceiling, and two softboxes
vec3 mirrored(vec3 direction) {
    float y = direction.y;
    vec3 wall = mix(bounce_color * 0.35, sky_color * 0.9, smoothstep(-0.05, 0.30, y));
    vec3 room = mix(bounce_color * 1.5, wall, smoothstep(-0.75, 0.0, y)) + sky_color * 0.5 * smoothstep(0.55, 0.95, y);
    float front = smoothstep(0.88, 0.97, dot(direction, key_direction));
    float rear = smoothstep(0.80, 0.95, dot(direction, rim_direction));
    return room + 7.0 * key_color * front + 4.0 * rim_color * rear;
}

// keeps colours as they are up to bright ones, which it bends towards white
vec3 tone(vec3 c) {
    const float START = 0.70;
    const float REST = 1.0 - START;
    float peak = max(max(c.r, max(c.g, c.b)), 1e-4);
    float over = max(peak - START, 0.0);
    float bent = min(peak, START) + REST * over / (over + REST);
    c *= bent / peak;
    return mix(c, vec3(bent), 1.0 - 1.0 / (1.0 + 0.18 * (peak - bent)));
}

// sRGB's curve within 1.5 levels, from square roots
vec3 encode(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    vec3 q = sqrt(c);
    vec3 s = 1.6202773 * q - 0.1880106 * sqrt(q) - 0.6404920 * c + 0.2025728 * c * q;
    // ordered noise of half a level breaks the bands of slow gradients and stands still in a video
    float noise = fract(52.9829189 * fract(dot(floor(gl_FragCoord.xy), vec2(0.06711056, 0.00583715)))) - 0.5;
    return max(s, 0.0) + noise * dither / 255.0;
}
