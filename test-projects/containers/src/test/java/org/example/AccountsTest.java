package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;

class AccountsTest {
    @Test
    void deposits() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:accounts")) {
            Accounts accounts = new Accounts(connection);
            accounts.deposit("ada", 3);
            accounts.deposit("ada", 4);
            assertEquals(7, accounts.amount("ada"));
        }
    }
}
