package org.example.tools;

import org.example.core.Account;

/** No test enters it. */
public class Statement {
    public String of(Account account) {
        return account.isEmpty() ? "nothing" : account.label();
    }
}
