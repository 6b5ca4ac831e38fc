"""The schema's history: ``NNNN_what.sql``, applied in order, never edited once released."""
