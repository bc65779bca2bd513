import java.lang.annotation.ElementType;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;

class Annotations<@Annotations.On T extends @Annotations.On Object> {
    @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER})
    @interface On {
        int[] value() default {1, 2};
    }

    @On String @On [] names(Annotations<@On T> this, @On String @On ... more) throws @On Exception {
        List<@On ? extends @On Number> list = new @On ArrayList<@On Integer>();
        Object cast = (@On String & @On Comparable<String>) more[0];
        return new @On String @On [list.size() + cast.hashCode()].length == 0 ? more : null;
    }
}
