int twice(int n) {
    return 2 * n;
}

void main() {
    IO.println(twice(3));
}
