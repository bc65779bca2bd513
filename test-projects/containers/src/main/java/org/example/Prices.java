package org.example;

import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

@Component
public class Prices {
    private final Map<String, Integer> seen = new HashMap<>();
    private final Rate rate;

    @Autowired
    public Prices(Rate rate) {
        this.rate = rate;
    }

    public int of(String item) {
        int price = item.length() * rate.percent() / 100;
        remember(item, price);
        return price;
    }

    private void remember(String item, int price) {
        seen.put(item, price);
        seen.remove("");
    }

    /** A bean. */
    public static class Rate {
        public int percent() {
            return Integer.parseInt("200");
        }
    }

    /** Spring makes a subclass of it. */
    @Configuration
    public static class Setup {
        @Bean
        public Rate rate() {
            return new Rate();
        }

        @Bean
        public Prices prices() {
            return new Prices(rate());
        }
    }
}
