// Watches modules that are about to be built: hands over which goals may change test classes.
package reneri.maven;

import org.apache.maven.execution.ProjectExecutionEvent;
import org.apache.maven.execution.ProjectExecutionListener;

/**
 * `META-INF/plexus/components.xml` registers it. Maven tells it the plan of each module. To have the
 * plan calculated a second time would disturb the build: plugins lose the class loader in which they
 * look for their components.
 */
public class Plan implements ProjectExecutionListener {
    @Override
    public void beforeProjectExecution(ProjectExecutionEvent event) {}

    @Override
    public void beforeProjectLifecycleExecution(ProjectExecutionEvent event) {
        if (Watch.isAggregator(event.getProject())) {
            return;
        }
        Handover.enter(event.getProject());
        Rewritten.begin(event.getProject(), event.getExecutionPlan());
    }

    @Override
    public void afterProjectExecutionSuccess(ProjectExecutionEvent event) {}

    @Override
    public void afterProjectExecutionFailure(ProjectExecutionEvent event) {}
}
