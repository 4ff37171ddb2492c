// The light from above, read once per vertex: it is so soft that nothing is lost by that.

uniform mat4 sky_matrix;
uniform highp sampler2D sky_map;  // blurred depth from above and its square
uniform float sky_fade;  // height at which a roof hides half of what it would hide lying close, of the map's depth

// share of the sky that is seen from a place: Chebyshev's inequality on the blurred depths from above
float sky_visibility(vec3 place) {
    vec3 p = (sky_matrix * vec4(place, 1.0)).xyz * 0.5 + 0.5;
    vec2 m = textureLod(sky_map, p.xy, 0.0).xy;
    float d = max(clamp(p.z, 0.0, 1.0) - m.x, 0.0);
    float variance = max(m.y - m.x * m.x, 2e-4);
    float hidden = d * d / (variance + d * d);
    float h = d / sky_fade;
    return 1.0 - 0.85 * hidden / (1.0 + h * h);
}
