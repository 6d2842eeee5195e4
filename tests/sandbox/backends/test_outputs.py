"""What programs have printed: a flood is cut off, and nothing of it reaches the turn after it."""

import os
import select

from turnwise.sandbox.backends.outputs import FLOOD, Outputs


def test_what_a_flood_leaves_in_the_pipe_is_thrown_away() -> None:
    (out, writes_out), (err, writes_err) = os.pipe(), os.pipe()
    outputs = Outputs(out, err, 1000)
    try:
        os.write(writes_out, b"y\n" * (FLOOD * 1000))
        outputs.drain()
        assert outputs.flooded
        outputs.take()
        os.write(writes_out, b"y\n" * 20_000)  # before it was killed
        outputs.discard()
        outputs.discard()  # nothing is there: it does not wait
        os.write(writes_out, b"next\n")
        poller = select.poll()
        outputs.register(poller)
        assert poller.poll(1000)
        outputs.drain()
        assert outputs.take() == ("next\n", "", 0, 0)
    finally:
        outputs.close()
        os.close(writes_out)
        os.close(writes_err)
