// The floor's own map: shadow of the key light, softer the farther its caster is, and the sky that is left.
in vec2 st;
uniform mat4 shadow_matrix;
uniform vec4 floor_box;
uniform float floor_height;
uniform float spread;     // penumbra's radius in the shadow map per unit of its depth
uniform sampler2D depth_map;  // the key light's, without comparison
out vec4 arriving;

const mat2 GOLDEN = mat2(-0.7373689, 0.6754903, -0.6754903, -0.7373689);  // a turn by the golden angle

void main() {
    vec3 place = vec3(floor_box.x + st.x * floor_box.z, floor_height, floor_box.y + st.y * floor_box.w);
    vec3 p = (shadow_matrix * vec4(place, 1.0)).xyz * 0.5 + 0.5;
    float sum = 0.0, total = 0.0;
    // each texel turns its disc differently; the blur that follows makes one smooth shadow of them
    float start = 6.2832 * fract(52.9829189 * fract(dot(floor(gl_FragCoord.xy), vec2(0.06711056, 0.00583715))));
    vec2 toward = vec2(cos(start), sin(start));
    // what is in the way, and how far before the floor
    float reach = spread * 0.35 + 2.0 * shadow_softness;
    for (int i = 0; i < 10; ++i, toward = GOLDEN * toward) {
        float d = textureLod(depth_map, p.xy + reach * sqrt((float(i) + 0.5) / 10.0) * toward, 0.0).x;
        float hit = step(d, min(p.z, 0.9999) - 2e-3);
        sum += hit * (p.z - d);
        total += hit;
    }
    float soft = total > 0.0 ? max(spread * sum / total, shadow_softness) : shadow_softness;
    float seen = 0.0;
    for (int i = 0; i < 16; ++i, toward = GOLDEN * toward) {
        vec2 at = p.xy + soft * sqrt((float(i) + 0.5) / 16.0) * toward;
        seen += texture(shadow_map, vec3(at, min(p.z - 1e-3, 0.9999)));
    }
    // nothing ends at the map's edge
    vec2 rim = smoothstep(vec2(0.0), vec2(0.04), st) * smoothstep(vec2(0.0), vec2(0.04), 1.0 - st);
    arriving = vec4(mix(1.0, seen / 16.0, rim.x * rim.y), mix(1.0, sky_visibility(place), rim.x * rim.y), 0.0, 1.0);
}
