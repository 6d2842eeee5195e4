"""Browsers: pages as trees and as text, in this process or by Chromium. They know no sites."""
