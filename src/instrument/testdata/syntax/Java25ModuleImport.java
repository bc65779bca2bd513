import module java.base;
import java.util.List;

class Java25ModuleImport {
    int size(List<String> all) {
        Map<String, Integer> sizes = new HashMap<>();
        return sizes.size() + all.size();
    }
}
