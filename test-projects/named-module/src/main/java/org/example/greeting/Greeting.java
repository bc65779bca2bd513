package org.example.greeting;

import org.example.greeting.internal.Names;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public class Greeting {
    private static final Logger LOG = LoggerFactory.getLogger(Greeting.class);

    public String to(String name) {
        LOG.info("greeting {}", name);
        return "Hello, " + Names.capital(name);
    }
}
