"""Serves a sandbox over HTTP; ``python -m turnwise.sandbox --help`` lists the options."""

from turnwise.sandbox.serving.server import main

if __name__ == "__main__":
    main()
