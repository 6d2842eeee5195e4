"""Small repositories with faults, their test suites, and folders of text files to edit."""
