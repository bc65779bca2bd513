package sample;

public class InheritsNTest extends BaseN<String> {
    @Override
    String value() {
        return "";
    }
}
