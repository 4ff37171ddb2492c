"""The doctor: says in plain words what is wrong with a file, where, and what to do; repairs what can be repaired."""

from pliant.sources.doctor.checkup import check, fix
from pliant.sources.doctor.facts import Facts, facts_of
from pliant.sources.doctor.finding import Finding, Report
from pliant.sources.doctor.repairs import Repaired, repair, save_obj

__all__ = ["Facts", "Finding", "Repaired", "Report", "check", "facts_of", "fix", "repair", "save_obj"]
