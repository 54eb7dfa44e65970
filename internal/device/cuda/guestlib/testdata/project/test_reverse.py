import faulthandler
import pathlib
import subprocess
import sys
import unittest

import driver
import pytest


@pytest.mark.parametrize("value", [1], ids=["ä" * 3000])
def test_long(value):
    driver.reverse(barrier=False)


def test_right():
    driver.reverse(barrier=True)


def test_race():
    driver.reverse(barrier=False)


@pytest.fixture
def reversed_before():
    driver.reverse(barrier=False)


def test_in_fixture(reversed_before):
    pass


@pytest.fixture
def reversed_after():
    yield
    driver.reverse(barrier=False)


def test_in_teardown(reversed_after):
    pass


def test_in_program():
    subprocess.run([sys.executable, pathlib.Path(__file__).with_name("driver.py")], check=True)


def test_raises():
    driver.reverse(barrier=False)
    raise ValueError("of the test itself")


@pytest.mark.xfail(strict=True)
def test_expected():
    driver.reverse(barrier=False)


class TestCase(unittest.TestCase):
    def test_of_unittest(self):
        driver.reverse(barrier=False)


def test_after():
    driver.reverse(barrier=True)
    assert faulthandler.is_enabled()
