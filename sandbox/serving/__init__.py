"""Offers a sandbox of this machine to clients elsewhere: over HTTP, or over the standard streams of a container."""
