"""Journals that are opened again, for all that is kept in one."""

from written.journals import reopen as reopen
from written.journals import reopen_file as reopen_file
