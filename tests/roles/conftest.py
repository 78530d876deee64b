"""Journals that are opened again, for all that is kept in one."""

from written.journals import reopen as reopen
