"""One client for every HTTP server: docs/http.md has its rules."""
