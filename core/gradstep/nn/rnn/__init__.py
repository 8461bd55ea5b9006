"""Recurrent layers over whole sequences, and the single steps that they are made of."""

from gradstep.nn.rnn.layers import GRU, LSTM, RNN, PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "PackedSequence"]
