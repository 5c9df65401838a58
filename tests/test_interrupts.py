"""Signals that end a command."""

import os
import signal
import threading
import time

import pytest

from abstractor_lib.interrupts import Interrupted, orderly_end, whole_step

BOTH = (signal.SIGINT, signal.SIGTERM)


def send(number):
    os.kill(os.getpid(), number)
    time.sleep(0.01)  # a signal's handler runs between two steps of the program


@pytest.fixture(autouse=True)
def heard():
    """Signals are heard, whatever the tests were started with, and afterwards as before."""
    before = {number: signal.getsignal(number) for number in BOTH}
    for number in BOTH:
        signal.signal(number, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", BOTH)
def test_a_signal_is_an_interruption_with_its_status(number):
    with pytest.raises(Interrupted, match=r"^interrupted$") as raised, orderly_end():
        send(number)
    assert raised.value.status == 128 + number
    assert all(signal.getsignal(one) is signal.default_int_handler for one in BOTH)


def test_the_message_is_that_of_the_work_and_further_signals_do_not_disturb_it():
    with pytest.raises(Interrupted, match="3 of 4 runs") as raised, orderly_end():
        try:
            send(signal.SIGTERM)
        except KeyboardInterrupt:
            send(signal.SIGINT)
            send(signal.SIGTERM)
            raise KeyboardInterrupt("3 of 4 runs") from None
    assert raised.value.status == 143


def test_a_whole_step_is_finished_first():
    done = []
    with pytest.raises(Interrupted, match=r"^interrupted$") as raised, orderly_end():
        with whole_step():
            done.append("undisturbed")
        with whole_step():
            send(signal.SIGTERM)
            done.append("step")
        done.append("afterwards")
    assert done == ["undisturbed", "step"]
    assert raised.value.status == 143


def test_an_ignored_signal_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with orderly_end():
        send(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_other_errors_and_other_threads_are_left_alone():
    with pytest.raises(ValueError, match="other"), orderly_end():
        raise ValueError("other")
    handlers = []

    def elsewhere():
        with orderly_end():
            handlers.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]
