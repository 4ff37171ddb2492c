in float depth;
out vec4 moments;

void main() {
    moments = vec4(depth, depth * depth, 0.0, 1.0);
}
