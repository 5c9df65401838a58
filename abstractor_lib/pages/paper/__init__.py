"""The paper of ``docs/paper``: a replication article whose numbers come from the records.

Its source names what it cites. `values` computes that from verdicts, settings and records, and
`typeset` makes the PDF of both.
"""
