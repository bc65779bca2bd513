package reneri.driver;

import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.ResponseCache;
import java.util.Objects;

/** The defaults of java.net, which the whole JVM shares. The constructor saves them, {@link #restore} restores them. */
final class NetworkDefaults {
    private final ProxySelector proxies = ProxySelector.getDefault();
    private final CookieHandler cookies = CookieHandler.getDefault();
    private final ResponseCache cache = ResponseCache.getDefault();
    private final Authenticator authenticator = authenticator();

    void restore() {
        if (ProxySelector.getDefault() != proxies) {
            ProxySelector.setDefault(proxies);
        }
        if (CookieHandler.getDefault() != cookies) {
            CookieHandler.setDefault(cookies);
        }
        if (ResponseCache.getDefault() != cache) {
            ResponseCache.setDefault(cache);
        }
        if (authenticator() != authenticator) {
            Authenticator.setDefault(authenticator);
        }
    }

    /** A number that differs if one of the defaults does. */
    static int state() {
        return Objects.hash(
                System.identityHashCode(ProxySelector.getDefault()),
                System.identityHashCode(CookieHandler.getDefault()),
                System.identityHashCode(ResponseCache.getDefault()),
                System.identityHashCode(authenticator()));
    }

    /** Null in Java 8, which has no getter. There, an authenticator that a test has set stays. */
    private static Authenticator authenticator() {
        try {
            return (Authenticator) Authenticator.class.getMethod("getDefault").invoke(null);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
