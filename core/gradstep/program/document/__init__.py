"""Program documents as text: read, checked, written, laid out, and the files they name."""
