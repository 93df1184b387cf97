"""The gate for files: whatever is opened is validated in full here, before a kernel or a library reads it.

`archive` opens what Runoff itself keeps (models, grammars, checkpoints), `arrow` the lists that Runoff saves and the
tables of others, `npy` one array. What unpacks is bounded (`limits`, `arrow_sizes`). What an array means, and so which
numbers it may hold, is known to the room that uses it.
"""
