import sys

print("arguments", sys.argv[1:], __name__, __file__ == sys.argv[0])
