uniform vec4 wire_color;
out vec4 color;

void main() {
    color = wire_color;
}
