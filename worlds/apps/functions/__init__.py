"""The functions of each app, one module an app."""
