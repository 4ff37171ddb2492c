// One direction of a Gaussian over three standard deviations.
in vec2 st;
uniform sampler2D source;
uniform vec2 stride;  // a third of a standard deviation, in the map
out vec4 moments;

void main() {
    vec2 sum = vec2(0.0);
    float total = 0.0;
    for (int i = -8; i <= 8; ++i) {
        float x = float(i) / 3.0;
        float weight = exp(-0.5 * x * x);
        sum += weight * texture(source, st + float(i) * stride).xy;
        total += weight;
    }
    moments = vec4(sum / total, 0.0, 1.0);
}
