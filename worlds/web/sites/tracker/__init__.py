"""An issue tracker."""
