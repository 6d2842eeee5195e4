"""Browsers: pages as trees and as text, in this process or by Chromium. They do not know any sites."""
