package org.example;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Kept in a database. */
public class Accounts {
    private final Connection connection;
    private int changes;

    public Accounts(Connection connection) throws SQLException {
        this.connection = connection;
        connection.createStatement().execute("create table if not exists account (name varchar(20) primary key, amount int)");
    }

    public void deposit(String name, int amount) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("merge into account values (?, ?)")) {
            statement.setString(1, name);
            statement.setInt(2, amount(name) + amount);
            statement.executeUpdate();
        }
        count();
    }

    private void count() {
        changes++;
    }

    public int amount(String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select amount from account where name = ?")) {
            statement.setString(1, name);
            ResultSet found = statement.executeQuery();
            return found.next() ? found.getInt(1) : 0;
        }
    }
}
