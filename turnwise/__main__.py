"""``python -m turnwise``: the command line."""

from turnwise.cli import main

if __name__ == "__main__":
    main()
