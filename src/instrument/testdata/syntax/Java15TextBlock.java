class Java15TextBlock {
    String text(String name) {
        return """
            Hello, "%s" \""" \
            and \s\tgoodbye.
            { "a": 1 }
            """.formatted(name.trim());
    }
}
