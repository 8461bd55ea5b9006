"""The frozen records that cross layers: all that views ever see."""
