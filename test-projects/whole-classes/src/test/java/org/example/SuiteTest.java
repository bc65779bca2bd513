package org.example;

import org.junit.platform.suite.api.IncludeClassNamePatterns;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

@Suite
@SelectClasses({FirstOfSuite.class, SecondOfSuite.class})
@IncludeClassNamePatterns(".*")
class SuiteTest {}
