"""The kernel: environments, spaces, errors, settings, registration, episodes, wrappers, tools and metrics."""
