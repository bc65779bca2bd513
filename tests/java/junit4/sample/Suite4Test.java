package sample;

import org.junit.runner.RunWith;
import org.junit.runners.Suite;

@RunWith(Suite.class)
@Suite.SuiteClasses({Inherits4Test.class, JUnit3Test.class})
public class Suite4Test {}
