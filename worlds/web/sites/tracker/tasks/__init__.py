"""Templates of tasks of the tracker."""
