#!/usr/bin/python3
"""compile-profile.py PROFILE OUTPUT: writes a seccomp profile of Docker as the BPF program of a container without
capabilities. It follows runc: rules that need a capability are left out, and so are calls that this libseccomp does
not know."""

import json
import platform
import sys

import seccomp

ARCHITECTURES = {"x86_64": ("amd64", "SCMP_ARCH_X86_64"), "aarch64": ("arm64", "SCMP_ARCH_AARCH64")}
OPERATORS = {
    "SCMP_CMP_LT": seccomp.LT,
    "SCMP_CMP_EQ": seccomp.EQ,
    "SCMP_CMP_GT": seccomp.GT,
    "SCMP_CMP_MASKED_EQ": seccomp.MASKED_EQ,
}


def action_of(rule, default_errno):
    if rule["action"] == "SCMP_ACT_ALLOW":
        return seccomp.ALLOW
    if rule["action"] == "SCMP_ACT_ERRNO":
        return seccomp.ERRNO(rule.get("errnoRet", default_errno))
    raise ValueError(rule["action"])


def argument_of(condition):
    operator = OPERATORS[condition["op"]]
    # For a masked comparison, "value" is the mask and "valueTwo" what must be left of the argument.
    values = [condition["value"]]
    if operator is seccomp.MASKED_EQ:
        values.append(condition.get("valueTwo", 0))
    return seccomp.Arg(condition["index"], operator, *values)


def applies(rule, architecture):
    includes, excludes = rule.get("includes") or {}, rule.get("excludes") or {}
    if includes.get("caps") or architecture not in includes.get("arches", [architecture]):
        return False
    # "minKernel" is 4.8 everywhere, and Kinora needs 5.13.
    return architecture not in excludes.get("arches", [])


def main(profile_path, output_path):
    with open(profile_path, encoding="utf8") as file:
        profile = json.load(file)
    architecture, native = ARCHITECTURES[platform.machine()]
    default = seccomp.ERRNO(profile["defaultErrnoRet"])
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    program = seccomp.SyscallFilter(default)
    for entry in profile["archMap"]:
        if entry["architecture"] == native:
            for name in entry["subArchitectures"] or []:
                program.add_arch(getattr(seccomp.Arch, name.removeprefix("SCMP_ARCH_")))
    for rule in profile["syscalls"]:
        if not applies(rule, architecture):
            continue
        action = action_of(rule, profile["defaultErrnoRet"])
        if action == default:
            continue
        for name in rule["names"]:
            try:
                program.add_rule(action, name, *[argument_of(condition) for condition in rule.get("args") or []])
            except RuntimeError:
                pass  # This libseccomp does not know the call, so the default applies to it.
    with open(output_path, "wb") as file:
        program.export_bpf(file)


main(*sys.argv[1:])
