module org.example.greeting {
    requires org.slf4j;
    exports org.example.greeting;
}
