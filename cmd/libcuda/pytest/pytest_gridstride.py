"""Fails the tests whose CUDA kernels have findings, under gridstride check -- pytest.

The plugin tells the simulated driver each test's name, by the C function gridstride_test and, for the
programs that the test starts, by the environment variable GRIDSTRIDE_TEST. The findings come back in
files: one for each process, in the folder that gridstride check names in GRIDSTRIDE_CHECK, with a
report in JSON on each line. A finding in them has the names of its tests.
"""

import ctypes
import json
import os
import pathlib

import pytest


class Findings:
    """The findings that the processes of a run have written."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.read = {}  # how much of each file

    def new(self, test):
        """Returns the findings of a test that were written since the last call."""
        found = []
        for path in sorted(self.folder.glob("report-*.jsonl")):
            with path.open("rb") as file:
                file.seek(self.read.get(path, 0))
                for line in file:
                    if not line.endswith(b"\n"):
                        break  # which a process is writing
                    self.read[path] = self.read.get(path, 0) + len(line)
                    if b'"tests":' in line:
                        found += of_test(json.loads(line), test)
        return found


def of_test(report, test):
    """Returns the findings of a report that fail a test."""
    return [
        f
        for f in report["findings"] or []
        if test in f.get("tests", ()) and f["level"] != "note" and not f.get("allowed")
    ]


def text(finding):
    """Returns a finding as the lines that a reader of the test needs first."""
    lines = [f"{finding['kind']}: {finding['summary']}, in kernel {finding['kernel']}"]
    for place in finding["places"] or []:
        source = place["source"]
        where = f"{source['file']}:{source['line']}" if source["line"] else place["ptx"]
        lines.append(f"  {place['role']:<6} {where}    {place.get('text', '')}".rstrip())
    for name, key in ("why", "why"), ("fix", "fix"), ("from", "launchedFrom"):
        if finding.get(key):
            lines.append(f"  {name:<6} {finding[key]}")
    return "\n".join(lines)


def name_of(item):
    """Returns the name of a test as the driver and the environment can have it."""
    name = item.nodeid.replace("\x00", "(null)")
    return name.encode(errors="backslashreplace").decode()


class Plugin:
    """Tells the driver of tests, and tests of their findings."""

    def __init__(self, mark, findings):
        self.mark = mark  # gridstride_test
        self.findings = findings

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        name = os.environ["GRIDSTRIDE_TEST"] = name_of(item)
        self.mark(name.encode())
        try:
            return (yield)
        finally:
            self.mark(b"")
            os.environ.pop("GRIDSTRIDE_TEST", None)

    def _phase(self, item, when):
        """Runs a phase of a test, which fails if its kernels have findings."""
        failed = True
        try:
            result = yield
            failed = False
        finally:
            self.mark(name_of(item).encode())  # waits for what the phase has launched
            found = {text(f): None for f in self.findings.new(name_of(item))}
            if found and failed:
                item.add_report_section(when, "gridstride", "\n\n".join(found))
        if found:
            pytest.fail("\n\n".join(found), pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        return (yield from self._phase(item, "setup"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        return (yield from self._phase(item, "call"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        return (yield from self._phase(item, "teardown"))


def driver():
    """Returns gridstride_test of the simulated driver, or None where there is another driver or none."""
    try:
        mark = ctypes.CDLL("libcuda.so.1").gridstride_test
    except (OSError, AttributeError):
        return None
    mark.argtypes, mark.restype = [ctypes.c_char_p], None
    return mark


def pytest_configure(config):
    # GRIDSTRIDE_CHECK ends with the folder, whose name may hold anything.
    _, named, folder = os.environ.get("GRIDSTRIDE_CHECK", "").partition("dir=")
    mark = driver() if named else None
    if mark:
        config.pluginmanager.register(Plugin(mark, Findings(folder)), "gridstride-findings")
