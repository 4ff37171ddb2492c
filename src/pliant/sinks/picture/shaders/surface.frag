in vec3 place;
in vec3 facing;
in vec2 st;
in vec3 hue;
in vec3 in_shadow_map;
in float sky;
uniform vec3 front_color;
uniform vec3 back_color;
uniform int pattern_kind;  // plain, weave, stripes, check, foil
uniform vec4 answer;       // roughness, shine, sheen, thin
uniform float metal;
out vec4 color;

// a square wave of period 1, filtered over a pixel of width w: mean 0.5, range 0..1
float band(float x, float w) {
    w = max(w, 1e-5);
    vec2 e = vec2(x - 0.5 * w, x + 0.5 * w);
    vec2 area = 0.5 * floor(e) + max(fract(e) - 0.5, 0.0);
    return clamp((area.y - area.x) / w, 0.0, 1.0);
}

// what the fabric's pattern makes of its colour
vec3 patterned(vec3 base) {
    vec2 w = fwidth(st);
    if (pattern_kind == 1) {
        vec2 p = 72.0 * st;
        float fine = 1.0 - smoothstep(0.10, 0.28, 72.0 * max(w.x, w.y));
        vec2 f = fract(p) - 0.5;
        vec2 thread = 1.0 - 4.0 * f * f;
        float over = mod(floor(p.x) + floor(p.y), 2.0);
        return base * mix(0.90, 0.74 + 0.32 * mix(thread.x, thread.y, over), fine);
    }
    vec3 second = mix(base, vec3(0.80, 0.78, 0.74), 0.9);
    if (pattern_kind == 2) return mix(base, second, band(9.0 * st.x, 9.0 * w.x));
    if (pattern_kind == 3) {
        float both = 0.5 * (band(7.0 * st.x, 7.0 * w.x) + band(7.0 * st.y, 7.0 * w.y));
        return mix(base, second, both);
    }
    return base;
}

void main() {
    vec3 v = normalize(eye - place);
    vec3 n = normalize(facing);
    bool front = gl_FrontFacing;
    if (!front) n = -n;
    // a smooth normal may look away at a silhouette; bent back, it does not go black
    n = normalize(n + v * max(0.0, 0.02 - dot(n, v)));
    float nv = clamp(dot(n, v), 0.0, 1.0), nl = dot(n, key_direction);
    vec3 base = patterned(hue * (front ? front_color : back_color));

    // light
    float seen = key_visibility(in_shadow_map);
    float wrap = 0.3 * answer.w;
    float direct = max((nl + wrap) / (1.0 + wrap), 0.0);
    float through = answer.w * max(-nl, 0.0);
    vec3 ambient = mix(bounce_color, sky_color, 0.5 + 0.5 * n.y) * mix(0.25, 1.0, sky);
    vec3 key = key_color * seen;
    vec3 diffuse = base * (key * direct + ambient) * (1.0 - metal) + base * key * (through * 1.3);

    // gloss
    vec3 h = normalize(v + key_direction);
    float nh = max(dot(n, h), 0.0);
    float a = answer.x * answer.x, a2 = a * a, q = nh * nh * (a2 - 1.0) + 1.0;
    float lobe = min(a2 / (12.566 * q * q), 12.0) * (1.0 - 0.5 * answer.x);
    float g = 1.0 - nv, g2 = g * g, grazing = g2 * g;
    vec3 reflectance = mix(vec3(answer.y), base, metal);
    vec3 gloss = reflectance + (1.0 - reflectance) * (g2 * grazing * (1.0 - 0.85 * answer.x));
    float mirror = (1.0 - answer.x) * (1.0 - answer.x);
    vec3 room = mix(ambient, mirrored(reflect(-v, n)) * mix(0.4, 1.0, sky), mirror);
    vec3 specular = gloss * (room + lobe * key * max(nl, 0.0));

    // fibres and rim
    vec3 fuzz = answer.z * grazing * (0.75 * base + 0.12) * (ambient + key * direct);
    vec3 rim = rim_color * (base * 0.8 + 0.06) * grazing * max(dot(n, rim_direction) * 0.6 + 0.4, 0.0);
    color = vec4(encode(tone(diffuse + specular + fuzz + rim)), 1.0);
}
