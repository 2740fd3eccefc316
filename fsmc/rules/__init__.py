"""The rules of the linter, one module each; ``base`` says what a rule is, ``manual`` turns them into pages.

Codes are grouped: FSM0xx text and structure, FSM1xx names, FSM2xx the graph, FSM3xx transitions and expressions, FSM4xx
tools and limits.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from fsmc.rules.base import Hit, Rule

__all__ = ["Hit", "Rule", "all_rules", "policy_rules", "rule"]

# By code. Those about text and structure have no check: what they tell of is found without a model.
_STRUCTURE = (
    "syntax_error",
    "duplicate_key",
    "unsupported_value",
    "too_large",
    "encoding_error",
    "not_a_policy",
    "ambiguous_scalar",
    "byte_order_mark",
    "unknown_key",
    "wrong_type",
    "missing_key",
    "invalid_value",
    "unused_ignore",
    "invalid_ignore",
)
_POLICY = (
    "invalid_schema",
    "slow_pattern",
    "undefined_state",
    "undefined_tool",
    "empty_selector",
    "undefined_guard",
    "undefined_event",
    "confusable_names",
    "wrong_initial_type",
    "no_terminal",
    "terminal_with_exits",
    "cycle",
    "unbounded_cycle",
    "unreachable_state",
    "trap",
    "dead_end",
    "transitions_in_open",
    "transition_guard_without_open",
    "shadowed_transition",
    "guard_gap",
    "expression_syntax",
    "expression_type",
    "unraisable_event",
    "unhandled_event",
    "shadowed_emit",
    "guard_before_set",
    "unused_tool",
    "unused_guard",
    "unused_event",
    "fallback_self",
    "fallback_in_loop",
    "fallback_only",
    "budget_without_exit",
    "write_before_anything",
    "exhausted_without_target",
    "on_exhausted_without_max_visits",
    "set_unknown_field",
    "max_visits_in_dag",
    "repeated_above_limit",
    "limit_without_tools",
)


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    return tuple(sorted((*map(_load, _STRUCTURE), *policy_rules()), key=lambda each: each.code))


@cache
def policy_rules() -> tuple[Rule, ...]:
    """The rules that check a model, by code."""
    return tuple(map(_load, _POLICY))


def rule(code_or_name: str) -> Rule:
    """The rule of that code (``FSM204``, in any case) or name (``cycle``). Raises ``KeyError`` when there is none."""
    for candidate in all_rules():
        if candidate.name == code_or_name or candidate.code == code_or_name.upper():
            return candidate
    raise KeyError(code_or_name)


def _load(name: str) -> Rule:
    module = import_module(f"{__name__}.{name}")
    return Rule(
        module.CODE,
        module.NAME,
        module.LEVEL,
        module.__doc__ or "",
        getattr(module, "check", None),
        getattr(module, "OTHER_LEVEL", None),
    )
