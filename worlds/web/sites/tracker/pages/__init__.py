"""Pages of the tracker."""
