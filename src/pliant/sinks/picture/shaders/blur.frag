// One direction of a Gaussian, to two and a half standard deviations.
in vec2 st;
uniform sampler2D source;
uniform vec2 stride;  // half a standard deviation, in the map
out vec4 moments;

void main() {
    vec2 sum = vec2(0.0);
    float total = 0.0;
    for (int i = -5; i <= 5; ++i) {
        float x = float(i) / 2.0;
        float weight = exp(-0.5 * x * x);
        sum += weight * texture(source, st + float(i) * stride).xy;
        total += weight;
    }
    moments = vec4(sum / total, 0.0, 1.0);
}
