"""`python -m mcpgen`."""

from mcpgen.cli import run

if __name__ == "__main__":
    run()
